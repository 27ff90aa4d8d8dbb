//! A copy of a store that others write to.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;
use std::sync::PoisonError;

use heed::CompactionOption;

use crate::content::sync_dir;
use crate::{Error, Result, Store};

impl Store {
    /// Copies the store to a directory that must not be there yet; it appears when it is complete,
    /// and can be opened as a store. It holds all that was acknowledged before the call.
    pub fn backup(&self, to: impl AsRef<Path>) -> Result<()> {
        let to = to.as_ref();
        let engine = self.writing()?;
        let _alone = engine
            .maintaining
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if to.exists() {
            let there = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
            return Err(Error::io("make", to)(there));
        }
        let mut name = OsString::from(to);
        name.push(".unfinished");
        let unfinished = Path::new(&name);
        if let Some(parent) = unfinished.parent() {
            fs::create_dir_all(parent).map_err(Error::io("make", parent))?;
        }
        // Fails if it is there: it may be somebody's.
        fs::create_dir(unfinished).map_err(Error::io("make", unfinished))?;
        let copied = self.checkpoint().and_then(|()| self.copy(unfinished));
        if copied.is_err() {
            _ = fs::remove_dir_all(unfinished);
        }
        copied?;
        fs::rename(unfinished, to).map_err(Error::io("rename", unfinished))?;
        to.parent()
            .filter(|dir| !dir.as_os_str().is_empty())
            .map_or(Ok(()), sync_dir)
    }

    fn copy(&self, to: &Path) -> Result<()> {
        let index = to.join("index").join("1");
        fs::create_dir_all(&index).map_err(Error::io("make", &index))?;
        let path = index.join("data.mdb");
        let env = self.state().index().env;
        let reading = self.state().reading();
        let file = env.copy_to_path(&path, CompactionOption::Enabled);
        drop(reading);
        file.map_err(Error::index("copy"))?
            .sync_all()
            .map_err(Error::io("sync", &path))?;
        sync_dir(&index)?;
        // The index first: every binary that it refers to is there by now, and nothing removes one.
        let contents = self.contents();
        contents.each(|from, _| {
            let Ok(below) = from.strip_prefix(contents.dir()) else {
                return Ok(());
            };
            let path = to.join("bin").join(below);
            if let Some(dir) = path.parent() {
                fs::create_dir_all(dir).map_err(Error::io("make", dir))?;
                fs::copy(from, &path).map_err(Error::io("copy", from))?;
                File::open(&path)
                    .and_then(|f| f.sync_all())
                    .map_err(Error::io("sync", &path))?;
                dir.ancestors().take(3).try_for_each(sync_dir)?;
            }
            Ok(())
        })?;
        sync_dir(&to.join("index"))?;
        sync_dir(to)
    }
}
