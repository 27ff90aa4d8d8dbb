//! Folders of stores: prepared once for each number of children, copied, sized.
//!
//! Beside a store that a server has opened lies the file `NAME.in-use`. It goes when the server has
//! stopped cleanly, so a store whose server was killed is known and made anew. Where a server was
//! too slow to make a store, `NAME.failed` says so, and it is not tried again.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;

fn beside(store: &Path, ending: &str) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn marker(store: &Path) -> PathBuf {
    beside(store, ".in-use")
}

/// Notes that the store at `path` cannot be made, and why.
pub fn give_up(path: &Path, why: &str) -> Result<()> {
    Ok(fs::write(beside(path, ".failed"), why)?)
}

/// Notes that a server opens the store.
pub fn mark(store: &Path) -> Result<()> {
    File::create(marker(store))?;
    Ok(())
}

/// Notes that the server of the store has stopped cleanly.
pub fn unmark(store: &Path) -> Result<()> {
    Ok(fs::remove_file(marker(store))?)
}

/// The store at `path`: what is there, or else what `make` makes in a folder that gets the name
/// when it is complete.
pub fn prepared(path: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    if path.exists() && !marker(path).exists() {
        return Ok(());
    }
    if let Ok(why) = fs::read_to_string(beside(path, ".failed")) {
        return Err(why.into());
    }
    let unfinished = beside(path, ".unfinished");
    for old in [path, &unfinished] {
        if old.exists() {
            fs::remove_dir_all(old)?;
        }
    }
    fs::create_dir_all(&unfinished)?;
    make(&unfinished)?;
    fs::rename(&unfinished, path)?;
    if marker(path).exists() {
        unmark(path)?;
    }
    Ok(())
}

/// Copies a store, onto the disk; what is sparse stays so.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    let options = ["-a", "--sparse=always", "--reflink=auto"];
    let status = Command::new("cp").args(options).args([from, to]).status()?;
    if !status.success() {
        return Err(format!("cp of {}: {status}", from.display()).into());
    }
    sync(to)
}

/// Brings what lies below `path` to the disk: else the kernel writes a copy out at some time while
/// the shot runs.
fn sync(path: &Path) -> Result<()> {
    let kind = fs::symlink_metadata(path)?.file_type();
    if kind.is_dir() {
        for entry in fs::read_dir(path)? {
            sync(&entry?.path())?;
        }
    }
    if kind.is_dir() || kind.is_file() {
        File::open(path)?.sync_all()?;
    }
    Ok(())
}

/// Bytes that the files below `path` take on the disk.
pub fn allocated(path: &Path) -> Result<u64> {
    let facts = fs::symlink_metadata(path)?;
    let mut bytes = 512 * facts.blocks();
    if facts.is_dir() {
        for entry in fs::read_dir(path)? {
            bytes += allocated(&entry?.path())?;
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_made_once_and_again_after_a_kill() {
        let dir = std::env::temp_dir().join(format!("ldpload-store-{}", std::process::id()));
        let store = dir.join("1000");
        let make = |text: &str| prepared(&store, |to| Ok(fs::write(to.join("file"), text)?));
        let read = || fs::read_to_string(store.join("file")).unwrap();

        make("first").unwrap();
        make("second").unwrap();
        assert_eq!(read(), "first");
        mark(&store).unwrap();
        make("third").unwrap();
        assert_eq!(read(), "third");
        mark(&store).unwrap();
        unmark(&store).unwrap();
        make("fourth").unwrap();
        assert_eq!(read(), "third");

        // A store that was not finished is not taken for one.
        let failed = prepared(&dir.join("10"), |to| {
            fs::write(to.join("file"), "part")?;
            Err("stopped".into())
        });
        assert_eq!(failed.unwrap_err().to_string(), "stopped");
        assert!(!dir.join("10").exists());

        give_up(&dir.join("10"), "too slow").unwrap();
        let again = prepared(&dir.join("10"), |_| Ok(()));
        assert_eq!(again.unwrap_err().to_string(), "too slow");

        copy(&store, &dir.join("copy")).unwrap();
        assert_eq!(fs::read_to_string(dir.join("copy/file")).unwrap(), "third");
        fs::write(store.join("large"), [1; 100_000]).unwrap();
        assert!((100_000..200_000).contains(&allocated(&store).unwrap()));
        fs::remove_dir_all(dir).unwrap();
    }
}
