//! The durable state of a repository: resources, their graphs, their versions, and the indexes.
//!
//! It knows no rule of LDP. A write is a [`Batch`], applied as a whole or not at all: appended to
//! the log, synced together with others (group commit), published to readers as a part of the
//! in-memory delta, and later applied to LMDB in the background. A read is of a [`Snapshot`]: an
//! LMDB read transaction and the delta that belongs to it, so it never waits for a writer and never
//! sees half of a batch.
//!
//! `FORMAT.md` beside the crates describes every byte on disk.

mod apply;
mod background;
mod backup;
mod base;
mod batch;
mod check;
mod checkpoint;
mod codec;
mod commit;
mod content;
mod delta;
mod engine;
mod error;
mod index;
mod lock;
mod log;
mod options;
mod place;
mod process;
mod rebuild;
mod resource;
mod run;
mod snapshot;
mod space;
mod state;
mod stats;
mod store;
mod walk;

pub use batch::{Batch, Op, Version};
pub use check::Report;
pub use commit::{Ticket, Write};
pub use content::ContentWriter;
pub use error::Error;
pub use options::{Durability, Faults, Options, Step};
pub use process::Process;
pub use rebuild::Compacted;
pub use resource::{Content, Model, Resource, ResourceRef, Rid, State, Time};
pub use snapshot::Snapshot;
pub use stats::Stats;
pub use store::Store;
pub use walk::{Children, Resources};

/// What calls of this crate return.
pub type Result<T> = std::result::Result<T, Error>;

/// The longest segment of a path, in bytes: it is a part of a key of LMDB, which holds 511.
pub const MAX_SEGMENT: usize = 500;
