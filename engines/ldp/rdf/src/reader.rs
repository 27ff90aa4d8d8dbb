//! Bytes to triples that borrow from them.

use crate::graph::VERSION;
use crate::index::{IndexEntry, hash_blank, hash_iri, hash_object_iri, hash_text, language_kind};
use crate::layout::{NODE, Object, PLAIN, TAGGED, TYPED};
use crate::varint;
use oxrdf::{
    BlankNodeRef, LiteralRef, NamedNodeRef, NamedOrBlankNodeRef, TermRef, TripleRef, vocab::xsd,
};
use std::fmt::Write;
use std::ops::Range;

/// A graph opened for reading: its IRIs are written out, its literals stay where they are.
pub struct GraphReader<'g> {
    /// The IRIs, then the labels of the blank nodes.
    names: String,
    spans: Vec<Range<usize>>,
    iris: usize,
    triples: usize,
    body: &'g [u8],
}

/// A triple in numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry<'g> {
    subject: usize,
    predicate: usize,
    object: Object<'g>,
}

impl<'g> GraphReader<'g> {
    /// Reads the head of an encoding. The triples behind it are not looked at.
    pub(crate) fn new(bytes: &'g [u8]) -> Result<GraphReader<'g>, Fault> {
        let mut rest = bytes;
        if rest.split_off_first() != Some(&VERSION) {
            return Err("the first byte is not 1, the version of the format");
        }
        let triples = number(&mut rest)?;
        let blanks = number(&mut rest)?;
        // Each needs a byte at least: no count makes a reader reserve more than the bytes hold.
        if triples > bytes.len() || blanks > bytes.len() {
            return Err("more triples or blank nodes than bytes");
        }
        let mut names = Vec::with_capacity(bytes.len());
        let mut spans = Vec::new();
        let mut last_namespace = None;
        for _ in 0..number(&mut rest)? {
            let namespace = text(&mut rest)?;
            let mut last_local = None;
            for _ in 0..count(&mut rest)? {
                let local = text(&mut rest)?;
                // No namespace and no name is before all others.
                if last_namespace >= Some(namespace) || last_local >= Some(local) {
                    return Err("the IRIs do not ascend");
                }
                last_local = Some(local);
                let start = names.len();
                names.extend_from_slice(namespace);
                names.extend_from_slice(local);
                spans.push(start..names.len());
            }
            last_namespace = Some(namespace);
        }
        let mut names = String::from_utf8(names).map_err(|_| "an IRI is not UTF-8")?;
        if !spans.iter().all(|span| names.is_char_boundary(span.end)) {
            return Err("an IRI is cut within a character");
        }
        let iris = spans.len();
        for label in 0..blanks {
            let start = names.len();
            // Writing to a string cannot fail.
            let _ = write!(names, "b{label}");
            spans.push(start..names.len());
        }
        Ok(GraphReader {
            names,
            spans,
            iris,
            triples,
            body: rest,
        })
    }

    /// How many triples.
    pub fn len(&self) -> usize {
        self.triples
    }

    /// Whether there is no triple.
    pub fn is_empty(&self) -> bool {
        self.triples == 0
    }

    /// The triples, with inside IRIs, in the order of the encoding: those of one subject, and of one
    /// predicate therein, follow each other.
    pub fn iter(&self) -> impl Iterator<Item = TripleRef<'_>> {
        self.entries().map_while(|entry| self.triple(entry.ok()?))
    }

