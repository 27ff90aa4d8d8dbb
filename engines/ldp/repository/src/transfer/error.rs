//! What can go wrong in an export or import.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why an export or import was given up. What it had written is removed then.
#[derive(Debug)]
pub enum Error {
    /// The operating system refused: what was done, to which file, and why.
    Io {
        /// Such as "write".
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file does not hold what it should.
    Content {
        /// The file.
        path: PathBuf,
        /// What was found, and what was expected.
        message: String,
    },
    /// There is something where the result is to go.
    Taken(PathBuf),
    /// The store failed.
    Store(ldp_store::Error),
}

impl Error {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    pub(super) fn content(path: &Path, message: impl fmt::Display) -> Error {
        Error::Content {
            path: path.to_owned(),
            message: message.to_string(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io {
                action,
                path,
                source,
            } => {
                write!(f, "cannot {action} {}: {source}", path.display())
            }
            Error::Content { path, message } => write!(f, "{}: {message}", path.display()),
            Error::Taken(path) => write!(f, "{} is there already", path.display()),
            Error::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<ldp_store::Error> for Error {
    fn from(error: ldp_store::Error) -> Error {
        Error::Store(error)
    }
}
