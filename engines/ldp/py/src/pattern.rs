//! What triples to match.

use crate::term;
use ldp_rdf::{
    NamedNode, NamedNodeRef, NamedOrBlankNode, NamedOrBlankNodeRef, Term, TermRef, TripleRef,
};
use pyo3::prelude::*;

/// A subject, a predicate and an object; none matches everything.
#[derive(Default)]
pub struct Pattern {
    subject: Option<NamedOrBlankNode>,
    predicate: Option<NamedNode>,
    object: Option<Term>,
}

impl Pattern {
    /// From terms of Python.
    pub fn new(
        subject: Option<&Bound<'_, PyAny>>,
        predicate: Option<&Bound<'_, PyAny>>,
        object: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Pattern {
            subject: subject.map(term::subject).transpose()?,
            predicate: predicate.map(term::predicate).transpose()?,
            object: object.map(term::term).transpose()?,
        })
    }

    /// From a sequence of three terms, of which any may be None.
    pub fn of(triple: &Bound<'_, PyAny>) -> PyResult<Self> {
        let [subject, predicate, object]: [Option<Bound<'_, PyAny>>; 3] = triple.extract()?;
        Pattern::new(subject.as_ref(), predicate.as_ref(), object.as_ref())
    }

    /// The subject to match.
    pub fn subject(&self) -> Option<NamedOrBlankNodeRef<'_>> {
        self.subject.as_ref().map(NamedOrBlankNode::as_ref)
    }

    /// The predicate to match.
    pub fn predicate(&self) -> Option<NamedNodeRef<'_>> {
        self.predicate.as_ref().map(NamedNode::as_ref)
    }

    /// The object to match.
    pub fn object(&self) -> Option<TermRef<'_>> {
        self.object.as_ref().map(Term::as_ref)
    }

    /// Whether the triple matches.
    pub fn matches(&self, triple: TripleRef<'_>) -> bool {
        self.subject()
            .is_none_or(|subject| subject == triple.subject)
            && self
                .predicate()
                .is_none_or(|predicate| predicate == triple.predicate)
            && self.object().is_none_or(|object| object == triple.object)
    }
}
