//! JSON-LD in expanded form, as the triples come: an array of node objects.

use super::text::Outside;
use super::{Last, Shared};
use oxrdf::{NamedOrBlankNodeRef, TermRef, TripleRef, vocab::rdf, vocab::xsd};
use std::collections::HashSet;
use std::io::{self, Write};

#[derive(Default)]
pub(super) struct JsonLd {
    last: Last,
    /// Whether the open array is that of `@type`: its members are strings.
    types: bool,
    /// The keys of the open node object: JSON has each only once.
    keys: HashSet<String>,
}

const TYPE_KEY: &str = "@type";

impl JsonLd {
    pub(super) fn triple(
        &mut self,
        out: &mut impl Write,
        outside: &Outside,
        triple: TripleRef<'_>,
    ) -> io::Result<()> {
        let types = triple.predicate == rdf::TYPE && !matches!(triple.object, TermRef::Literal(_));
        let shared = match self.last.next(triple) {
            // Types that are literals, if ever there are any, go under the IRI of the property.
            Shared::SubjectAndPredicate if types != self.types => Shared::Subject,
            shared => shared,
        };
        let key = match types {
            true => TYPE_KEY.into(),
            false => outside.iri(triple.predicate),
        };
        match shared {
            Shared::SubjectAndPredicate => out.write_all(b",")?,
            // A key that was there before begins another object of the same node.
            Shared::Subject if self.keys.insert(key.clone().into_owned()) => {
                out.write_all(b"],")?;
            }
            _ => {
                out.write_all(match shared {
                    Shared::Nothing => b"[",
                    _ => b"]},\n",
                })?;
                self.keys.clear();
                self.keys.insert(key.clone().into_owned());
                out.write_all(b"{\"@id\":")?;
                match triple.subject {
                    NamedOrBlankNodeRef::NamedNode(iri) => string(out, &outside.iri(iri))?,
                    NamedOrBlankNodeRef::BlankNode(node) => write!(out, "\"{node}\"")?,
                }
                out.write_all(b",")?;
            }
        }
        if !matches!(shared, Shared::SubjectAndPredicate) {
            string(out, &key)?;
            out.write_all(b":[")?;
            self.types = types;
        }
        self.object(out, outside, triple.object)
    }

    fn object(
        &self,
        out: &mut impl Write,
        outside: &Outside,
        object: TermRef<'_>,
    ) -> io::Result<()> {
        let id = match object {
            TermRef::NamedNode(iri) => outside.iri(iri),
            TermRef::BlankNode(node) => node.to_string().into(),
            TermRef::Literal(literal) => {
                out.write_all(b"{\"@value\":")?;
                string(out, literal.value())?;
                if let Some(language) = literal.language() {
                    write!(out, ",\"@language\":\"{language}\"")?;
                } else if literal.datatype() != xsd::STRING {
                    out.write_all(b",\"@type\":")?;
                    string(out, &outside.iri(literal.datatype()))?;
                }
                return out.write_all(b"}");
            }
        };
        if self.types {
            return string(out, &id);
        }
        out.write_all(b"{\"@id\":")?;
        string(out, &id)?;
        out.write_all(b"}")
    }

    pub(super) fn finish(self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(match self.last.subject {
            None => b"[]\n".as_slice(),
            Some(_) => b"]}]\n",
        })
    }
}

/// Writes a string of JSON.
fn string(out: &mut impl Write, text: &str) -> io::Result<()> {
    let special = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\\');
    out.write_all(b"\"")?;
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(special) {
        out.write_all(&rest[..at])?;
        match rest[at] {
            b'"' => out.write_all(b"\\\"")?,
            b'\\' => out.write_all(b"\\\\")?,
            b'\n' => out.write_all(b"\\n")?,
            other => write!(out, "\\u{other:04x}")?,
        }
        rest = &rest[at + 1..];
    }
    out.write_all(rest)?;
    out.write_all(b"\"")
}
