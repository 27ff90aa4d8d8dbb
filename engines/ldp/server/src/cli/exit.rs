//! Why a verb failed, as a number for scripts: the table in the README.

use ldp_repository::{Error as Refusal, transfer};
use ldp_sparql::Error as QueryError;
use ldp_store::Error as StoreError;
use std::error::Error;
use std::fmt;
use std::io;

/// Nothing was found, or a limit was reached.
const NO: u8 = 1;
/// The command line or the input is wrong.
pub const USAGE: u8 = 3;
const DAMAGE: u8 = 4;
const FAILED: u8 = 5;
const IN_USE: u8 = 6;

/// Damages that a check has found and told.
#[derive(Debug)]
pub struct Damages(pub usize);

impl fmt::Display for Damages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 damage"),
            count => write!(f, "{count} damages"),
        }
    }
}

impl Error for Damages {}

/// An error, and the file or address that it is about.
#[derive(Debug)]
pub struct At {
    place: String,
    error: Box<dyn Error>,
}

impl At {
    /// At a place.
    pub fn new(place: impl fmt::Display, error: impl Into<Box<dyn Error>>) -> At {
        At {
            place: place.to_string(),
            error: error.into(),
        }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.error)
    }
}

impl Error for At {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.error)
    }
}

/// The exit code for an error.
pub fn code(error: &(dyn Error + 'static)) -> u8 {
    if let Some(At { error, .. }) = error.downcast_ref() {
        return code(&**error);
    }
    if let Some(error) = error.downcast_ref() {
        return of_store(error);
    }
    if let Some(error) = error.downcast_ref() {
        return of_refusal(error);
    }
    if let Some(error) = error.downcast_ref() {
        return match error {
            transfer::Error::Io { .. } => FAILED,
            transfer::Error::Content { .. } => DAMAGE,
            transfer::Error::Taken(_) => USAGE,
            transfer::Error::Store(error) => of_store(error),
        };
    }
    if let Some(error) = error.downcast_ref() {
        return match error {
            QueryError::Syntax(_) | QueryError::Unsupported(_) | QueryError::Format(_) => USAGE,
            QueryError::Timeout(_)
            | QueryError::Memory(_)
            | QueryError::Rows(_)
            | QueryError::Stopped => NO,
            QueryError::Store(_) | QueryError::Write(_) => FAILED,
        };
    }
    if error.is::<Damages>() {
        return DAMAGE;
    }
    match error.is::<io::Error>() {
        true => FAILED,
        false => USAGE,
    }
}

fn of_refusal(error: &Refusal) -> u8 {
    match error {
        Refusal::NotFound { .. } | Refusal::Gone { .. } | Refusal::NoVersion { .. } => NO,
        Refusal::Busy { .. } => IN_USE,
        Refusal::Store(error) => of_store(error),
        _ => USAGE,
    }
}

fn of_store(error: &StoreError) -> u8 {
    match error {
        StoreError::Io { .. } | StoreError::Index { .. } => FAILED,
        StoreError::Damaged { .. } => DAMAGE,
        StoreError::Locked { .. } | StoreError::Busy | StoreError::Forked { .. } => IN_USE,
        StoreError::Failed(cause) => of_store(cause),
        StoreError::Missing(_)
        | StoreError::Foreign { .. }
        | StoreError::ReadOnly
        | StoreError::Invalid(_) => USAGE,
    }
}
