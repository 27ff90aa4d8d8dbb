//! Triples to bytes.

use crate::graph::{Graph, VERSION};
use crate::layout::{NODE, Object, PLAIN, TAGGED, TYPED, cut};
use crate::varint;
use hashbrown::HashTable;
use oxrdf::{NamedOrBlankNodeRef, TermRef, TripleRef, vocab::xsd};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// Collects the triples of a graph. Strings are numbered in the order of their first use; `finish`
/// brings all into the order of the encoding.
#[derive(Default)]
pub(crate) struct Encoder {
    text: String,
    iris: Names,
    blanks: Names,
    triples: Vec<(Node, usize, Pending)>,
}

/// Distinct strings, each as a range of the encoder's text.
#[derive(Default)]
struct Names {
    spans: Vec<Range<usize>>,
    numbers: HashTable<usize>,
}

#[derive(Clone, Copy)]
enum Node {
    Iri(usize),
    Blank(usize),
}

enum Pending {
    Plain(Range<usize>),
    Tagged(Range<usize>, Range<usize>),
    Typed(usize, Range<usize>),
    Node(Node),
}

impl Names {
    fn number(&mut self, name: &str, text: &mut String) -> usize {
        let hash = xxh3_64(name.as_bytes());
        let spans = &mut self.spans;
        if let Some(&number) = self
            .numbers
            .find(hash, |&number| &text[spans[number].clone()] == name)
        {
            return number;
        }
        let number = spans.len();
        spans.push(keep(name, text));
        self.numbers.insert_unique(hash, number, |&number| {
            xxh3_64(text[spans[number].clone()].as_bytes())
        });
        number
    }
}

fn keep(value: &str, text: &mut String) -> Range<usize> {
    let start = text.len();
    text.push_str(value);
    start..text.len()
}

impl Encoder {
    /// Takes one triple; its IRIs are inside ones.
    pub(crate) fn push(&mut self, triple: TripleRef<'_>) {
        let subject = match triple.subject {
            NamedOrBlankNodeRef::NamedNode(iri) => self.iri(iri.as_str()),
            NamedOrBlankNodeRef::BlankNode(node) => self.blank(node.as_str()),
        };
        let predicate = self.iris.number(triple.predicate.as_str(), &mut self.text);
        let object = match triple.object {
            TermRef::NamedNode(iri) => Pending::Node(self.iri(iri.as_str())),
            TermRef::BlankNode(node) => Pending::Node(self.blank(node.as_str())),
            TermRef::Literal(literal) => {
                let value = keep(literal.value(), &mut self.text);
                if let Some(language) = literal.language() {
                    Pending::Tagged(keep(language, &mut self.text), value)
                } else if literal.datatype() == xsd::STRING {
                    Pending::Plain(value)
                } else {
                    let datatype = literal.datatype();
                    Pending::Typed(self.iris.number(datatype.as_str(), &mut self.text), value)
                }
            }
        };
        self.triples.push((subject, predicate, object));
    }

    fn iri(&mut self, iri: &str) -> Node {
        Node::Iri(self.iris.number(iri, &mut self.text))
    }

    fn blank(&mut self, label: &str) -> Node {
        Node::Blank(self.blanks.number(label, &mut self.text))
    }

    /// The graph of all triples taken.
    pub(crate) fn finish(self) -> Graph {
        let mut table: Vec<((&str, &str), usize)> = self
            .iris
            .spans
            .iter()
            .enumerate()
            .map(|(number, span)| (cut(&self.text[span.clone()]), number))
            .collect();
        table.sort_unstable();
        let mut ranks = vec![0; table.len()];
        for (rank, &(_, number)) in table.iter().enumerate() {
            ranks[number] = rank;
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
                    Pending::Plain(value) => Object::Plain(bytes(value)),
                    Pending::Tagged(tag, value) => Object::Tagged(bytes(tag), bytes(value)),
                    Pending::Typed(datatype, value) => {
                        Object::Typed(ranks[*datatype], bytes(value))
                    }
                    Pending::Node(object) => Object::Node(node(*object)),
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

fn write_table(out: &mut Vec<u8>, table: &[((&str, &str), usize)]) {
    let groups = || table.chunk_by(|a, b| a.0.0 == b.0.0);
    varint::write(out, groups().count());
    for group in groups() {
        write_text(out, group[0].0.0.as_bytes());
        varint::write(out, group.len());
        for ((_, local), _) in group {
            write_text(out, local.as_bytes());
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
