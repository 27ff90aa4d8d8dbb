//! The listing of a container in a graph: one `ldp:contains` triple a child, made when asked for.

use crate::pattern::Pattern;
use ldp_rdf::{NamedNodeRef, TripleRef, iri_of};
use ldp_repository::vocabulary::ldp;
use ldp_repository::{ChildIris, Error, View};
use ldp_store::Resource;

/// The children of one container, by name.
#[derive(Default)]
pub struct Children {
    /// The path of the container.
    uid: String,
    /// The names, one after the other.
    names: String,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl Children {
    /// Those of a container.
    pub fn read(view: &View, container: &Resource) -> Result<Self, Error> {
        let mut listed = Children {
            uid: container.uid.clone(),
            ..Children::default()
        };
        let mut children = view.children(container.rid, None);
        while let Some(child) = children.next_ref() {
            let (name, _) = child?;
            listed.names.push_str(name);
            listed.ends.push(listed.names.len());
        }
        Ok(listed)
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
        let container = iri_of(&self.uid);
        let mut iris = ChildIris::new(&self.uid);
        let mut start = 0;
        for &end in &self.ends {
            let triple = TripleRef::new(
                NamedNodeRef::new_unchecked(&container),
                NamedNodeRef::new_unchecked(ldp::CONTAINS),
                iris.of(&self.names[start..end]),
            );
            if pattern.matches(triple) {
                found(triple)?;
            }
            start = end;
        }
        Ok(())
    }
}
