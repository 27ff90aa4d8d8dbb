//! The repository: one store, and the rules of LDP for what is written to it.

use crate::stand_in::{self, Store};
use crate::{Body, Conditions, Error, Outcome, Pending, View, WriteOptions};
use ldp_rdf::Graph;
use ldp_store::Time;
use std::path::Path;
use std::time::Duration;

/// What references between resources of the repository promise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum References {
    /// Nothing.
    #[default]
    Off,
    /// A body's references to what is not there are dropped; a deletion drops references to what it
    /// deletes.
    Lenient,
    /// A body with references to what is not there is refused; a deletion drops references to what
    /// it deletes.
    Strict,
}

/// How a repository is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// Of the store: durability, read-only and so on.
    pub store: stand_in::Options,
    /// Referential integrity.
    pub references: References,
    /// Whether bodies may speak of subjects beside the resource, its fragments and blank nodes.
    pub foreign_subjects: bool,
    /// Whether a change of a resource that is there needs `If-Match`.
    pub require_if_match: bool,
    /// How long a transaction lives after its last use.
    pub transaction_life: Duration,
    /// How many changes a transaction holds at most.
    pub transaction_changes: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            store: stand_in::Options::default(),
            references: References::Off,
            foreign_subjects: false,
            require_if_match: false,
            transaction_life: Duration::from_secs(180),
            transaction_changes: 10_000,
        }
    }
}

/// An open repository. Share it by `Arc`; all methods take `&self`.
///
/// A write is prepared (parsed, encoded, checked against itself) outside of the write lock,
/// checked against the present state within it, and durable when its [`Pending`] says so.
pub struct Repository {
    store: Store,
}

impl Repository {
    /// Opens the repository in the folder; makes the root where it is missing and may be made.
    pub fn open(_path: &Path, _options: Options) -> Result<Repository, Error> {
        todo!()
    }

    /// The store below: statistics, checks, backup, contents.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The present durable state.
    pub fn view(&self) -> Result<View, Error> {
        todo!()
    }

    /// The present state as an open transaction sees it; counts as a use of it.
    pub fn view_in(&self, _transaction: &str) -> Result<View, Error> {
        todo!()
    }

    /// Makes a resource in the container `parent`, named by `slug` if that is free, else by a UUID.
    pub fn create(
        &self,
        _parent: &str,
        _slug: Option<&str>,
        _body: Body<'_>,
        _options: &WriteOptions,
    ) -> Result<Pending<Outcome>, Error> {
        todo!()
    }

    /// Makes the resource at `uid`, with missing ancestors as basic containers, or replaces its
    /// state. For a binary that is there, `Body::Text` and `Body::Graph` are [`Error::Kind`].
    pub fn put(
        &self,
        _uid: &str,
        _body: Body<'_>,
        _options: &WriteOptions,
    ) -> Result<Pending<Outcome>, Error> {
        todo!()
    }

    /// Replaces the description of a binary; as `put` for other resources that are there.
    pub fn put_description(
        &self,
        _uid: &str,
        _body: Body<'_>,
        _options: &WriteOptions,
    ) -> Result<Pending<Outcome>, Error> {
        todo!()
    }

    /// Changes the triples that users wrote (a binary's: its description) by a function of them.
    /// It runs outside of the write lock, and again if another write came between.
    pub fn edit<E: From<Error>>(
        &self,
        _uid: &str,
        _options: &WriteOptions,
        _change: impl FnMut(&Graph) -> Result<Graph, E>,
    ) -> Result<Pending<Outcome>, E> {
        todo!()
    }

    /// Deletes a resource and all below it; a tombstone is left unless `tombstone` is false.
    pub fn delete(
        &self,
        _uid: &str,
        _tombstone: bool,
        _options: &WriteOptions,
    ) -> Result<Pending<()>, Error> {
        todo!()
    }

    /// Brings back what the tombstone at `uid` stands for.
    pub fn resurrect(
        &self,
        _uid: &str,
        _transaction: Option<&str>,
    ) -> Result<Pending<Outcome>, Error> {
        todo!()
    }

    /// Deletes the tombstone at `uid`, so that the paths below it are free again.
    pub fn forget(&self, _uid: &str, _transaction: Option<&str>) -> Result<Pending<()>, Error> {
        todo!()
    }

    /// Keeps the present state of a resource as a version; without a label, its time is the label
    /// (`20260131T235959.123456Z`). Gives the label and the time.
    pub fn create_version(
        &self,
        _uid: &str,
        _label: Option<&str>,
        _transaction: Option<&str>,
    ) -> Result<Pending<(String, Time)>, Error> {
        todo!()
    }

    /// Makes a version the present state; with `keep`, the state that it replaces becomes a version.
    pub fn revert_to_version(
        &self,
        _uid: &str,
        _label: &str,
        _keep: bool,
        _transaction: Option<&str>,
    ) -> Result<Pending<Outcome>, Error> {
        todo!()
    }

    /// Forgets a version.
    pub fn delete_version(
        &self,
        _uid: &str,
        _label: &str,
        _transaction: Option<&str>,
    ) -> Result<Pending<()>, Error> {
        todo!()
    }

    /// Begins a transaction: its identifier and when it ends unless used (microseconds since 1970).
    pub fn begin(&self) -> Result<(String, Time), Error> {
        todo!()
    }

    /// When an open transaction ends unless used; with `renew`, this is a use.
    pub fn transaction(&self, _id: &str, _renew: bool) -> Result<Time, Error> {
        todo!()
    }

    /// Applies all that a transaction holds, at once.
    pub fn commit(&self, _id: &str) -> Result<Pending<()>, Error> {
        todo!()
    }

    /// Drops all that a transaction holds.
    pub fn rollback(&self, _id: &str) -> Result<(), Error> {
        todo!()
    }

    /// Whether conditions on the resource at `uid` hold now; for reads, compare entity tags.
    pub fn check(&self, _uid: &str, _conditions: &Conditions) -> Result<(), Error> {
        todo!()
    }
}

/// A path that a resource can have, or [`Error::Path`]: it begins with a slash, has no empty, `.`,
/// `..` or `fcr:…` segments, no control characters, and at most 4,096 bytes; not at its end a slash
/// (but `/` itself).
pub fn check_uid(_uid: &str) -> Result<(), Error> {
    todo!()
}
