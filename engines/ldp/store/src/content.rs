//! The files of binaries, each named by the SHA-256 of its bytes.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::{Content, Durability, Error, Result, Store};

/// Directory of files in the making.
const UNFINISHED: &str = "tmp";

/// The directory of all contents.
pub(crate) struct Contents {
    dir: PathBuf,
    sync: bool,
    /// Names files in the making.
    next: AtomicU64,
    /// Held by the one who gives a file its name, or takes it away after a look at its age.
    pub naming: Mutex<()>,
}

impl Contents {
    /// Removes what an earlier process did not finish, too, when it may write.
    pub fn open(dir: PathBuf, durability: Durability, read_only: bool) -> Result<Contents> {
        let unfinished = dir.join(UNFINISHED);
        if !read_only {
            match fs::remove_dir_all(&unfinished) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::io("empty", &unfinished)(e));
                }
                _ => fs::create_dir_all(&unfinished).map_err(Error::io("make", &unfinished))?,
            }
        }
        Ok(Contents {
            dir,
            sync: durability != Durability::None,
            next: AtomicU64::new(0),
            naming: Mutex::new(()),
        })
    }

    pub fn path(&self, sha256: &[u8; 32]) -> PathBuf {
        let [a, b, ..] = sha256;
        self.dir.join(format!("{a:02x}/{b:02x}/{}", hex(sha256)))
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Each finished file, and its name: the hash that it should have.
    pub fn each(&self, mut each: impl FnMut(&Path, &str) -> Result<()>) -> Result<()> {
        fn below(
            dir: &Path,
            depth: u32,
            each: &mut dyn FnMut(&Path, &str) -> Result<()>,
        ) -> Result<()> {
            let entries = match fs::read_dir(dir) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
                entries => entries.map_err(Error::io("list", dir))?,
            };
            for entry in entries {
                let entry = entry.map_err(Error::io("list", dir))?;
                let (path, name) = (entry.path(), entry.file_name());
                let name = name.to_string_lossy();
                match depth {
                    0 => each(&path, &name)?,
                    _ if name == UNFINISHED => {}
                    _ => below(&path, depth - 1, each)?,
                }
            }
            Ok(())
        }
        below(&self.dir, 2, &mut each)
    }
}

/// A content in the making; dropped before [`ContentWriter::finish`], it leaves nothing.
pub struct ContentWriter {
    store: Store,
    file: File,
    path: PathBuf,
    hash: Sha256,
    size: u64,
}

impl Store {
    /// Begins a content.
    pub fn new_content(&self) -> Result<ContentWriter> {
        self.writing()?;
        let contents = self.contents();
        let name = contents.next.fetch_add(1, Ordering::Relaxed).to_string();
        let path = contents.dir.join(UNFINISHED).join(name);
        let file = File::create_new(&path).map_err(Error::io("make", &path))?;
        Ok(ContentWriter {
            store: self.clone(),
            file,
            path,
            hash: Sha256::new(),
            size: 0,
        })
    }

    /// Keeps the bytes of a reader; they are on disk when this returns (not in the class `none`).
    ///
    /// Nothing refers to them yet: a batch has to put a resource with this content.
    pub fn put_content(
        &self,
        mut from: impl Read,
        media_type: &str,
        filename: Option<&str>,
    ) -> Result<Content> {
        let mut writer = self.new_content()?;
        io::copy(&mut from, &mut writer).map_err(Error::io("write", &writer.path))?;
        writer.finish(media_type, filename)
    }

    /// Opens the bytes of a content.
    pub fn open_content(&self, content: &Content) -> Result<File> {
        self.check_process()?;
        let path = self.contents().path(&content.sha256);
        File::open(&path).map_err(Error::io("open", &path))
    }
}

impl Write for ContentWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A forked process would write between the bytes of the other.
        self.store.check_process().map_err(io::Error::other)?;
        let n = self.file.write(bytes)?;
        self.hash.update(&bytes[..n]);
        self.size += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ContentWriter {
    /// Gives the file its name.
    pub fn finish(mut self, media_type: &str, filename: Option<&str>) -> Result<Content> {
        self.store.check_process()?;
        let contents = self.store.contents();
        let sha256: [u8; 32] = std::mem::take(&mut self.hash).finalize().into();
        let path = contents.path(&sha256);
        if contents.sync {
            self.file
                .sync_data()
                .map_err(Error::io("sync", &self.path))?;
        }
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(Error::io("make", dir))?;
            let naming = contents.naming.lock();
            let naming = naming.unwrap_or_else(PoisonError::into_inner);
            fs::rename(&self.path, &path).map_err(Error::io("rename", &path))?;
            drop(naming);
            if contents.sync {
                // The name of the file, and those of its two directories, which may be new.
                dir.ancestors().take(3).try_for_each(sync_dir)?;
            }
        }
        Ok(Content {
            sha256,
            size: self.size,
            media_type: media_type.to_owned(),
            filename: filename.map(str::to_owned),
        })
    }
}

impl Drop for ContentWriter {
    fn drop(&mut self) {
        if self.store.check_process().is_ok() {
            // After `finish` there is no such file; what stays otherwise, the next start removes.
            _ = fs::remove_file(&self.path);
        }
    }
}

/// Brings the names in a directory to disk.
pub(crate) fn sync_dir(dir: &Path) -> Result<()> {
    File::open(dir)
        .and_then(|d| d.sync_all())
        .map_err(Error::io("sync", dir))
}

/// The hash of a file, and its length, as it is now.
pub(crate) fn hash_file(path: &Path) -> Result<([u8; 32], u64)> {
    let mut file = File::open(path).map_err(Error::io("open", path))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut size = 0;
    loop {
        match file.read(&mut buffer).map_err(Error::io("read", path))? {
            0 => return Ok((hash.finalize().into(), size)),
            n => {
                hash.update(&buffer[..n]);
                size += n as u64;
            }
        }
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
