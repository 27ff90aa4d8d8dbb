//! RDF in and out: syntaxes, and the graph of one resource as compact immutable bytes.
//!
//! [`parse`] reads a document into a [`Graph`], [`Writer`] writes triples as a document. Between
//! the two, IRIs of the repository are inside ones (`info:fcres/a`); [`Root`] translates them.

mod encoder;
mod expansion;
mod format;
mod graph;
mod index;
mod isomorphic;
mod json_depth;
mod json_number;
mod layout;
mod parse;
mod reader;
mod root;
mod turtle;
mod varint;
mod writer;
mod xml_literal;
mod xml_work;

pub use format::Format;
pub use graph::Graph;
pub use index::{IndexEntry, hash_iri, hash_term};
pub use isomorphic::isomorphic;
pub use oxrdf::{
    BlankNode, BlankNodeRef, Literal, LiteralRef, NamedNode, NamedNodeRef, NamedOrBlankNode,
    NamedOrBlankNodeRef, Term, TermRef, Triple, TripleRef,
};
pub use parse::{SyntaxError, parse};
pub use reader::GraphReader;
pub use root::{Root, iri_of, uid_of};
pub use writer::Writer;
