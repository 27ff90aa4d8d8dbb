//! What several tests use.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use ldp_rdf::{Graph, Literal, NamedNode, Triple};
use ldp_store::{Model, Op, Options, Resource, Rid, Snapshot, State, Store};

/// A directory that is removed at the end.
pub struct Dir(PathBuf);

impl Dir {
    pub fn new(name: &str) -> Dir {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ldp-store-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Dir(path)
    }
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn options() -> Options {
    Options::default()
}

/// A live resource: the root for `/`, else below the root.
pub fn resource(rid: Rid, uid: &str) -> Resource {
    Resource {
        rid,
        uid: uid.to_owned(),
        parent: (uid != "/").then_some(0),
        model: Model::BasicContainer,
        state: State::Live,
        created: 1_000 + rid,
        modified: 2_000 + rid,
        revision: 1,
        content: None,
    }
}

/// A graph of a few triples that `salt` tells from others.
pub fn graph(salt: u64) -> Graph {
    let iri = |text: String| NamedNode::new_unchecked(text);
    let triples: Vec<Triple> = (0..5)
        .flat_map(|i| {
            let subject = iri(format!("info:fcres/{salt}"));
            let literal = Literal::new_simple_literal(format!("literal {i} of {salt}"));
            [
                Triple::new(
                    subject.clone(),
                    iri(format!("http://example.org/p{i}")),
                    literal,
                ),
                Triple::new(
                    subject,
                    iri(format!("http://example.org/q{i}")),
                    iri(format!("http://example.org/object/{}", salt % 7)),
                ),
            ]
        })
        .collect();
    Graph::encode(&triples)
}

/// The root and `count` children, each with a graph, a batch each.
pub fn fill(store: &Store, count: u64) {
    put(store, &[Op::Put(resource(0, "/"), Some(graph(0)))]);
    for rid in 1..=count {
        put(store, &[child(rid)]);
    }
}

pub fn child(rid: Rid) -> Op {
    Op::Put(resource(rid, &format!("/child {rid:04}")), Some(graph(rid)))
}

pub fn put(store: &Store, ops: &[Op]) {
    store.write().unwrap().commit(ops).unwrap().wait().unwrap();
}

/// Everything that a snapshot shows, as text.
pub fn dump(snapshot: &Snapshot) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    for record in snapshot.records() {
        let record = record.unwrap();
        let rid = record.rid;
        let children: Vec<_> = snapshot.children(rid, None).map(|c| c.unwrap()).collect();
        let count = snapshot.children_count(rid).unwrap();
        let graph = snapshot.graph(rid).unwrap();
        assert_eq!(
            snapshot.resource(&record.uid).unwrap().as_deref(),
            Some(&record)
        );
        writeln!(out, "{record:?} {count} {children:?} {graph:?}").unwrap();
        writeln!(
            out,
            "{:?} {:?}",
            snapshot.gone(rid).unwrap(),
            snapshot.versions(rid).unwrap()
        )
        .unwrap();
        for entry in graph.iter().flat_map(|g| g.index_entries()) {
            let some = Some(entry.object as u16);
            writeln!(
                out,
                "{:?}",
                snapshot.by_predicate(entry.predicate, None).unwrap()
            )
            .unwrap();
            writeln!(
                out,
                "{:?}",
                snapshot.by_predicate(entry.predicate, some).unwrap()
            )
            .unwrap();
            writeln!(out, "{:?}", snapshot.by_object(entry.object, None).unwrap()).unwrap();
        }
    }
    writeln!(out, "next {}", snapshot.next_rid()).unwrap();
    out
}
