//! A folder that has its name when all of it is on disk.

use super::Error;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;

/// Makes the folder `path`, which must not be there or be empty: `fill` writes to one beside it that
/// is renamed then, or removed after an error.
pub(super) fn make<T>(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<T, Error>,
) -> Result<T, Error> {
    match fs::read_dir(path).map(|mut entries| entries.next().is_none()) {
        Ok(true) => fs::remove_dir(path).map_err(Error::io("replace", path))?,
        Ok(false) => return Err(Error::Taken(path.to_owned())),
        Err(_) if path.symlink_metadata().is_ok() => return Err(Error::Taken(path.to_owned())),
        Err(_) => {}
    }
    let mut name = path.as_os_str().to_owned();
    name.push(OsString::from(".partial"));
    let partial = Path::new(&name);
    // Of an earlier process that was killed, or somebody's: who knows removes it.
    if partial.symlink_metadata().is_ok() {
        return Err(Error::Taken(partial.to_owned()));
    }
    fs::create_dir_all(partial).map_err(Error::io("make", partial))?;
    let filled = fill(partial).and_then(|made| {
        sync(partial)?;
        fs::rename(partial, path).map_err(Error::io("rename", partial))?;
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        sync_one(parent.unwrap_or(Path::new(".")))?;
        Ok(made)
    });
    if filled.is_err() {
        // The error that was first is the one to tell.
        let _ = fs::remove_dir_all(partial);
    }
    filled
}

/// Syncs the folder and all in it.
fn sync(path: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(path).map_err(Error::io("read", path))? {
        let entry = entry.map_err(Error::io("read", path))?;
        match entry.file_type().map_err(Error::io("read", path))?.is_dir() {
            true => sync(&entry.path())?,
            false => sync_one(&entry.path())?,
        }
    }
    sync_one(path)
}

fn sync_one(path: &Path) -> Result<(), Error> {
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(Error::io("sync", path))
}
