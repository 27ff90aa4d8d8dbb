//! The process that opened something. A fork copies what another process goes on using: its lock, its
//! threads, its place in the log and in the table of readers of LMDB. None of that is the copy's.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::{Error, Result, lock};

/// Forks between the first process that opened a store and this one.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// The process in which something was opened.
#[derive(Clone, Copy, Debug)]
pub struct Process {
    forks: u32,
    id: u32,
}

impl Process {
    /// The one that calls.
    pub fn current() -> Process {
        static HANDLERS: Once = Once::new();
        // SAFETY: the handlers are functions of this library, which is never unloaded. Asking the
        // system for the process at each use instead would cost more than many a read.
        HANDLERS.call_once(|| unsafe {
            libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child));
        });
        Process {
            forks: FORKS.load(Relaxed),
            id: std::process::id(),
        }
    }

    /// Whether it is the one that calls.
    pub fn is_current(self) -> bool {
        self.forks == FORKS.load(Relaxed)
    }

    /// [`Error::Forked`] in a process that was forked from it.
    pub fn check(self) -> Result<()> {
        match self.is_current() {
            true => Ok(()),
            false => Err(Error::Forked { pid: self.id }),
        }
    }

    /// Whether another process may have opened what this one sees as open.
    pub(crate) fn is_forked(self) -> bool {
        self.forks > 0
    }
}

extern "C" fn before() {
    lock::before_fork();
}

extern "C" fn in_parent() {
    lock::after_fork(false);
}

extern "C" fn in_child() {
    FORKS.fetch_add(1, Relaxed);
    lock::after_fork(true);
}
