//! The durable state of a repository: resources, their graphs, their versions, and the indexes.
//!
//! It knows no rule of LDP. A write is a [`Batch`], applied as a whole or not at all: appended to
//! the log, synced together with others (group commit), published to readers as a part of the
//! in-memory delta, and later applied to LMDB in the background.

use ldp_rdf::Graph;

/// The number of a resource: from 0 (the root), below 2^48, never given twice.
pub type Rid = u64;
/// Microseconds since 1970 in UTC.
pub type Time = u64;

/// What a resource is to LDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// `ldp:RDFSource` that contains nothing.
    RdfSource,
    /// `ldp:BasicContainer`
    BasicContainer,
    /// `ldp:DirectContainer`
    DirectContainer,
    /// `ldp:IndirectContainer`
    IndirectContainer,
    /// `ldp:NonRDFSource`; its graph is its description.
    Binary,
}

/// Whether a resource is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// There.
    Live,
    /// Deleted; it left a tombstone of its own.
    Tombstone,
    /// Deleted together with the ancestor of this number, whose tombstone stands for it.
    Gone(Rid),
}

/// The record of a resource, all but its graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its number.
    pub rid: Rid,
    /// Its path: `/` is the root, else `/a/b`, without percent encoding and without a slash at the end.
    pub uid: String,
    /// The container that it is in; none for the root.
    pub parent: Option<Rid>,
    /// What it is.
    pub model: Model,
    /// Whether it is there.
    pub state: State,
    /// When it was made.
    pub created: Time,
    /// When it last changed, its containment included.
    pub modified: Time,
    /// Grows by 1 with each change of anything that a representation of it shows.
    pub revision: u64,
    /// The content of a binary.
    pub content: Option<Content>,
}

/// The content of a binary; the bytes lie in a file named by their hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// SHA-256 of the bytes.
    pub sha256: [u8; 32],
    /// How many bytes.
    pub size: u64,
    /// As the client named it.
    pub media_type: String,
    /// From Content-Disposition.
    pub filename: Option<String>,
}

/// One change of the state.
pub enum Op {
    /// The new record of a resource; with no graph, the stored one stays.
    Put(Resource, Option<Graph>),
    /// Forgets a resource: record, graph, versions.
    Forget(Rid),
    /// Keeps a version: the record and graph as they were, under a label.
    PutVersion(Rid, Version),
    /// Forgets one version.
    ForgetVersion(Rid, Time),
}

/// A version of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// When it was made: its key.
    pub at: Time,
    /// Its label, for `fcr:versions/LABEL`.
    pub label: String,
    /// The record then.
    pub resource: Resource,
    /// The graph then.
    pub graph: Graph,
}

/// Changes that happen together.
pub type Batch = Vec<Op>;

/// What an acknowledged write promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// On disk before the answer.
    Sync,
    /// On disk within this many milliseconds after the answer.
    Background(u32),
    /// On disk whenever the operating system likes; whole after a kill of the process.
    None,
}
