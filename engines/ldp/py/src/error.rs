//! The exceptions of the package, and which error of the repository becomes which.

use ldp_repository::{Constraint, Error as Refusal};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    ldp,
    Error,
    PyException,
    "What the repository refuses, or what is wrong with it."
);
create_exception!(
    ldp,
    ResourceNotExistsError,
    Error,
    "There is no such resource."
);
create_exception!(ldp, ResourceExistsError, Error, "There is one already.");
create_exception!(ldp, TombstoneError, Error, "The resource was deleted.");
create_exception!(
    ldp,
    InvalidResourceError,
    Error,
    "The operation does not fit the resource."
);
create_exception!(
    ldp,
    ServerManagedTermError,
    Error,
    "Triples that only the server says."
);
create_exception!(
    ldp,
    RefIntViolationError,
    Error,
    "A triple names a resource that is not there."
);
create_exception!(
    ldp,
    ChecksumValidationError,
    Error,
    "The bytes do not have their digest."
);
create_exception!(ldp, ParseError, Error, "The text is not RDF or SPARQL.");

/// The exception for what the repository refuses.
pub fn refused(error: impl Into<Refusal>) -> PyErr {
    let error = error.into();
    let sentence = error.to_string();
    match error {
        Refusal::NotFound { .. } | Refusal::NoVersion { .. } => {
            ResourceNotExistsError::new_err(sentence)
        }
        Refusal::VersionTaken { .. } => ResourceExistsError::new_err(sentence),
        Refusal::Gone { .. } => TombstoneError::new_err(sentence),
        Refusal::Syntax(_) => ParseError::new_err(sentence),
        Refusal::Path { .. } | Refusal::NotAllowed { .. } | Refusal::Kind { .. } => {
            InvalidResourceError::new_err(sentence)
        }
        Refusal::Constraint { rule, .. } => match rule {
            Constraint::ServerManaged => ServerManagedTermError::new_err(sentence),
            Constraint::DanglingReference => RefIntViolationError::new_err(sentence),
            _ => InvalidResourceError::new_err(sentence),
        },
        _ => Error::new_err(sentence),
    }
}

/// The exception for a query or update that failed.
pub fn unanswered(error: ldp_sparql::Error) -> PyErr {
    let sentence = error.to_string();
    match error {
        ldp_sparql::Error::Syntax { .. } => ParseError::new_err(sentence),
        _ => Error::new_err(sentence),
    }
}
