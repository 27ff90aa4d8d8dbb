//! What a directory is. It is looked at before anything in it is touched: only a store, and what a
//! store that was never complete has left, is written to.

use std::fs;
use std::io::ErrorKind::NotFound;
use std::path::Path;

use crate::state::generations;
use crate::{Error, Result};

/// Whether there is a store in a directory; if not, that one can be made there.
///
/// [`Error::Foreign`] when the directory holds something else, or is none.
pub(crate) fn is_store(dir: &Path) -> Result<bool> {
    let foreign = |found: String| {
        Err(Error::Foreign {
            path: dir.to_owned(),
            found,
        })
    };
    let entries = match fs::read_dir(dir) {
        Err(e) if e.kind() == NotFound => return Ok(false),
        Err(_) if !dir.is_dir() => return foreign("no directory".to_owned()),
        entries => entries.map_err(Error::io("list", dir))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.map_err(Error::io("list", dir))?.file_name());
    }
    let index = dir.join("index");
    if index.is_dir() {
        for number in generations(&index)? {
            if index.join(number.to_string()).join("data.mdb").is_file() {
                return Ok(true);
            }
        }
    }
    for name in names {
        let path = dir.join(&name);
        let is_left = match name.to_str() {
            Some("lock") => is_lock(&path),
            Some("index") => is_empty_index(&path)?,
            // Every new file system has it.
            Some("lost+found") => true,
            _ => false,
        };
        if !is_left {
            return foreign(format!("no store, and has {:?}", name.display()));
        }
    }
    Ok(false)
}

/// Whether a file may be the lock of a store: it is empty, or holds the number of a process.
fn is_lock(path: &Path) -> bool {
    let of_lock = |data: fs::Metadata| data.is_file() && data.len() <= 16;
    path.symlink_metadata().is_ok_and(of_lock)
        && fs::read(path).is_ok_and(|text| {
            text.iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b'\n')
        })
}

/// Whether a directory has nothing but the empty one of the first index.
fn is_empty_index(path: &Path) -> Result<bool> {
    let is_empty =
        |path: &Path| fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    let Ok(entries) = fs::read_dir(path) else {
        return Ok(false);
    };
    for entry in entries {
        let entry = entry.map_err(Error::io("list", path))?;
        if entry.file_name() != "1" || !is_empty(&entry.path()) {
            return Ok(false);
        }
    }
    Ok(true)
}
