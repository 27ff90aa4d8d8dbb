//! The stages of a PUT of the published documents, one after the other in one thread.

use std::path::Path;
use std::time::{Duration, Instant};

use ldp_load::Documents;
use ldp_rdf::{Format, Graph, Root, parse};
use ldp_repository::{Body, Options, Repository, WriteOptions};

use crate::{Result, loopback};

const ROOT: &str = "http://127.0.0.1:8000/ldp";
const PARENT: &str = "/pomegranate";
const STORE: &str = "store";

/// Times the stages, in seconds a resource: HTTP with nothing behind it; parsing and encoding; the
/// rules, the log and its sync; applying what the log has to the indexes, which an answer does not
/// wait for.
pub fn stages(resources: usize, seed: u64) -> Result<Vec<(&'static str, f64)>> {
    let address = loopback::serve()?;
    let repository = unapplied()?;
    let mut documents = Sequence::new(seed)?;
    let [mut http, mut parsing, mut log] = [Duration::ZERO; 3];
    for _ in 0..resources {
        let (uid, text) = documents.next();
        let start = Instant::now();
        loopback::put(address, &text)?;
        http += start.elapsed();

        let start = Instant::now();
        let graph = documents.parse(&uid, &text)?;
        parsing += start.elapsed();
        if graph.len() != 200 {
            return Err(format!("expected 200 triples, found {}", graph.len()).into());
        }

        let start = Instant::now();
        put(&repository, &uid, graph)?;
        log += start.elapsed();
    }
    drop(repository);

    let start = Instant::now();
    let repository = Repository::open(Path::new(STORE), Options::default())?;
    let found = repository.view().snapshot().resources().count();
    drop(repository);
    let index = start.elapsed();
    if found != resources + 2 {
        return Err(format!("expected {} resources, found {found}", resources + 2).into());
    }
    let each = |total: Duration| total.as_secs_f64() / resources as f64;
    Ok(vec![
        ("time", each(http + parsing + log + index)),
        ("time_http", each(http)),
        ("time_parse", each(parsing)),
        ("time_log", each(log)),
        ("time_index", each(index)),
    ])
}

/// Leaves a store with so many megabytes of log that no index has yet.
pub fn leave_log(megabytes: u64, seed: u64) -> Result<Vec<(&'static str, f64)>> {
    let repository = unapplied()?;
    let mut documents = Sequence::new(seed)?;
    while repository.store().stats()?.log_bytes < megabytes * 1_000_000 {
        let (uid, text) = documents.next();
        let graph = documents.parse(&uid, &text)?;
        put(&repository, &uid, graph)?;
    }
    Ok(Vec::new())
}

/// A new repository whose log is not applied to the indexes, with the container of all resources.
fn unapplied() -> Result<Repository> {
    let mut options = Options::default();
    options.store.apply = false;
    let repository = Repository::open(Path::new(STORE), options)?;
    put(&repository, PARENT, Graph::default())?;
    Ok(repository)
}

/// Puts a resource and waits until it is on disk.
fn put(repository: &Repository, uid: &str, graph: Graph) -> Result<()> {
    let write = repository.put(uid, Body::Graph(graph), &WriteOptions::default())?;
    if !write.wait()?.created {
        return Err(format!("{uid} was there already").into());
    }
    Ok(())
}

/// Documents, each of which points to the one before.
struct Sequence {
    documents: Documents,
    root: Root,
    next: usize,
    previous: String,
}

impl Sequence {
    fn new(seed: u64) -> Result<Sequence> {
        let root = Root::new(ROOT)?;
        Ok(Sequence {
            documents: Documents::new(seed),
            next: 0,
            previous: root.url(PARENT),
            root,
        })
    }

    /// The path and the Turtle of the next resource.
    fn next(&mut self) -> (String, String) {
        let uid = format!("{PARENT}/{}", self.documents.name(self.next));
        let text = self.documents.turtle(self.next, &self.previous);
        self.next += 1;
        self.previous = self.root.url(&uid);
        (uid, text)
    }

    fn parse(&self, uid: &str, text: &str) -> Result<Graph> {
        let parsed = parse(
            Format::Turtle,
            text.as_bytes(),
            &self.root.url(uid),
            &self.root,
        );
        Ok(parsed.map_err(|error| format!("{uid}: {}", error.message))?)
    }
}
