//! What can go wrong.

use crate::space;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

/// Why the store did not do as told. Cheap to clone: one failure is told to every waiting writer.
#[derive(Clone, Debug)]
pub enum Error {
    /// The operating system refused: what was done, on which file, and why.
    Io {
        /// Such as "write".
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The reason.
        source: Arc<io::Error>,
    },
    /// LMDB refused.
    Index {
        /// Such as "commit".
        action: &'static str,
        /// The reason.
        source: Arc<heed::Error>,
    },
    /// Stored bytes are not what was written: where, and what is wrong with them.
    Damaged {
        /// A file and offset, or a database and key.
        place: String,
        /// What was found and what was expected.
        message: String,
    },
    /// Another process writes to the store.
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The number of that process, if the lock file tells.
        pid: Option<u32>,
    },
    /// The store was opened in a process that this one was forked from.
    Forked {
        /// The number of that process.
        pid: u32,
    },
    /// A directory that is no store, and not empty: it is left as it is.
    Foreign {
        /// The directory.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// There is no store, and none was to be made.
    Missing(PathBuf),
    /// The store was opened for reading only.
    ReadOnly,
    /// The background work is behind; the same write may succeed later.
    Busy,
    /// An earlier write could not be made durable; reads go on, writes need the store opened anew.
    Failed(Arc<Error>),
    /// A batch breaks a rule of the store: which.
    Invalid(String),
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::Io {
            action,
            path: path.to_owned(),
            source: Arc::new(match space::lacks(&source, path) {
                true => space::none(),
                false => source,
            }),
        }
    }

    pub(crate) fn index(action: &'static str) -> impl FnOnce(heed::Error) -> Error {
        move |source| Error::Index {
            action,
            source: Arc::new(source),
        }
    }

    /// The same, as a lack of space if it is one: of what is written to `path`.
    pub(crate) fn told(self, path: &Path) -> Error {
        if let Error::Index { action, source } = &self
            && let heed::Error::Io(error) = &**source
            && space::lacks(error, path)
        {
            let source = Arc::new(heed::Error::Io(space::none()));
            return Error::Index { action, source };
        }
        self
    }

    pub(crate) fn damaged(place: impl fmt::Display) -> impl FnOnce(String) -> Error {
        move |message| Error::Damaged {
            place: place.to_string(),
            message,
        }
    }

    pub(crate) fn is_map_full(&self) -> bool {
        let full = heed::MdbError::MapFull;
        matches!(self, Error::Index { source, .. }
            if matches!(&**source, heed::Error::Mdb(error) if *error == full))
    }

    /// Whether LMDB met an error of input and output, or a write that was cut short, which it tells as one.
    pub(crate) fn is_input_output(&self) -> bool {
        matches!(self, Error::Index { source, .. }
            if matches!(&**source, heed::Error::Io(e) if e.raw_os_error() == Some(libc::EIO)))
    }

    /// Whether the disk is full: the write may succeed when there is space again.
    pub fn is_no_space(&self) -> bool {
        let full = |e: &io::Error| {
            matches!(
                e.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
            )
        };
        match self {
            Error::Io { source, .. } => full(source),
            Error::Index { source, .. } => matches!(&**source, heed::Error::Io(e) if full(e)),
            Error::Failed(cause) => cause.is_no_space(),
            _ => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Io {
                action,
                path,
                source,
            } => {
                write!(f, "cannot {action} {}: {source}", path.display())
            }
            Error::Index { action, source } => write!(f, "cannot {action} the index: {source}"),
            Error::Damaged { place, message } => write!(f, "damaged: {place} holds {message}"),
            Error::Locked {
                path,
                pid: Some(pid),
            } => {
                write!(
                    f,
                    "process {pid} writes to this store (it locks {})",
                    path.display()
                )
            }
            Error::Locked { path, pid: None } => {
                write!(
                    f,
                    "another process writes to this store (it locks {})",
                    path.display()
                )
            }
            Error::Forked { pid } => write!(
                f,
                "process {pid} opened this store, and a fork does not share it: open it in this \
                 process (it is {})",
                std::process::id()
            ),
            Error::Foreign { path, found } => write!(
                f,
                "{} is {found}: expected a store, an empty directory, or nothing yet",
                path.display()
            ),
            Error::Missing(path) => write!(f, "there is no store at {}", path.display()),
            Error::ReadOnly => f.write_str("the store is open for reading only"),
            Error::Busy => f.write_str("the store is busy with earlier writes, try again later"),
            Error::Failed(cause) => {
                write!(
                    f,
                    "the store takes no writes until it is opened anew, because: {cause}"
                )
            }
            Error::Invalid(message) => write!(f, "refused batch: {message}"),
        }
    }
}

impl std::error::Error for Error {}
