//! `ldp load`: many resources at once, without a server.

use super::data::Data;
use super::exit::At;
use ldp_rdf::{Format, Graph, Root, uid_of};
use ldp_repository::transfer::quads::Graphs;
use ldp_repository::{Body, Outcome, Pending, Repository, WriteOptions};
use oxrdf::GraphName;
use std::borrow::Cow;
use std::collections::HashSet;
use std::error::Error;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Loads RDF: an N-Quads file with a graph a resource, or a folder with a file a resource.
///
/// What is there is replaced. Missing containers are made. All of it is on disk at the end.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    data: Data,
    /// Container of what is loaded from a folder: its file `a/b.ttl` becomes `PARENT/a/b`.
    #[arg(long, value_name = "UID", default_value = "/")]
    parent: String,
    /// URL of the root in the files of a folder; `info:fcres/…` is understood anyway.
    #[arg(long, value_parser = Root::new)]
    root: Option<Root>,
    /// FILE.nq, or a folder of .ttl, .nt, .rdf and .jsonld.
    from: PathBuf,
}

/// Writes whose durability is awaited together.
const TOGETHER: usize = 1_000;

struct Load<'a> {
    repository: &'a Repository,
    root: Root,
    pending: Vec<Pending<Outcome>>,
    count: u64,
}

/// Loads.
pub fn run(args: Args) -> Result<(), Box<dyn Error>> {
    let repository = args.data.write(true)?;
    let mut load = Load {
        repository: &repository,
        root: args.root.unwrap_or_else(Root::inside_only),
        pending: Vec::new(),
        count: 0,
    };
    if args.from.is_dir() {
        load.folder(&args.from, args.parent.trim_end_matches('/'))?;
    } else {
        load.quads(&args.from)?;
    }
    load.wait()?;
    let count = load.count;
    drop(load);
    // All is on disk already; this brings it to the index, so that the next one opens at once.
    repository.store().checkpoint()?;
    println!("{count} resources");
    Ok(())
}

impl Load<'_> {
    fn folder(&mut self, folder: &Path, parent: &str) -> Result<(), Box<dyn Error>> {
        let told = |error| At::new(folder.display(), error);
        let mut entries: Vec<PathBuf> = fs::read_dir(folder)
            .and_then(|entries| {
                entries
                    .map(|entry| entry.map(|entry| entry.path()))
                    .collect()
            })
            .map_err(told)?;
        entries.sort_unstable();
        for path in entries {
            let (name, format) = match path.is_dir() {
                true => (path.file_name(), None),
                false => (path.file_stem(), Some(format_of(&path)?)),
            };
            let name = name.and_then(OsStr::to_str);
            let name = name.ok_or_else(|| format!("{}: the name is not UTF-8", path.display()))?;
            let uid = format!("{parent}/{name}");
            match format {
                None => self.folder(&path, &uid)?,
                Some(format) => {
                    let text = fs::read(&path).map_err(told)?;
                    let root = self.root.clone();
                    let body = Body::Text {
                        format,
                        text: &text,
                        root: &root,
                    };
                    self.put(&uid, body)
                        .map_err(|error| At::new(path.display(), error))?;
                }
            }
        }
        Ok(())
    }

    fn quads(&mut self, path: &Path) -> Result<(), Box<dyn Error>> {
        let told = |error: Box<dyn Error>| At::new(path.display(), error);
        let file = File::open(path).map_err(|error| told(error.into()))?;
        let mut graphs = Graphs::new(path.to_owned(), file)?;
        let mut seen = HashSet::new();
        while let Some(name) = graphs.name().cloned() {
            let triples = graphs.take(&name)?;
            let uid = uid_of_graph(&name).ok_or_else(|| {
                told(
                    format!("graph {name}: expected a name like info:fcres/a, for resource /a")
                        .into(),
                )
            })?;
            if !seen.insert(uid.clone()) {
                let apart = format!("the quads of graph {name} do not stand together");
                return Err(told(apart.into()).into());
            }
            let body = Body::Graph(Graph::encode(&triples));
            self.put(&uid, body).map_err(told)?;
        }
        Ok(())
    }

    fn put(&mut self, uid: &str, body: Body<'_>) -> Result<(), Box<dyn Error>> {
        let options = WriteOptions {
            lenient: true,
            ..WriteOptions::default()
        };
        self.pending.push(self.repository.put(uid, body, &options)?);
        self.count += 1;
        if self.pending.len() == TOGETHER {
            self.wait()?;
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<(), Box<dyn Error>> {
        for pending in self.pending.drain(..) {
            pending.wait()?;
        }
        Ok(())
    }
}

/// The path of the resource whose triples a graph of this name holds, here or in an export.
fn uid_of_graph(name: &GraphName) -> Option<String> {
    let GraphName::NamedNode(name) = name else {
        return None;
    };
    let iri = match name
        .as_str()
        .strip_prefix("info:fcsystem/graph/userdata/_main")
    {
        Some(path) => format!("info:fcres{path}"),
        None => name.as_str().to_owned(),
    };
    uid_of(&iri).map(Cow::into_owned)
}

fn format_of(path: &Path) -> Result<Format, String> {
    match path.extension().and_then(OsStr::to_str) {
        Some("ttl") => Ok(Format::Turtle),
        Some("nt") => Ok(Format::NTriples),
        Some("rdf") => Ok(Format::RdfXml),
        Some("jsonld") => Ok(Format::JsonLd),
        _ => Err(format!(
            "{}: expected .ttl, .nt, .rdf or .jsonld",
            path.display()
        )),
    }
}
