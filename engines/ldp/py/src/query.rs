//! `repository.query`: questions to the whole repository.

use crate::repository::Handle;
use pyo3::prelude::*;

/// Asks the whole repository.
#[pyclass(module = "ldp", frozen)]
pub struct Query(#[expect(dead_code, reason = "asked soon")] pub Handle);