    /// The triples of a subject, a predicate and an object; none of them stands for any.
    pub fn matching<'a>(
        &'a self,
        subject: Option<NamedOrBlankNodeRef<'_>>,
        predicate: Option<NamedNodeRef<'_>>,
        object: Option<TermRef<'_>>,
    ) -> impl Iterator<Item = TripleRef<'a>> {
        // The outer option: whether there is a condition; the inner one: whether it can be met.
        let subject = subject.map(|subject| self.find(subject.into()));
        let predicate = predicate.map(|predicate| self.find(predicate.into()));
        let object_text = object.map(|object| object.into_owned());
        let possible = subject != Some(None) && predicate != Some(None);
        self.entries()
            .take_while(move |_| possible)
            .map_while(Result::ok)
            .filter(move |entry| {
                subject.is_none_or(|subject| subject == Some(entry.subject))
                    && predicate.is_none_or(|predicate| predicate == Some(entry.predicate))
            })
            .map_while(|entry| self.triple(entry))
            .filter(move |triple| {
                object_text
                    .as_ref()
                    .is_none_or(|object| triple.object == object.as_ref())
            })
    }

    /// One entry a triple, for the index. Literals are hashed where they lie.
    pub(crate) fn index_entries(&self) -> Vec<IndexEntry> {
        let strings = hash_iri(xsd::STRING.as_str());
        let mut entries = Vec::with_capacity(self.triples);
        let mut predicate = (usize::MAX, 0);
        for entry in self.entries().map_while(Result::ok) {
            if entry.predicate != predicate.0 {
                predicate = (entry.predicate, hash_iri(self.name(entry.predicate)));
            }
            let object_is_iri = matches!(entry.object, Object::Node(number) if number < self.iris);
            entries.push(IndexEntry {
                predicate: predicate.1,
                object: match entry.object {
                    Object::Plain(text) => hash_text(text, strings),
                    Object::Tagged(tag, text) => hash_text(text, language_kind(tag)),
                    Object::Typed(datatype, text) => hash_text(text, hash_iri(self.name(datatype))),
                    Object::Node(number) if object_is_iri => hash_object_iri(self.name(number)),
                    Object::Node(number) => hash_blank(self.name(number)),
                },
                object_is_iri,
            });
        }
        entries
    }

    /// Reads all, and checks what the encoder guarantees: numbers in range, UTF-8, ascending order,
    /// the count of triples, and nothing behind them.
    pub(crate) fn check(&self) -> Result<(), String> {
        let mut last = None;
        let mut triples = 0;
        for entry in self.entries() {
            let entry = entry.map_err(|fault| format!("triple {triples}: {fault}"))?;
            if last.is_some_and(|last| last >= entry) {
                return Err(format!("triple {triples} is not behind the one before"));
            }
            if self.triple(entry).is_none() {
                return Err(format!("triple {triples}: the literal is not UTF-8"));
            }
            last = Some(entry);
            triples += 1;
        }
        if triples != self.triples {
            return Err(format!("{triples} triples instead of {}", self.triples));
        }
        Ok(())
    }

    fn name(&self, number: usize) -> &str {
        &self.names[self.spans[number].clone()]
    }

    fn find(&self, node: TermRef<'_>) -> Option<usize> {
        let (range, name) = match node {
            TermRef::NamedNode(iri) => (0..self.iris, iri.as_str()),
            TermRef::BlankNode(label) => (self.iris..self.spans.len(), label.as_str()),
            TermRef::Literal(_) => return None,
        };
        range.into_iter().find(|&number| self.name(number) == name)
    }

    fn entries(&self) -> Entries<'g> {
        Entries {
            rest: self.body,
            iris: self.iris,
            nodes: self.spans.len(),
            next_subject: 0,
            subject: 0,
            predicates: 0,
            next_predicate: 0,
            predicate: 0,
            objects: 0,
        }
    }

    fn triple<'a>(&'a self, entry: Entry<'g>) -> Option<TripleRef<'a>> {
        let literal = |bytes| simdutf8::basic::from_utf8(bytes).ok();
        let object = match entry.object {
            Object::Plain(value) => {
                LiteralRef::new_typed_literal(literal(value)?, xsd::STRING).into()
            }
            Object::Tagged(tag, value) => {
                LiteralRef::new_language_tagged_literal_unchecked(literal(value)?, literal(tag)?)
                    .into()
            }
            Object::Typed(datatype, value) => LiteralRef::new_typed_literal(
                literal(value)?,
                NamedNodeRef::new_unchecked(self.name(datatype)),
            )
            .into(),
            Object::Node(number) => self.node(number).into(),
        };
        Some(TripleRef {
            subject: self.node(entry.subject),
            predicate: NamedNodeRef::new_unchecked(self.name(entry.predicate)),
            object,
        })
    }

    fn node(&self, number: usize) -> NamedOrBlankNodeRef<'_> {
        if number < self.iris {
            NamedNodeRef::new_unchecked(self.name(number)).into()
        } else {
            BlankNodeRef::new_unchecked(self.name(number)).into()
        }
    }
}

/// Walks the triples in numbers; all numbers that it gives are in range. Ends after an error.
struct Entries<'g> {
    rest: &'g [u8],
    iris: usize,
    nodes: usize,
    next_subject: usize,
    subject: usize,
    predicates: usize,
    next_predicate: usize,
    predicate: usize,
    objects: usize,
}

impl<'g> Iterator for Entries<'g> {
    type Item = Result<Entry<'g>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() && self.predicates == 0 && self.objects == 0 {
            return None;
        }
        let entry = self.entry();
        if entry.is_err() {
            (self.rest, self.predicates, self.objects) = (&[], 0, 0);
        }
        Some(entry)
    }
}

impl<'g> Entries<'g> {
    fn entry(&mut self) -> Result<Entry<'g>, Fault> {
        if self.objects == 0 {
            if self.predicates == 0 {
                self.subject = ascend(&mut self.rest, self.next_subject, self.nodes)?;
                self.next_subject = self.subject + 1;
                self.predicates = count(&mut self.rest)?;
                self.next_predicate = 0;
            }
            self.predicate = ascend(&mut self.rest, self.next_predicate, self.iris)?;
            self.next_predicate = self.predicate + 1;
            self.objects = count(&mut self.rest)?;
            self.predicates -= 1;
        }
        self.objects -= 1;
        Ok(Entry {
            subject: self.subject,
            predicate: self.predicate,
            object: self.object()?,
        })
    }

    fn object(&mut self) -> Result<Object<'g>, Fault> {
        let rest = &mut self.rest;
        Ok(match number(rest)? {
            PLAIN => Object::Plain(text(rest)?),
            TAGGED => Object::Tagged(text(rest)?, text(rest)?),
            TYPED => Object::Typed(ascend(rest, 0, self.iris)?, text(rest)?),
            code if code - NODE < self.nodes => Object::Node(code - NODE),
            _ => return Err("there is no node of this number"),
        })
    }
}

/// What is wrong with bytes.
pub(crate) type Fault = &'static str;

#[inline]
fn number(bytes: &mut &[u8]) -> Result<usize, Fault> {
    varint::read(bytes).ok_or("a number is cut off, too large, or longer than needed")
}

/// A number of things of which there is at least one.
#[inline]
fn count(bytes: &mut &[u8]) -> Result<usize, Fault> {
    match number(bytes)? {
        0 => Err("a group of nothing"),
        count => Ok(count),
    }
}

/// A number that is written as the gap to what it is from, and is below an end.
#[inline]
fn ascend(bytes: &mut &[u8], from: usize, end: usize) -> Result<usize, Fault> {
    match from.checked_add(number(bytes)?) {
        Some(number) if number < end => Ok(number),
        _ => Err("there is no node of this number"),
    }
}

#[inline]
fn text<'g>(bytes: &mut &'g [u8]) -> Result<&'g [u8], Fault> {
    let len = number(bytes)?;
    bytes.split_off(..len).ok_or("a text is cut off")
}
