//! Triples to documents.

mod json_ld;
mod n_triples;
mod rdf_xml;
mod text;
mod turtle;

use crate::{Format, Root};
use json_ld::JsonLd;
use oxrdf::{NamedOrBlankNode, NamedOrBlankNodeRef, TripleRef};
use rdf_xml::RdfXml;
use std::io;
use text::Outside;
use turtle::Turtle;

/// Writes triples with inside IRIs as a document with outside ones.
///
/// Triples may come in any order; those of one subject, and of one predicate therein, are best
/// given one after the other, as the document then names both only once. All formats are written as the
/// triples come, in small pieces: the sink should be a buffer. The document is whole after
/// [`Writer::finish`].
pub struct Writer<W: io::Write> {
    sink: W,
    outside: Outside,
    syntax: Syntax,
}

enum Syntax {
    Turtle(Turtle),
    NTriples,
    RdfXml(RdfXml),
    JsonLd(JsonLd),
}

impl<W: io::Write> Writer<W> {
    /// A document in `format`. `prefixes` are pairs of a name and a namespace; Turtle and RDF/XML
    /// declare and use them.
    pub fn new(format: Format, root: &Root, prefixes: &[(&str, &str)], sink: W) -> Writer<W> {
        let outside = Outside::new(root);
        let syntax = match format {
            Format::Turtle => Syntax::Turtle(Turtle::new(prefixes)),
            Format::NTriples => Syntax::NTriples,
            Format::RdfXml => Syntax::RdfXml(RdfXml::new(prefixes)),
            Format::JsonLd => Syntax::JsonLd(JsonLd::default()),
        };
        Writer {
            sink,
            outside,
            syntax,
        }
    }

    /// Writes one triple. Besides errors of the sink there is [`io::ErrorKind::InvalidData`]: RDF/XML
    /// cannot express every predicate and every literal; the message names what it cannot.
    pub fn triple<'t>(&mut self, triple: impl Into<TripleRef<'t>>) -> io::Result<()> {
        let (sink, outside, triple) = (&mut self.sink, &self.outside, triple.into());
        match &mut self.syntax {
            Syntax::Turtle(turtle) => turtle.triple(sink, outside, triple),
            Syntax::NTriples => n_triples::triple(sink, outside, triple),
            Syntax::RdfXml(rdf_xml) => rdf_xml.triple(sink, outside, triple),
            Syntax::JsonLd(json_ld) => json_ld.triple(sink, outside, triple),
        }
    }

    /// What was written so far; the caller may take it away, for example to send it.
    pub fn sink_mut(&mut self) -> &mut W {
        &mut self.sink
    }

    /// Ends the document.
    pub fn finish(mut self) -> io::Result<W> {
        match self.syntax {
            Syntax::Turtle(turtle) => turtle.finish(&mut self.sink)?,
            Syntax::NTriples => {}
            Syntax::RdfXml(rdf_xml) => rdf_xml.finish(&mut self.sink)?,
            Syntax::JsonLd(json_ld) => json_ld.finish(&mut self.sink)?,
        }
        Ok(self.sink)
    }
}

/// The subject and predicate of the triple before, to leave them out when they come again.
#[derive(Default)]
struct Last {
    subject: Option<NamedOrBlankNode>,
    predicate: String,
}

/// What a triple shares with the one before.
enum Shared {
    /// It is the first.
    Nothing,
    /// It has another subject.
    Document,
    Subject,
    SubjectAndPredicate,
}

impl Last {
    fn next(&mut self, triple: TripleRef<'_>) -> Shared {
        let shared = match &self.subject {
            None => Shared::Nothing,
            Some(subject) if subject.as_ref() != triple.subject => Shared::Document,
            _ if self.predicate != triple.predicate.as_str() => Shared::Subject,
            _ => return Shared::SubjectAndPredicate,
        };
        if !matches!(shared, Shared::Subject) {
            self.subject = Some(NamedOrBlankNodeRef::into_owned(triple.subject));
        }
        self.predicate.clear();
        self.predicate.push_str(triple.predicate.as_str());
        shared
    }
}
