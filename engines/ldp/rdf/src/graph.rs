//! The triples of one resource as bytes. FORMAT.md describes them.

use crate::encoder::Encoder;
use crate::index::IndexEntry;
use crate::reader::GraphReader;
use crate::varint;
use oxrdf::{Triple, TripleRef};
use std::borrow::Cow;
use std::sync::Arc;

/// The first byte of an encoding.
pub(crate) const VERSION: u8 = 1;

/// The triples of one resource, encoded; cheap to clone, equal when the bytes are equal.
///
/// The bytes hold their own table of IRIs, so they mean the same in every store. A graph without
/// blank nodes has one encoding. Blank nodes are numbered in the order of their first use, and named
/// `b0`, `b1`, … when they are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph(pub(crate) Arc<[u8]>);

impl Graph {
    /// Encodes triples whose IRIs are inside ones. Order and repetition do not count.
    pub fn encode<'a>(triples: impl IntoIterator<Item: Into<TripleRef<'a>>>) -> Graph {
        let mut encoder = Encoder::default();
        for triple in triples {
            encoder.push(triple.into(), Cow::Borrowed);
        }
        encoder.finish()
    }

    /// The bytes, as they are stored.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Checks stored bytes; the error says what is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Graph, String> {
        GraphReader::new(bytes)?.check()?;
        Ok(Graph(bytes.into()))
    }

    /// How many triples.
    pub fn len(&self) -> usize {
        self.0
            .get(1..)
            .and_then(|mut bytes| varint::read(&mut bytes))
            .unwrap_or(0)
    }

    /// Whether there is no triple.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Opens the graph for reading triples that borrow from it. This writes out all IRIs of the table;
    /// the triples then need no allocation.
    pub fn reader(&self) -> GraphReader<'_> {
        GraphReader::new(&self.0).expect("a graph's bytes were written by the encoder or checked")
    }

    /// The triples, with inside IRIs, in the order of the encoding.
    pub fn triples(&self) -> impl Iterator<Item = Triple> + '_ {
        let triples: Vec<Triple> = self.reader().iter().map(TripleRef::into_owned).collect();
        triples.into_iter()
    }

    /// One entry a triple, for the index.
    pub fn index_entries(&self) -> impl Iterator<Item = IndexEntry> + '_ {
        self.reader().index_entries().into_iter()
    }
}

impl Default for Graph {
    /// The graph without triples.
    fn default() -> Self {
        Encoder::default().finish()
    }
}
