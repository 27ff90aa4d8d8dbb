//! Triples to bytes.

use crate::graph::{Graph, VERSION};
use crate::layout::{NODE, Object, PLAIN, TAGGED, TYPED, cut};
use crate::varint;
use hashbrown::HashTable;
use oxrdf::{NamedNodeRef, NamedOrBlankNodeRef, TermRef, TripleRef, vocab::xsd};
use std::borrow::Cow;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// Collects the triples of a graph. Strings are numbered in the order of their first use; `finish`
/// brings all into the order of the encoding.
#[derive(Default)]
pub(crate) struct Encoder {
    text: String,
    iris: Names,
    blanks: Names,
    triples: Vec<(Node, usize, Value)>,
}

/// Distinct strings, each as a range of the encoder's text.
#[derive(Default)]
struct Names {
    spans: Vec<Range<usize>>,
    numbers: HashTable<usize>,
}

/// A subject, or an object that is no literal.
#[derive(Clone, Copy)]
pub(crate) enum Node {
    Iri(usize),
    Blank(usize),
}

/// An object.
pub(crate) enum Value {
    Plain(Range<usize>),
    Tagged(Range<usize>, Range<usize>),
    Typed(usize, Range<usize>),
    Node(Node),
}

/// An IRI of the table; the order is that of its fields.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Name<'t> {
    namespace: &'t str,
    /// The first bytes of the local name: they mostly decide without a look at the rest.
    first: u64,
    local: &'t str,
    number: usize,
}

impl<'t> Name<'t> {
    fn new(iri: &'t str, number: usize) -> Name<'t> {
        let (namespace, local) = cut(iri);
        let mut first = [0; 8];
        let len = local.len().min(8);
        first[..len].copy_from_slice(&local.as_bytes()[..len]);
        Name {
            namespace,
            first: u64::from_be_bytes(first),
            local,
            number,
        }
    }
}

impl Names {
    /// The number of the name that the parts make; it stays in `text` if it is new.
    fn number(&mut self, parts: [&str; 2], text: &mut String) -> usize {
        let start = text.len();
        text.push_str(parts[0]);
        text.push_str(parts[1]);
        let name = &text[start..];
        let hash = xxh3_64(name.as_bytes());
        let spans = &mut self.spans;
        let known = self
            .numbers
            .find(hash, |&number| &text[spans[number].clone()] == name);
        if let Some(&number) = known {
            text.truncate(start);
            return number;
        }
        let number = spans.len();
        spans.push(start..text.len());
        self.numbers.insert_unique(hash, number, |&number| {
            xxh3_64(text[spans[number].clone()].as_bytes())
        });
        number
    }
}

impl Encoder {
    /// An encoder of a document of so many bytes.
    pub(crate) fn for_document(bytes: usize) -> Encoder {
        Encoder {
            text: String::with_capacity(bytes),
            triples: Vec::with_capacity(bytes / 64),
            ..Encoder::default()
        }
    }

    /// Takes one triple; `inside` gives the inside IRIs of those that it holds.
    pub(crate) fn push<'t>(
        &mut self,
        triple: TripleRef<'t>,
        inside: impl Fn(&'t str) -> Cow<'t, str>,
    ) {
        let iri =
            |encoder: &mut Self, iri: NamedNodeRef<'t>| encoder.iri([&inside(iri.as_str()), ""]);
        let subject = match triple.subject {
            NamedOrBlankNodeRef::NamedNode(subject) => Node::Iri(iri(self, subject)),
            NamedOrBlankNodeRef::BlankNode(node) => self.blank(node.as_str()),
        };
        let predicate = iri(self, triple.predicate);
        let object = match triple.object {
            TermRef::NamedNode(object) => Value::Node(Node::Iri(iri(self, object))),
            TermRef::BlankNode(node) => Value::Node(self.blank(node.as_str())),
            TermRef::Literal(literal) => {
                let value = self.text(literal.value());
                if let Some(language) = literal.language() {
                    Value::Tagged(self.text(language), value)
                } else if literal.datatype() == xsd::STRING {
                    Value::Plain(value)
                } else {
                    Value::Typed(iri(self, literal.datatype()), value)
                }
            }
        };
        self.add(subject, predicate, object);
    }

    /// Takes one triple of what was numbered before.
    pub(crate) fn add(&mut self, subject: Node, predicate: usize, object: Value) {
        self.triples.push((subject, predicate, object));
    }

