//! The repository at one moment, for reading.

use crate::stand_in::Snapshot;
use crate::{Error, Preferences};
use ldp_rdf::{Format, Graph, Triple};
use ldp_store::{Resource, Rid, Version};
use std::sync::Arc;

/// The repository at one moment. Cheap to make and to clone; what is written later does not show.
#[derive(Clone)]
pub struct View {
    snapshot: Snapshot,
}

/// What is at a path.
#[derive(Clone, Debug)]
pub enum Found {
    /// A resource.
    Live(Arc<Resource>),
    /// A deleted one.
    Dead {
        /// Its record as it was when it was deleted.
        resource: Arc<Resource>,
        /// The path of the tombstone that stands for it: its own or an ancestor's.
        tombstone: String,
    },
    /// Nothing, and nothing was.
    Missing,
}

/// Which representation of a resource an entity tag names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// Its triples (a binary's: its description) in a syntax.
    Rdf(Format, Preferences),
    /// Its triples as HTML.
    Html,
    /// The bytes of a binary.
    Content,
}

impl View {
    /// The state that this looks at.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// What is at a path.
    pub fn find(&self, _uid: &str) -> Result<Found, Error> {
        todo!()
    }

    /// The live resource at a path; [`Error::NotFound`], [`Error::Gone`] or [`Error::Path`].
    pub fn get(&self, _uid: &str) -> Result<Arc<Resource>, Error> {
        todo!()
    }

    /// The triples that users wrote; empty if there are none.
    pub fn graph(&self, _rid: Rid) -> Result<Graph, Error> {
        todo!()
    }

    /// The children of a container in the order of their last path segments (bytes), from the first
    /// after `after` on: (segment, number). Nothing is read ahead.
    pub fn children(
        &self,
        _rid: Rid,
        _after: Option<&str>,
    ) -> Result<impl Iterator<Item = Result<(String, Rid), Error>> + use<>, Error> {
        Ok(std::iter::empty())
    }

    /// How many children a container has.
    pub fn children_count(&self, _rid: Rid) -> Result<u64, Error> {
        todo!()
    }

    /// Gives each triple of a resource to `each`, with inside IRIs: what the server says, what users
    /// wrote, membership, inbound references, embedded children, and containment last. An error of
    /// `each` ends it.
    pub fn describe<E: From<Error>>(
        &self,
        _resource: &Resource,
        _preferences: &Preferences,
        _each: &mut dyn FnMut(ldp_rdf_triple_ref::TripleRef<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        todo!()
    }

    /// The same without containment and what users wrote, as owned triples: few.
    pub fn server_triples(
        &self,
        _resource: &Resource,
        _preferences: &Preferences,
    ) -> Result<Vec<Triple>, Error> {
        todo!()
    }

    /// The entity tag of a representation, with its quotes. It is strong: equal tags mean equal
    /// triples (in any order), and it changes exactly when they do.
    pub fn etag(&self, _resource: &Resource, _of: Representation) -> Result<String, Error> {
        todo!()
    }

    /// The versions of a resource without their graphs, oldest first.
    pub fn versions(&self, _rid: Rid) -> Result<Vec<VersionInfo>, Error> {
        todo!()
    }

    /// The version of a label; [`Error::NoVersion`].
    pub fn version(&self, _resource: &Resource, _label: &str) -> Result<Version, Error> {
        todo!()
    }

    /// The version that was current at a time (microseconds): the last one made at or before it, or
    /// the first if all are later, as Memento asks; [`Error::NoVersion`] if there is none.
    pub fn version_at(&self, _resource: &Resource, _time: u64) -> Result<Version, Error> {
        todo!()
    }
}

/// A version without its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionInfo {
    /// When it was made.
    pub at: u64,
    /// Its label.
    pub label: String,
}

/// Until `ldp_rdf` gives it.
pub mod ldp_rdf_triple_ref {
    /// A borrowed triple: `ldp_rdf::TripleRef`.
    pub struct TripleRef<'a>(&'a ());
}
