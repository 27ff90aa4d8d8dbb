//! RDF in and out: syntaxes, and the graph of one resource as compact immutable bytes.

pub use oxrdf::{BlankNode, Literal, NamedNode, NamedOrBlankNode, Term, Triple};

/// The syntaxes of RDF that resources are read and written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `text/turtle`
    Turtle,
    /// `application/n-triples`
    NTriples,
    /// `application/rdf+xml`
    RdfXml,
    /// `application/ld+json`
    JsonLd,
}

/// Why a text is not RDF: what was found, at which line and column (from 1), and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// One sentence, without the place.
    pub message: String,
    /// The place, if the syntax has lines: from 1.
    pub place: Option<(u64, u64)>,
}

/// Where a repository is seen from outside: the URL of its root, without a slash at its end.
///
/// Inside, a resource is `info:fcres` and its path (`info:fcres/` is the root); outside, it is the
/// root URL and its path. Every IRI that begins with the root is translated on the way in, and back
/// on the way out, so that data moves to another host unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(String);

/// The triples of one resource, encoded; cheap to clone, equal when the bytes are equal.
///
/// The bytes hold their own table of IRIs, so they mean the same in every store. Blank nodes are
/// numbered in the order of their first use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph(std::sync::Arc<[u8]>);

/// What the index of a store keeps of one triple: hashes, so a hit has to be looked up in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexEntry {
    /// xxh3-64 of the predicate's IRI.
    pub predicate: u64,
    /// xxh3-64 of the object's text; IRIs, literals (with language and type) and blank nodes differ.
    pub object: u64,
    /// Whether the object is an IRI: those are found backwards.
    pub object_is_iri: bool,
}

impl Format {
    /// The format of a media type without parameters, or none.
    pub fn from_media_type(_name: &str) -> Option<Format> {
        todo!()
    }
    /// `text/turtle` and so on, without parameters.
    pub fn media_type(self) -> &'static str {
        todo!()
    }
}

/// Reads `text` as `format` into a graph; relative IRIs are resolved against `base`, an outside URL.
pub fn parse(_format: Format, _text: &[u8], _base: &str, _root: &Root) -> Result<Graph, SyntaxError> {
    todo!()
}

impl Graph {
    /// Encodes triples whose IRIs are inside ones.
    pub fn encode<'a>(_triples: impl IntoIterator<Item = &'a Triple>) -> Graph {
        todo!()
    }
    /// The bytes, as they are stored.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
    /// Checks stored bytes; the error says what is wrong with them.
    pub fn from_bytes(_bytes: &[u8]) -> Result<Graph, String> {
        todo!()
    }
    /// How many triples.
    pub fn len(&self) -> usize {
        todo!()
    }
    /// The triples, with inside IRIs, in the order of the encoding.
    pub fn triples(&self) -> impl Iterator<Item = Triple> + '_ {
        [].into_iter()
    }
    /// One entry a triple, for the index.
    pub fn index_entries(&self) -> impl Iterator<Item = IndexEntry> + '_ {
        [].into_iter()
    }
}
