//! The stages of a PUT of the published documents, one after the other in one thread.

use std::path::Path;
use std::time::{Duration, Instant};

use ldp_load::Documents;
use ldp_rdf::{Format, Graph, Root, parse};
use ldp_repository::{Body, Options, Repository, WriteOptions};
use ldp_store::Durability;

use crate::{Result, loopback};

const ROOT: &str = "http://127.0.0.1:8000/ldp";
const PARENT: &str = "/pomegranate";

/// Times the stages, in seconds a resource: HTTP with nothing behind it; parsing and encoding; the
/// rules, the log and its sync; and what no answer waits for, bringing the log to the indexes.
///
/// The indexes wait while the other stages are timed. Then the same is put into a second store that
/// keeps them up in the background, as a server does, and counts the time.
pub fn stages(resources: usize, seed: u64) -> Result<Vec<(&'static str, f64)>> {
    let address = loopback::serve()?;
    let repository = open("store", false, Durability::Sync)?;
    let mut documents = Sequence::new(seed)?;
    let mut graphs = Vec::new();
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
        graphs.push((uid.clone(), graph.clone()));

        let start = Instant::now();
        put(&repository, &uid, graph)?;
        log += start.elapsed();
    }

    let indexed = open("indexed", true, Durability::Sync)?;
    for (uid, graph) in graphs {
        put(&indexed, &uid, graph)?;
    }
    indexed.store().checkpoint()?;
    let stats = indexed.store().stats()?;
    if stats.applied_graphs < resources as u64 {
        return Err(format!(
            "{} graphs of {resources} are in the indexes",
            stats.applied_graphs
        )
        .into());
    }
    let each = |total: Duration| total.as_secs_f64() / resources as f64;
    let index = each(Duration::from_nanos(stats.apply_nanos));
    Ok(vec![
        ("time", each(http + parsing + log) + index),
        ("time_http", each(http)),
        ("time_parse", each(parsing)),
        ("time_log", each(log)),
        ("time_index", index),
    ])
}

/// Leaves a store with so many megabytes of log that no index has yet.
pub fn leave_log(megabytes: u64, seed: u64) -> Result<Vec<(&'static str, f64)>> {
    let repository = open("store", false, Durability::None)?;
    let mut documents = Sequence::new(seed)?;
    while repository.store().stats()?.log_bytes < megabytes * 1_000_000 {
        for _ in 0..20 {
            let (uid, text) = documents.next();
            let graph = documents.parse(&uid, &text)?;
            put(&repository, &uid, graph)?;
        }
    }
    Ok(Vec::new())
}

/// A new repository with the container of all resources; with `apply`, it keeps its indexes up.
fn open(store: &str, apply: bool, durability: Durability) -> Result<Repository> {
    let mut options = Options::default();
    options.store.apply = apply;
    options.store.durability = durability;
    let repository = Repository::open(Path::new(store), options)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_logged_is_there_after_recovery() {
        let dir = std::env::temp_dir().join(format!("ldpstages-{}", std::process::id()));
        let path = dir.join("store");
        let path = path.to_str().unwrap();
        let repository = open(path, false, Durability::None).unwrap();
        let mut documents = Sequence::new(1).unwrap();
        let (uid, text) = documents.next();
        let graph = documents.parse(&uid, &text).unwrap();
        assert_eq!(graph.len(), 200);
        put(&repository, &uid, graph).unwrap();
        assert_eq!(repository.store().stats().unwrap().applied_graphs, 0);
        drop(repository);

        let repository = Repository::open(Path::new(path), Options::default()).unwrap();
        assert!(
            repository
                .store()
                .snapshot()
                .resource(&uid)
                .unwrap()
                .is_some()
        );
        drop(repository);
        std::fs::remove_dir_all(dir).unwrap();
    }
}
