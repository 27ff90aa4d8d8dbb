//! One read transaction of LMDB, shared by all snapshots of its time.
//!
//! LMDB lets one thread at a time use a transaction, so each read holds a mutex for as long as it
//! takes to copy what it found: a microsecond or less. Scans copy a page of entries at a time.

use std::ops::Bound::{Excluded, Included, Unbounded};
use std::sync::{Mutex, MutexGuard, PoisonError};

use heed::{RoTxn, WithoutTls};
use ldp_rdf::Graph;

use crate::batch::Version;
use crate::codec::{self, Reader, front_u64, pair};
use crate::delta::Lsn;
use crate::index::{Database, Index, uid_key};
use crate::run::Side;
use crate::walk::{Page, RecordPage};
use crate::{Error, Process, Resource, ResourceRef, Result, Rid, Time};

type Txn = RoTxn<'static, WithoutTls>;

struct Reading {
    index: Index,
    txn: Txn,
}

impl Reading {
    fn begin(index: Index) -> Result<Reading> {
        let txn = index
            .env
            .clone()
            .static_read_txn()
            .map_err(Error::index("read"))?;
        Ok(Reading { index, txn })
    }
}

/// A state of LMDB.
pub(crate) struct Base {
    process: Process,
    /// An error only if the transaction could not be opened again after a pause.
    reading: Mutex<Result<Reading>>,
    /// The last batch that it holds.
    pub checkpoint: Lsn,
    /// The first number that was never given, at that time.
    pub next_rid: Rid,
}

impl Base {
    /// The state as of now.
    pub fn now(index: &Index) -> Result<Base> {
        let reading = Reading::begin(index.clone())?;
        let (checkpoint, next_rid) = index.checkpoint(&reading.txn)?;
        Ok(Base {
            process: Process::current(),
            reading: Mutex::new(Ok(reading)),
            checkpoint,
            next_rid,
        })
    }

    /// What there is to read where the store is not open: an error.
    pub fn foreign(process: Process) -> Base {
        Base {
            process,
            reading: Mutex::new(Err(Error::Busy)),
            checkpoint: 0,
            next_rid: 0,
        }
    }

    /// Works while this transaction is closed; readers wait. Nobody may write to LMDB meanwhile, so
    /// that the state is the same behind it.
    pub fn pause(&self, work: impl FnOnce(&Index) -> Result<()>) -> Result<()> {
        let mut reading = self.lock();
        let Reading { index, txn } = std::mem::replace(&mut *reading, Err(Error::Busy))?;
        drop(txn);
        let done = work(&index);
        *reading = Reading::begin(index);
        done
    }

    fn lock(&self) -> MutexGuard<'_, Result<Reading>> {
        // A panic elsewhere leaves a read transaction as good as it was.
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(&self, work: impl FnOnce(&Index, &Txn) -> Result<T>) -> Result<T> {
        self.process.check()?;
        match &*self.lock() {
            Ok(Reading { index, txn }) => work(index, txn),
            Err(error) => Err(error.clone()),
        }
    }

    fn get<T>(
        &self,
        database: impl FnOnce(&Index) -> &Database,
        key: &[u8],
        decode: impl FnOnce(&[u8]) -> codec::Result<T>,
    ) -> Result<Option<T>> {
        self.read(|index, txn| {
            match database(index)
                .get(txn, key)
                .map_err(Error::index("read"))?
            {
                None => Ok(None),
                Some(bytes) => decode(bytes).map(Some).map_err(Error::damaged(Place(key))),
            }
        })
    }

    pub fn record(&self, rid: Rid) -> Result<Option<Resource>> {
        self.get(
            |index| &index.records,
            &rid.to_be_bytes(),
            |bytes| Resource::decode(rid, &mut Reader::new(bytes)),
        )
    }

    pub fn rid_of(&self, uid: &str) -> Result<Option<Rid>> {
        for rid in self.numbers(|index| &index.uids, &uid_key(uid), usize::MAX)? {
            let same = |bytes: &[u8]| Ok(ResourceRef::decode(rid, bytes)?.uid == uid);
            if self.get(|index| &index.records, &rid.to_be_bytes(), same)? == Some(true) {
                return Ok(Some(rid));
            }
        }
        Ok(None)
    }

    pub fn graph(&self, rid: Rid) -> Result<Option<Graph>> {
        self.get(|index| &index.graphs, &rid.to_be_bytes(), Graph::from_bytes)
    }

    pub fn child(&self, parent: Rid, segment: &str) -> Result<Option<Rid>> {
        self.get(|index| &index.children, &child_key(parent, segment), number)
    }

    pub fn count(&self, parent: Rid) -> Result<u64> {
        Ok(self
            .get(|index| &index.counts, &parent.to_be_bytes(), number)?
            .unwrap_or(0))
    }

    pub fn version(&self, rid: Rid, at: Time) -> Result<Option<Version>> {
        self.get(
            |index| &index.versions,
            &pair(rid, at),
            |bytes| Version::decode(at, &mut Reader::new(bytes)),
        )
    }

