//! What readers share: the current index and the published snapshot.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, Weak};
use std::time::{Duration, Instant};

use crate::base::Base;
use crate::delta::Delta;
use crate::index::Index;
use crate::{Error, Options, Result, Snapshot};

/// How long work that needs all older snapshots gone waits for them.
const DRAIN: Duration = Duration::from_secs(10);

pub(crate) struct State {
    pub options: Options,
    index: RwLock<Index>,
    /// What [`Store::snapshot`](crate::Store::snapshot) gives.
    published: RwLock<Snapshot>,
    /// All bases that somebody may still read.
    bases: Mutex<Vec<Weak<Base>>>,
    /// See [`State::reading`].
    reading: RwLock<()>,
}

impl State {
    pub fn open(dir: &Path, options: Options) -> Result<State> {
        let index = Index::open(&current(dir)?, &options)?;
        let base = Arc::new(Base::now(&index)?);
        let delta = Arc::new(Delta::at(base.checkpoint, base.next_rid));
        Ok(State {
            options,
            index: RwLock::new(index),
            bases: Mutex::new(vec![Arc::downgrade(&base)]),
            reading: RwLock::new(()),
            published: RwLock::new(Snapshot { base, delta }),
        })
    }

    pub fn index(&self) -> Index {
        self.index
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Puts another index in place, of the same state; snapshots read on in the one they have.
    pub fn replace(&self, index: Index) {
        *self.index.write().unwrap_or_else(PoisonError::into_inner) = index;
    }

    /// Opens the newest index, if a writer has put another one in place.
    pub fn follow(&self, dir: &Path) -> Result<()> {
        let newest = current(dir)?;
        if *self.index().dir != *newest {
            self.replace(Index::open(&newest, &self.options)?);
        }
        Ok(())
    }

    pub fn published(&self) -> Snapshot {
        self.published
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Changes what is published, in one step.
    pub fn publish(&self, change: impl FnOnce(&mut Snapshot)) {
        change(
            &mut self
                .published
                .write()
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    /// LMDB as it is now.
    pub fn new_base(&self) -> Result<Arc<Base>> {
        let base = Arc::new(Base::now(&self.index())?);
        let mut bases = self.bases.lock().unwrap_or_else(PoisonError::into_inner);
        bases.retain(|base| base.strong_count() > 0);
        bases.push(Arc::downgrade(&base));
        Ok(base)
    }

    /// Held by those who read LMDB by a transaction of their own, not that of a base.
    pub fn reading(&self) -> RwLockReadGuard<'_, ()> {
        self.reading.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works while no transaction of this process is open.
    ///
    /// Only the one who writes to LMDB may call it: the current snapshots read on behind it, from
    /// the same state. Older ones are waited for.
    pub fn alone(&self, work: impl FnOnce(&Index) -> Result<()>) -> Result<()> {
        let current = self.published().base;
        let patience = Instant::now() + DRAIN;
        let mut bases = self.bases.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            bases.retain(|base| base.strong_count() > 0);
            if bases
                .iter()
                .all(|base| base.as_ptr() == Arc::as_ptr(&current))
            {
                let reading = self.reading.write();
                let _nobody_reads = reading.unwrap_or_else(PoisonError::into_inner);
                return current.pause(work);
            }
            if Instant::now() > patience {
                return Err(Error::Busy);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The directory of the current index: that of the highest number, for each was complete before
/// it got its name.
pub(crate) fn current(dir: &Path) -> Result<PathBuf> {
    Ok(dir.join(generations(dir)?.last().unwrap_or(&1).to_string()))
}

/// The numbers of the indexes in a directory, ascending.
pub(crate) fn generations(dir: &Path) -> Result<Vec<u64>> {
    let mut found = Vec::new();
    match std::fs::read_dir(dir) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
        entries => {
            for entry in entries.map_err(Error::io("list", dir))? {
                let name = entry.map_err(Error::io("list", dir))?.file_name();
                found.extend(name.to_str().and_then(|name| name.parse::<u64>().ok()));
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}
