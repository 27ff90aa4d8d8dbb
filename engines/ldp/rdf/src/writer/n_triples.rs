//! N-Triples: a line a triple.

use super::text::{Outside, write_literal};
use oxrdf::{NamedOrBlankNodeRef, TermRef, TripleRef};
use std::io::{self, Write};

pub(super) fn triple(
    out: &mut impl Write,
    outside: &Outside,
    triple: TripleRef<'_>,
) -> io::Result<()> {
    match triple.subject {
        NamedOrBlankNodeRef::NamedNode(iri) => outside.write_iri(out, iri)?,
        NamedOrBlankNodeRef::BlankNode(node) => write!(out, "{node}")?,
    }
    out.write_all(b" ")?;
    outside.write_iri(out, triple.predicate)?;
    out.write_all(b" ")?;
    match triple.object {
        TermRef::NamedNode(iri) => outside.write_iri(out, iri)?,
        TermRef::BlankNode(node) => write!(out, "{node}")?,
        TermRef::Literal(literal) => {
            write_literal(out, literal, |out, iri| outside.write_iri(out, iri))?;
        }
    }
    out.write_all(b" .\n")
}
