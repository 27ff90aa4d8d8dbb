//! From the errors of the repository and of SPARQL to answers.

use super::constraints;
use super::problem::Problem;
use axum::http::{StatusCode, header};
use ldp_rdf::SyntaxError;
use ldp_repository::Error;

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        let problem = Problem::new(status(&error), error.to_string());
        match error {
            Error::Gone { tombstone, .. } => Problem {
                tombstone: Some(tombstone),
                ..problem
            },
            Error::Syntax(SyntaxError { message, place }) => Problem {
                detail: message,
                place,
                ..problem
            },
            Error::Constraint { rule, .. } => problem.with(header::LINK, &constraints::link(rule)),
            Error::Busy { .. } | Error::Store(ldp_store::Error::Busy) => {
                problem.with(header::RETRY_AFTER, "1")
            }
            _ => problem,
        }
    }
}

fn status(error: &Error) -> StatusCode {
    match error {
        Error::NotFound { .. } | Error::NoVersion { .. } | Error::NotOpen { .. } => {
            StatusCode::NOT_FOUND
        }
        Error::Gone { .. } => StatusCode::GONE,
        Error::Path { too_long: true, .. } => StatusCode::URI_TOO_LONG,
        Error::Path { .. } | Error::Syntax(_) => StatusCode::BAD_REQUEST,
        Error::NotAllowed { .. } => StatusCode::METHOD_NOT_ALLOWED,
        Error::Kind { .. } => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Error::Constraint { .. }
        | Error::Held { .. }
        | Error::Full { .. }
        | Error::VersionTaken { .. } => StatusCode::CONFLICT,
        Error::Precondition { .. } => StatusCode::PRECONDITION_FAILED,
        Error::PreconditionRequired { .. } => StatusCode::PRECONDITION_REQUIRED,
        Error::Busy { .. } => StatusCode::SERVICE_UNAVAILABLE,
        Error::Store(error) if error.is_no_space() => StatusCode::INSUFFICIENT_STORAGE,
        Error::Store(
            ldp_store::Error::Busy | ldp_store::Error::Failed(_) | ldp_store::Error::ReadOnly,
        ) => StatusCode::SERVICE_UNAVAILABLE,
        Error::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl From<ldp_sparql::Error> for Problem {
    fn from(error: ldp_sparql::Error) -> Problem {
        use ldp_sparql::Error;
        let status = match &error {
            Error::Syntax(_) | Error::Unsupported(_) => StatusCode::BAD_REQUEST,
            Error::Format(_) => StatusCode::NOT_ACCEPTABLE,
            Error::Timeout(_) => StatusCode::GATEWAY_TIMEOUT,
            Error::Stopped => StatusCode::SERVICE_UNAVAILABLE,
            Error::Memory(_) | Error::Rows(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Error::Store(_) | Error::Write(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        match error {
            Error::Syntax(SyntaxError { message, place }) => Problem {
                place,
                ..Problem::new(status, message)
            },
            error => Problem::new(status, error.to_string()),
        }
    }
}

impl From<ldp_repository::transfer::Error> for Problem {
    fn from(error: ldp_repository::transfer::Error) -> Problem {
        use ldp_repository::transfer::Error;
        match error {
            Error::Store(error) => ldp_repository::Error::from(error).into(),
            Error::Taken(_) => Problem::new(StatusCode::CONFLICT, error.to_string()),
            error => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
        }
    }
}

impl From<std::io::Error> for Problem {
    /// Triples that the syntax has no words for, a file that cannot be read, a client that has gone.
    fn from(error: std::io::Error) -> Problem {
        let status = match error.kind() {
            std::io::ErrorKind::InvalidData => StatusCode::NOT_ACCEPTABLE,
            std::io::ErrorKind::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Problem::new(status, error.to_string())
    }
}
