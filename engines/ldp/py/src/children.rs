//! The listing of a container in a graph: one `ldp:contains` triple a child, made when asked for.

use crate::pattern::Pattern;
use ldp_rdf::{NamedNodeRef, TripleRef};

const CONTAINS: NamedNodeRef<'_> = NamedNodeRef::new_unchecked("http://www.w3.org/ns/ldp#contains");

/// The children of one container.
#[derive(Default)]
pub struct Children {
    container: String,
    /// The IRIs of the children, one after the other.
    iris: String,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl Children {
    /// The container of this IRI, without a child yet.
    pub fn new(container: String) -> Self {
        Children {
            container,
            ..Children::default()
        }
    }

    /// Adds a child by its IRI.
    pub fn push(&mut self, iri: &str) {
        self.iris.push_str(iri);
        self.ends.push(self.iris.len());
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Calls `found` with each triple that matches.
    pub fn each<E>(
        &self,
        pattern: &Pattern,
        mut found: impl FnMut(TripleRef<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut start = 0;
        for &end in &self.ends {
            let triple = TripleRef {
                subject: NamedNodeRef::new_unchecked(&self.container).into(),
                predicate: CONTAINS,
                object: NamedNodeRef::new_unchecked(&self.iris[start..end]).into(),
            };
            if pattern.matches(triple) {
                found(triple)?;
            }
            start = end;
        }
        Ok(())
    }
}
