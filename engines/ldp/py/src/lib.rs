//! The Python package `ldp`: a repository in the process, and lazy graphs.

mod admin;
mod children;
mod error;
mod format;
mod given;
mod graph;
mod pattern;
mod query;
mod repository;
mod resource;
mod resources;
mod stream;
mod term;
mod version;

use pyo3::prelude::*;

/// Of this library alone: Python has its own.
#[global_allocator]
static ALLOCATOR: ldp_sparql::Counted = ldp_sparql::Counted;

/// The compiled half of the package `ldp`.
#[pymodule]
mod _ldp {
    #[pymodule_export]
    use crate::admin::Admin;
    #[pymodule_export]
    use crate::error::{
        ChecksumValidationError, Error, InvalidResourceError, ParseError, RefIntViolationError,
        ResourceExistsError, ResourceNotExistsError, ServerManagedTermError, TombstoneError,
    };
    #[pymodule_export]
    use crate::graph::PyGraph;
    #[pymodule_export]
    use crate::query::Query;
    #[pymodule_export]
    use crate::repository::PyRepository;
    #[pymodule_export]
    use crate::resource::PyResource;
    #[pymodule_export]
    use crate::resources::Resources;
    #[pymodule_export]
    use crate::term::{PyBlankNode, PyLiteral};
    #[pymodule_export]
    use crate::version::PyVersion;
}
