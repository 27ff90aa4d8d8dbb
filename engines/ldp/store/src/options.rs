//! How a store is opened.

use std::time::Duration;

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

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// What an acknowledged write promises.
    pub durability: Durability,
    /// Makes the store if there is none.
    pub create: bool,
    /// Opens beside a writer, in another process perhaps; see [`Store::refresh`](crate::Store::refresh).
    pub read_only: bool,
    /// How long a write waits for the background work, when that is behind, before it is refused.
    pub patience: Duration,
    /// Accepts a log that is damaged before its end: keeps what stands before the damage.
    pub cut_damaged_log: bool,
    /// Brings batches to LMDB in the background, and clears the log when the store is closed. Without
    /// it the log grows, and a closed store is as after a crash: what measures recovery needs.
    pub apply: bool,
    /// Refuses steps of the log, for tests.
    pub faults: Option<std::sync::Arc<dyn Faults>>,
    /// Address space for LMDB in bytes, no memory; it grows when the data does.
    pub map_size: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            durability: Durability::Sync,
            create: true,
            read_only: false,
            patience: Duration::from_secs(10),
            cut_damaged_log: false,
            apply: true,
            faults: None,
            map_size: 1 << 40,
        }
    }
}

/// A step of the log that the operating system may refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Making a segment.
    Allocate,
    /// Writing records.
    Write,
    /// Bringing them to disk.
    Sync,
}

/// Refuses steps in place of the operating system: what tests of failures need.
pub trait Faults: std::fmt::Debug + Send + Sync {
    /// Called before each step; its error stands for that of the system.
    fn before(&self, step: Step) -> std::io::Result<()>;
}