    /// How many bytes it holds of IRIs, labels and literals.
    pub(crate) fn text_len(&self) -> usize {
        self.text.len()
    }

    /// The number of the IRI that the parts make.
    pub(crate) fn iri(&mut self, parts: [&str; 2]) -> usize {
        self.iris.number(parts, &mut self.text)
    }

    /// The IRI of a number.
    pub(crate) fn iri_text(&self, number: usize) -> &str {
        &self.text[self.iris.spans[number].clone()]
    }

    /// The node of a label.
    pub(crate) fn blank(&mut self, label: &str) -> Node {
        Node::Blank(self.blanks.number([label, ""], &mut self.text))
    }

    /// Keeps a text of a literal.
    pub(crate) fn text(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }

    /// The graph of all triples taken.
    pub(crate) fn finish(self) -> Graph {
        let mut table: Vec<Name<'_>> = (0..self.iris.spans.len())
            .map(|number| Name::new(self.iri_text(number), number))
            .collect();
        table.sort_unstable();
        let mut ranks = vec![0; table.len()];
        for (rank, name) in table.iter().enumerate() {
            ranks[name.number] = rank;
        }

        let bytes = |span: &Range<usize>| self.text[span.clone()].as_bytes();
        let node = |node: Node| match node {
            Node::Iri(number) => ranks[number],
            Node::Blank(number) => ranks.len() + number,
        };
        let mut triples: Vec<(usize, usize, Object<'_>)> = self
            .triples
            .iter()
            .map(|(subject, predicate, object)| {
                let object = match object {
                    Value::Plain(value) => Object::Plain(bytes(value)),
                    Value::Tagged(tag, value) => Object::Tagged(bytes(tag), bytes(value)),
                    Value::Typed(datatype, value) => Object::Typed(ranks[*datatype], bytes(value)),
                    Value::Node(object) => Object::Node(node(*object)),
                };
                (node(*subject), ranks[*predicate], object)
            })
            .collect();
        triples.sort_unstable();
        triples.dedup();

        let mut out = Vec::with_capacity(self.text.len() + 8 * triples.len() + 16);
        out.push(VERSION);
        varint::write(&mut out, triples.len());
        varint::write(&mut out, self.blanks.spans.len());
        write_table(&mut out, &table);
        write_triples(&mut out, &triples);
        Graph(out.into())
    }
}

fn write_text(out: &mut Vec<u8>, text: &[u8]) {
    varint::write(out, text.len());
    out.extend_from_slice(text);
}

fn write_table(out: &mut Vec<u8>, table: &[Name<'_>]) {
    let groups = || table.chunk_by(|a, b| a.namespace == b.namespace);
    varint::write(out, groups().count());
    for group in groups() {
        write_text(out, group[0].namespace.as_bytes());
        varint::write(out, group.len());
        for name in group {
            write_text(out, name.local.as_bytes());
        }
    }
}

fn write_triples(out: &mut Vec<u8>, triples: &[(usize, usize, Object<'_>)]) {
    // Subjects, and the predicates of a subject, ascend: what is written is the gap to the last.
    let mut next_subject = 0;
    for subject in triples.chunk_by(|a, b| a.0 == b.0) {
        varint::write(out, subject[0].0 - next_subject);
        next_subject = subject[0].0 + 1;
        let predicates = || subject.chunk_by(|a, b| a.1 == b.1);
        varint::write(out, predicates().count());
        let mut next_predicate = 0;
        for predicate in predicates() {
            varint::write(out, predicate[0].1 - next_predicate);
            next_predicate = predicate[0].1 + 1;
            varint::write(out, predicate.len());
            for &(_, _, object) in predicate {
                write_object(out, object);
            }
        }
    }
}

fn write_object(out: &mut Vec<u8>, object: Object<'_>) {
    match object {
        Object::Plain(value) => {
            varint::write(out, PLAIN);
            write_text(out, value);
        }
        Object::Tagged(tag, value) => {
            varint::write(out, TAGGED);
            write_text(out, tag);
            write_text(out, value);
        }
        Object::Typed(datatype, value) => {
            varint::write(out, TYPED);
            varint::write(out, datatype);
            write_text(out, value);
        }
        Object::Node(number) => varint::write(out, NODE + number),
    }
}
