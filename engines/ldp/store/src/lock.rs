//! The lock of a store: the file `lock` in its directory, with the id of the process that has it.

use std::fs::{File, TryLockError};
use std::io::{Read, Write as _};
use std::path::Path;

use crate::content::sync_dir;
use crate::{Error, Result};

/// Held until it is dropped.
pub(crate) struct Lock(File);

impl Lock {
    /// Takes the lock of the store in `dir`, and makes the directory if it is missing.
    ///
    /// [`Error::Locked`] when another process or another part of this one has it.
    pub fn take(dir: &Path) -> Result<Lock> {
        let path = dir.join("lock");
        if !dir.exists() {
            std::fs::create_dir_all(dir).map_err(Error::io("make", dir))?;
            sync_dir(&dir.join(".."))?;
        }
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
        Ok(Lock(file))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A process that another thread is starting has a copy of the file until it runs its
        // program. Closing ours alone would leave the lock to that copy.
        _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_file_does_not_keep_the_lock() {
        let dir = std::env::temp_dir().join(format!("ldp-store-copy-{}", std::process::id()));
        let lock = Lock::take(&dir).unwrap();
        let copy = lock.0.try_clone().unwrap();
        assert!(matches!(Lock::take(&dir), Err(Error::Locked { .. })));
        drop(lock);
        let again = Lock::take(&dir);
        std::fs::remove_dir_all(&dir).unwrap();
        assert!(again.is_ok());
        drop(copy);
    }
}
