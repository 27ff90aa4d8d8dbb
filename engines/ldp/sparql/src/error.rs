use ldp_rdf::SyntaxError;
use spareval::QueryEvaluationError;
use spargebra::SparqlSyntaxError;
use std::time::Duration;
use std::{fmt, io};

/// Why a query, an update or a term search gave no answer, or only a part of it.
#[derive(Debug)]
pub enum Error {
    /// The text is not SPARQL (or not a term search); with the line and column, from 1, if known.
    Syntax(SyntaxError),
    /// The text is right but asks for what is not offered: a service, a function, another graph.
    Unsupported(String),
    /// The result has another form than the format can hold, such as triples in CSV.
    Format(String),
    /// The time limit is over.
    Timeout(Duration),
    /// The evaluation took more than this many bytes.
    Memory(u64),
    /// There are more rows (or triples) than this limit; those were written.
    Rows(u64),
    /// Nobody waits for the answer any more.
    Stopped,
    /// The store could not be read.
    Store(String),
    /// The result could not be written.
    Write(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => match error.place {
                Some((line, column)) => {
                    write!(f, "line {line}, column {column}: {}", error.message)
                }
                None => f.write_str(&error.message),
            },
            Self::Unsupported(message) | Self::Format(message) | Self::Store(message) => {
                f.write_str(message)
            }
            Self::Timeout(limit) => {
                write!(f, "the time limit of {} s is over", limit.as_secs_f64())
            }
            Self::Memory(limit) => write!(f, "the memory limit of {limit} bytes is reached"),
            Self::Rows(limit) => write!(f, "the result has more than {limit} rows"),
            Self::Stopped => f.write_str("whoever asked has gone"),
            Self::Write(error) => write!(f, "the result could not be written: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Write(error) => Some(error),
            _ => None,
        }
    }
}

impl Error {
    /// A syntax error without a place.
    pub(crate) fn syntax(message: impl Into<String>) -> Self {
        Self::Syntax(SyntaxError {
            message: message.into(),
            place: None,
        })
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl From<SparqlSyntaxError> for Error {
    /// The parser keeps the place for itself: it is read back from `error at LINE:COLUMN: TEXT`.
    fn from(error: SparqlSyntaxError) -> Self {
        let text = error.to_string();
        let place = || {
            let (place, message) = text.strip_prefix("error at ")?.split_once(": ")?;
            let (line, column) = place.split_once(':')?;
            Some(SyntaxError {
                message: message.to_owned(),
                place: Some((line.parse().ok()?, column.parse().ok()?)),
            })
        };
        Self::Syntax(place().unwrap_or_else(|| SyntaxError {
            message: text.clone(),
            place: None,
        }))
    }
}

impl From<QueryEvaluationError> for Error {
    fn from(error: QueryEvaluationError) -> Self {
        match error {
            // Our own dataset gives our own errors.
            QueryEvaluationError::Dataset(error) => match error.downcast::<Error>() {
                Ok(error) => *error,
                Err(error) => Self::Store(error.to_string()),
            },
            // Which limit it was is known to whoever cancelled; see `limits`.
            error => Self::Unsupported(error.to_string()),
        }
    }
}

impl From<ldp_repository::Error> for Error {
    fn from(error: ldp_repository::Error) -> Self {
        Self::Store(error.to_string())
    }
}

impl From<ldp_store::Error> for Error {
    fn from(error: ldp_store::Error) -> Self {
        Self::Store(error.to_string())
    }
}
