//! Figures of a store.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::delta::Delta;
use crate::{Error, Result, Store};

/// What an open store counts from its opening on.
#[derive(Default)]
pub(crate) struct Counters {
    pub batches: AtomicU64,
    pub groups: AtomicU64,
    pub log_bytes: AtomicU64,
    pub log_syncs: AtomicU64,
    applied_records: AtomicU64,
    applied_graphs: AtomicU64,
    applied_entries: AtomicU64,
    apply_nanos: AtomicU64,
    applies: AtomicU64,
}

impl Counters {
    pub fn applied(&self, delta: &Delta, took: Duration) {
        let entries: usize = delta.runs.iter().map(|run| run.changes().len()).sum();
        self.applies.fetch_add(1, Relaxed);
        self.applied_records
            .fetch_add(delta.records.len() as u64, Relaxed);
        self.applied_graphs
            .fetch_add(delta.graphs.len() as u64, Relaxed);
        self.applied_entries.fetch_add(entries as u64, Relaxed);
        self.apply_nanos.fetch_add(took.as_nanos() as u64, Relaxed);
    }
}

/// Figures of a store; the counts of work are from its opening on.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Stats {
    /// The last batch that is acknowledged.
    pub lsn: u64,
    /// The last batch that is in LMDB.
    pub checkpoint: u64,
    /// Records, those of deleted resources too.
    pub records: u64,
    /// Entries of the index by predicate.
    pub predicate_entries: u64,
    /// Entries of the index by object.
    pub object_entries: u64,
    /// Bytes that LMDB takes on disk.
    pub index_bytes: u64,
    /// Bytes that the log takes on disk.
    pub log_file_bytes: u64,
    /// Bytes of binaries.
    pub content_bytes: u64,
    /// Binaries.
    pub contents: u64,
    /// Batches written to the log.
    pub batches: u64,
    /// Groups of batches that were written, and synced in the class `sync`, together.
    pub groups: u64,
    /// Bytes written to the log.
    pub log_bytes: u64,
    /// `fdatasync` calls for the log.
    pub log_syncs: u64,
    /// Transactions that brought batches to LMDB.
    pub applies: u64,
    /// Records that they wrote.
    pub applied_records: u64,
    /// Graphs that they wrote.
    pub applied_graphs: u64,
    /// Entries of indexes that they changed.
    pub applied_entries: u64,
    /// Nanoseconds that they took, their syncs included.
    pub apply_nanos: u64,
}

impl Store {
    /// The figures as of now. Reads the names of all binaries.
    pub fn stats(&self) -> Result<Stats> {
        self.check_process()?;
        let published = self.state().published();
        let _reading = self.state().reading();
        let index = self.state().index();
        let txn = index.env.read_txn().map_err(Error::index("read"))?;
        let len =
            |database: &crate::index::Database| database.len(&txn).map_err(Error::index("read"));
        let (contents, content_bytes) = disk_usage(self.contents().dir())?;
        let mut stats = Stats {
            lsn: published.lsn(),
            checkpoint: published.base.checkpoint,
            records: len(&index.records)?,
            predicate_entries: len(&index.predicates)?,
            object_entries: len(&index.objects)?,
            index_bytes: disk_usage(&index.dir)?.1,
            log_file_bytes: disk_usage(&self.path().join("log"))?.1,
            contents,
            content_bytes,
            ..Stats::default()
        };
        if let Some(engine) = self.engine() {
            let counters = &engine.counters;
            stats.batches = counters.batches.load(Relaxed);
            stats.groups = counters.groups.load(Relaxed);
            stats.log_bytes = counters.log_bytes.load(Relaxed);
            stats.log_syncs = counters.log_syncs.load(Relaxed);
            stats.applies = counters.applies.load(Relaxed);
            stats.applied_records = counters.applied_records.load(Relaxed);
            stats.applied_graphs = counters.applied_graphs.load(Relaxed);
            stats.applied_entries = counters.applied_entries.load(Relaxed);
            stats.apply_nanos = counters.apply_nanos.load(Relaxed);
        }
        Ok(stats)
    }
}

/// Files below a directory, and the bytes that they take.
fn disk_usage(dir: &Path) -> Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let entries = match fs::read_dir(dir) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok((0, 0)),
        entries => entries.map_err(Error::io("list", dir))?,
    };
    let (mut files, mut bytes) = (0, 0);
    for entry in entries {
        let entry = entry.map_err(Error::io("list", dir))?;
        match entry.metadata() {
            // Renamed or removed meanwhile.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(Error::io("look at", &entry.path())(e)),
            Ok(data) if data.is_dir() => {
                let (inner_files, inner_bytes) = disk_usage(&entry.path())?;
                files += inner_files;
                bytes += inner_bytes;
            }
            Ok(data) => {
                files += 1;
                bytes += data.blocks() * 512;
            }
        }
    }
    Ok((files, bytes))
}
