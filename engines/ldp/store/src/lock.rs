//! The lock of a store: the file `lock` in its directory, with the id of the process that has it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{Read, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::content::sync_dir;
use crate::{Error, Result};

type Files = BTreeMap<u64, File>;

/// The files of all locks of this process. A forked process closes its copies at once: the lock
/// would stay with them after the end of the process that took it.
static HELD: Mutex<Files> = Mutex::new(BTreeMap::new());

thread_local! {
    /// Keeps [`HELD`] as it is while this thread forks.
    static FORKING: Cell<Option<MutexGuard<'static, Files>>> = const { Cell::new(None) };
}

/// Held until it is dropped, by the process that took it.
pub(crate) struct Lock(u64);

impl Lock {
    /// Takes the lock of the store in `dir`, and makes the directory if it is missing.
    ///
    /// [`Error::Locked`] when another process or another part of this one has it.
    pub fn take(dir: &Path) -> Result<Lock> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let path = dir.join("lock");
        if !dir.exists() {
            std::fs::create_dir_all(dir).map_err(Error::io("make", dir))?;
            sync_dir(&dir.join(".."))?;
        }
        let mut held = held();
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                _ = file.read_to_string(&mut text);
                return Err(Error::Locked {
                    path,
                    pid: text.trim().parse().ok(),
                });
            }
            Err(TryLockError::Error(e)) => return Err(Error::io("lock", &path)(e)),
        }
        file.set_len(0).map_err(Error::io("write", &path))?;
        writeln!(file, "{}", std::process::id()).map_err(Error::io("write", &path))?;
        let id = NEXT.fetch_add(1, Relaxed);
        held.insert(id, file);
        Ok(Lock(id))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // None in a forked process.
        if let Some(file) = held().remove(&self.0) {
            // A process that another thread is starting has a copy of the file until it runs its
            // program. Closing ours alone would leave the lock to that copy.
            _ = file.unlock();
        }
    }
}

fn held() -> MutexGuard<'static, Files> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until no lock is half taken, and keeps it so until [`after_fork`].
pub(crate) fn before_fork() {
    FORKING.set(Some(held()));
}

/// In the forked process: closes the copies of the files, which leaves the locks to the other.
pub(crate) fn after_fork(in_child: bool) {
    if let Some(mut held) = FORKING.take()
        && in_child
    {
        held.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_file_does_not_keep_the_lock() {
        let dir = std::env::temp_dir().join(format!("ldp-store-copy-{}", std::process::id()));
        let lock = Lock::take(&dir).unwrap();
        let copy = held()[&lock.0].try_clone().unwrap();
        assert!(matches!(Lock::take(&dir), Err(Error::Locked { .. })));
        drop(lock);
        let again = Lock::take(&dir);
        std::fs::remove_dir_all(&dir).unwrap();
        assert!(again.is_ok());
        drop(copy);
    }
}
