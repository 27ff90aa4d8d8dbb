//! Graphs as N-Quads: one after the other, each under its own name.

use super::Error;
use ldp_rdf::{BlankNode, Graph, NamedNode, NamedOrBlankNodeRef, TermRef, Triple, iri_of};
use oxrdf::{GraphName, Quad};
use oxttl::NQuadsParser;
use oxttl::nquads::ReaderNQuadsParser;
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// The name of the graph that holds the triples of users of a resource that is there.
pub fn current(uid: &str) -> NamedNode {
    aspect("userdata/_main", uid)
}

/// The name of the graph that a deleted resource had.
pub(super) fn deleted(uid: &str) -> NamedNode {
    aspect("deleted", uid)
}

/// The name of the graph of a version.
pub(super) fn version(uid: &str, at: u64) -> NamedNode {
    aspect(&format!("version/{at}"), uid)
}

fn aspect(aspect: &str, uid: &str) -> NamedNode {
    let iri = iri_of(uid);
    let path = iri.strip_prefix("info:fcres").unwrap_or(&iri);
    NamedNode::new_unchecked(format!("info:fcsystem/graph/{aspect}{path}"))
}

/// Writes a graph. Blank nodes mean something in the whole file, so `scope` becomes a part of their
/// labels.
pub(super) fn write(
    sink: &mut impl Write,
    name: &NamedNode,
    scope: u64,
    graph: &Graph,
) -> io::Result<()> {
    let scoped = |node: &str| BlankNode::new_unchecked(format!("g{scope}{node}"));
    for triple in graph.reader().iter() {
        match triple.subject {
            NamedOrBlankNodeRef::NamedNode(node) => write!(sink, "{node} ")?,
            NamedOrBlankNodeRef::BlankNode(node) => write!(sink, "{} ", scoped(node.as_str()))?,
        }
        write!(sink, "{} ", triple.predicate)?;
        match triple.object {
            TermRef::BlankNode(node) => write!(sink, "{}", scoped(node.as_str()))?,
            term => write!(sink, "{term}")?,
        }
        writeln!(sink, " {name} .")?;
    }
    Ok(())
}

/// Reads N-Quads a graph at a time; the quads of a graph stand together.
pub struct Graphs<R: Read> {
    path: PathBuf,
    quads: ReaderNQuadsParser<R>,
    next: Option<Quad>,
}

impl<R: Read> Graphs<R> {
    /// Reads the first quad. The path is for errors.
    pub fn new(path: PathBuf, source: R) -> Result<Self, Error> {
        let mut graphs = Graphs {
            path,
            quads: NQuadsParser::new().for_reader(source),
            next: None,
        };
        graphs.advance()?;
        Ok(graphs)
    }

    fn advance(&mut self) -> Result<(), Error> {
        let next = self.quads.next().transpose();
        self.next = next.map_err(|error| Error::content(&self.path, error))?;
        Ok(())
    }

    /// The name of the next graph; none at the end.
    pub fn name(&self) -> Option<&GraphName> {
        self.next.as_ref().map(|quad| &quad.graph_name)
    }

    /// The triples of the next graph if it has this name, else none.
    pub fn take(&mut self, name: &GraphName) -> Result<Vec<Triple>, Error> {
        let mut triples = Vec::new();
        while let Some(quad) = self.next.take_if(|quad| quad.graph_name == *name) {
            triples.push(quad.into());
            self.advance()?;
        }
        Ok(triples)
    }

    /// Whether all was taken.
    pub fn finish(self) -> Result<(), Error> {
        match self.name() {
            None => Ok(()),
            Some(name) => {
                let message = format!("the graph {name} is of no resource, or not in its place");
                Err(Error::content(&self.path, message))
            }
        }
    }
}
