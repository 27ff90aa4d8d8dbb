//! How a repository is opened.

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
    pub store: ldp_store::Options,
    /// Referential integrity.
    pub references: References,
    /// Whether bodies may speak of subjects beside the resource, its fragments and blank nodes.
    pub foreign_subjects: bool,
    /// Whether a change of a resource that is there needs `If-Match`; a deletion does not.
    pub require_if_match: bool,
    /// How long a transaction lives after its last use.
    pub transaction_life: Duration,
    /// How much a transaction holds at most, in bytes of graphs and records. All that are open hold
    /// at most four times as much.
    pub transaction_bytes: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            store: ldp_store::Options::default(),
            references: References::Off,
            foreign_subjects: false,
            require_if_match: false,
            transaction_life: Duration::from_secs(180),
            transaction_bytes: 128 << 20,
        }
    }
}
