//! An open store.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::base::Base;
use crate::checkpoint;
use crate::content::Contents;
use crate::delta::Delta;
use crate::index::Index;
use crate::{Error, Op, Options, Result, Snapshot};

/// An open store. Cheap to clone; the last one that is dropped closes it.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    index: Index,
    contents: Contents,
    read_only: bool,
    head: Mutex<Snapshot>,
    published: RwLock<Snapshot>,
}

/// The right to write: one at a time. It sees all accepted writes, those not yet synced too.
pub struct Write<'a> {
    store: &'a Inner,
    head: MutexGuard<'a, Snapshot>,
}

/// An accepted write that may not be durable yet.
#[must_use = "a write is acknowledged when its ticket says so"]
pub struct Ticket(Result<u64>);

impl Store {
    /// Opens the store in a directory.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Store> {
        let path = path.as_ref();
        if !options.create && !path.join("index").exists() {
            return Err(Error::Missing(path.to_owned()));
        }
        let index = Index::open(&path.join("index"), &options)?;
        let base = Arc::new(Base::now(&index)?);
        let delta = Arc::new(Delta::at(base.checkpoint, base.next_rid));
        let head = Snapshot { base, delta };
        let contents = Contents::open(path.join("bin"), options.durability, options.read_only)?;
        Ok(Store(Arc::new(Inner {
            index,
            contents,
            read_only: options.read_only,
            published: RwLock::new(head.clone()),
            head: Mutex::new(head),
        })))
    }

    /// The state of all acknowledged writes.
    pub fn snapshot(&self) -> Snapshot {
        self.0
            .published
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn contents(&self) -> &Contents {
        &self.0.contents
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.0.read_only
    }

    /// Waits for the right to write. Nothing else waits for the one who has it.
    pub fn write(&self) -> Result<Write<'_>> {
        if self.0.read_only {
            return Err(Error::ReadOnly);
        }
        let head = self.0.head.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Write {
            store: &self.0,
            head,
        })
    }
}

impl Write<'_> {
    /// The state of all accepted writes: what checks go by.
    pub fn head(&self) -> Snapshot {
        self.head.clone()
    }

    /// Accepts a batch, as a whole or not at all, and gives the right to write back.
    pub fn commit(mut self, batch: &[Op]) -> Result<Ticket> {
        let next = self.head.applied(batch)?;
        checkpoint::write(&self.store.index, &next.delta)?;
        let base = Arc::new(Base::now(&self.store.index)?);
        let delta = Arc::new(Delta::at(base.checkpoint, base.next_rid));
        *self.head = Snapshot { base, delta };
        *self
            .store
            .published
            .write()
            .unwrap_or_else(PoisonError::into_inner) = self.head.clone();
        Ok(Ticket(Ok(self.head.lsn())))
    }
}

impl Ticket {
    /// Waits until the write is as durable as the store was told, and seen by new snapshots.
    pub fn wait(self) -> Result<()> {
        self.0.map(|_| ())
    }

    /// Calls back, instead of waiting, from any thread.
    pub fn on_done(self, done: impl FnOnce(Result<()>) + Send + 'static) {
        done(self.0.map(|_| ()))
    }
}