    /// The versions of a resource in the order of time: time and label.
    pub fn versions(&self, rid: Rid) -> Result<Vec<(Time, String)>> {
        self.read(|index, txn| {
            let mut out = Vec::new();
            for item in index
                .versions
                .prefix_iter(txn, &rid.to_be_bytes()[..])
                .map_err(Error::index("read"))?
            {
                let (key, value) = item.map_err(Error::index("read"))?;
                let at = front_u64(key.get(8..).unwrap_or_default());
                let label = Reader::new(value).text().map(str::to_owned);
                let at = at.ok_or_else(|| "a short key".to_owned());
                out.push(
                    at.and_then(|at| Ok((at, label?)))
                        .map_err(Error::damaged(Place(key)))?,
                );
            }
            Ok(out)
        })
    }

    pub fn meta(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.get(
            |index| &index.meta,
            meta_key(name).as_bytes(),
            |bytes| Ok(bytes.to_owned()),
        )
    }

    /// All values of callers.
    pub fn all_meta(&self) -> Result<Vec<(String, Vec<u8>)>> {
        self.read(|index, txn| {
            let mut out = Vec::new();
            let items = index.meta.prefix_iter(txn, meta_key("").as_bytes());
            for item in items.map_err(Error::index("read"))? {
                let (key, value) = item.map_err(Error::index("read"))?;
                let name = String::from_utf8_lossy(key.get(1..).unwrap_or_default());
                out.push((name.into_owned(), value.to_owned()));
            }
            Ok(out)
        })
    }

    /// The numbers under a key, ascending, at most so many.
    fn numbers(
        &self,
        database: impl FnOnce(&Index) -> &Database,
        key: &[u8],
        most: usize,
    ) -> Result<Vec<u64>> {
        self.read(|index, txn| {
            let mut out = Vec::new();
            let found = database(index)
                .get_duplicates(txn, key)
                .map_err(Error::index("read"))?;
            for item in found.into_iter().flatten().take(most) {
                let (_, value) = item.map_err(Error::index("read"))?;
                out.push(number(value).map_err(Error::damaged(Place(key)))?);
            }
            Ok(out)
        })
    }

    pub fn entries(&self, side: Side, key: u64, most: usize) -> Result<Vec<u64>> {
        self.numbers(|index| index.side(side), &key.to_be_bytes(), most)
    }

    pub fn gone(&self, top: Rid) -> Result<Vec<Rid>> {
        self.numbers(|index| &index.gone, &top.to_be_bytes(), usize::MAX)
    }

    /// Up to `limit` children behind `after`; true when they were the last.
    pub fn children(
        &self,
        parent: Rid,
        after: Option<&str>,
        limit: usize,
        page: &mut Page,
    ) -> Result<bool> {
        self.read(|index, txn| {
            let low = child_key(parent, after.unwrap_or(""));
            let high = parent.saturating_add(1).to_be_bytes();
            let low = if after.is_some() {
                Excluded(&low[..])
            } else {
                Included(&low[..])
            };
            let range = (low, Excluded(&high[..]));
            let mut items = index
                .children
                .range(txn, &range)
                .map_err(Error::index("read"))?;
            for _ in 0..limit {
                let Some(item) = items.next() else {
                    return Ok(true);
                };
                let (key, value) = item.map_err(Error::index("read"))?;
                let segment = std::str::from_utf8(key.get(8..).unwrap_or_default());
                let segment = segment.map_err(|_| "a segment that is not UTF-8".to_owned());
                segment
                    .and_then(|segment| {
                        page.push(segment, number(value)?);
                        Ok(())
                    })
                    .map_err(Error::damaged(Place(key)))?;
            }
            Ok(false)
        })
    }

    /// Up to `limit` records from a number on; true when they were the last.
    pub fn records(&self, from: Rid, limit: usize, page: &mut RecordPage) -> Result<bool> {
        self.read(|index, txn| {
            let range = (Included(&from.to_be_bytes()[..]), Unbounded);
            let mut items = index
                .records
                .range(txn, &range)
                .map_err(Error::index("read"))?;
            for _ in 0..limit {
                let Some(item) = items.next() else {
                    return Ok(true);
                };
                let (key, value) = item.map_err(Error::index("read"))?;
                page.push(number(key).map_err(Error::damaged(Place(key)))?, value);
            }
            Ok(false)
        })
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        if !self.process.is_current() {
            // To end the transaction would free its place in the table of readers, where the
            // process that began it still reads. Nor does LMDB let a forked process close it.
            let reading = self
                .reading
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(std::mem::replace(reading, Err(Error::Busy)));
        }
    }
}

/// A key, as errors name it.
struct Place<'a>(&'a [u8]);

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "the index at the key {}", self.0.escape_ascii())
    }
}

fn number(bytes: &[u8]) -> codec::Result<u64> {
    bytes
        .try_into()
        .map(u64::from_be_bytes)
        .map_err(|_| format!("{} bytes, expected 8", bytes.len()))
}

pub(crate) fn child_key(parent: Rid, segment: &str) -> Vec<u8> {
    [&parent.to_be_bytes(), segment.as_bytes()].concat()
}

/// Names of callers stand apart from those of the store.
pub(crate) fn meta_key(name: &str) -> String {
    format!(".{name}")
}
