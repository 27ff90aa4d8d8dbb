//! Turtle: prefixes, and each subject and predicate once for the triples that follow each other.

use super::text::{Outside, write_literal};
use super::{Last, Shared};
use crate::layout::cut;
use crate::root::strip_inside;
use oxrdf::{NamedNodeRef, NamedOrBlankNodeRef, TermRef, TripleRef, vocab::rdf};
use std::io::{self, Write};

pub(super) struct Turtle {
    /// Name and namespace.
    prefixes: Vec<(String, String)>,
    last: Last,
}

impl Turtle {
    pub(super) fn new(prefixes: &[(&str, &str)]) -> Turtle {
        Turtle {
            prefixes: prefixes
                .iter()
                .map(|&(name, namespace)| (name.to_owned(), namespace.to_owned()))
                .collect(),
            last: Last::default(),
        }
    }

    pub(super) fn triple(
        &mut self,
        out: &mut impl Write,
        outside: &Outside,
        triple: TripleRef<'_>,
    ) -> io::Result<()> {
        let shared = self.last.next(triple);
        match shared {
            Shared::Nothing => self.head(out)?,
            Shared::Document => out.write_all(b" .\n\n")?,
            Shared::Subject => out.write_all(b" ;\n    ")?,
            Shared::SubjectAndPredicate => out.write_all(b" ,\n        ")?,
        }
        if matches!(shared, Shared::Nothing | Shared::Document) {
            match triple.subject {
                NamedOrBlankNodeRef::NamedNode(iri) => self.iri(out, outside, iri)?,
                NamedOrBlankNodeRef::BlankNode(node) => write!(out, "{node}")?,
            }
            out.write_all(b" ")?;
        }
        if !matches!(shared, Shared::SubjectAndPredicate) {
            if triple.predicate == rdf::TYPE {
                out.write_all(b"a")?;
            } else {
                self.iri(out, outside, triple.predicate)?;
            }
            out.write_all(b" ")?;
        }
        match triple.object {
            TermRef::NamedNode(iri) => self.iri(out, outside, iri),
            TermRef::BlankNode(node) => write!(out, "{node}"),
            TermRef::Literal(literal) => {
                write_literal(out, literal, |out, iri| self.iri(out, outside, iri))
            }
        }
    }

    pub(super) fn finish(self, out: &mut impl Write) -> io::Result<()> {
        match self.last.subject {
            None => self.head(out),
            Some(_) => out.write_all(b" .\n"),
        }
    }

    fn head(&self, out: &mut impl Write) -> io::Result<()> {
        for (name, namespace) in &self.prefixes {
            writeln!(out, "@prefix {name}: <{namespace}> .")?;
        }
        if !self.prefixes.is_empty() {
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    fn iri(
        &self,
        out: &mut impl Write,
        outside: &Outside,
        iri: NamedNodeRef<'_>,
    ) -> io::Result<()> {
        // Names inside have no prefix: namespaces are outside ones.
        if let Some(rest) = strip_inside(iri.as_str()) {
            return outside.write_inside(out, iri, rest);
        }
        let (namespace, local) = cut(iri.as_str());
        let prefix = self.prefixes.iter().find(|(_, other)| other == namespace);
        match prefix {
            Some((name, _)) if is_plain(local) => {
                out.write_all(name.as_bytes())?;
                out.write_all(b":")?;
                out.write_all(local.as_bytes())
            }
            _ => outside.write_iri(out, iri),
        }
    }
}

/// Whether a local name needs no escape.
fn is_plain(local: &str) -> bool {
    !local.starts_with('-')
        && local
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
