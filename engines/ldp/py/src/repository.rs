//! `ldp.Repository`: opening and closing.

use crate::admin::Admin;
use crate::error::{Error, refused};
use crate::query::Query;
use crate::resources::Resources;
use ldp_repository::{Options, References, Repository};
use ldp_store::{Durability, Process};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

/// A repository that several objects of Python share until one closes it.
#[derive(Clone)]
pub struct Handle {
    process: Process,
    shared: Arc<RwLock<Option<Arc<Repository>>>>,
}

impl Handle {
    /// The repository, unless it was closed.
    pub fn get(&self) -> PyResult<Arc<Repository>> {
        // Before the lock: in a forked process it may stay locked for ever.
        self.process.check().map_err(refused)?;
        let repository = self
            .shared
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        repository.ok_or_else(|| Error::new_err("the repository was closed"))
    }

    fn close(&self) -> PyResult<()> {
        self.process.check().map_err(refused)?;
        self.shared
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        Ok(())
    }
}

/// A repository in a folder.
#[pyclass(name = "Repository", module = "ldp", frozen)]
pub struct PyRepository(Handle);

#[pymethods]
impl PyRepository {
    #[new]
    #[pyo3(signature = (path, *, durability = "sync", referential_integrity = "off", read_only = false))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        durability: &str,
        referential_integrity: &str,
        read_only: bool,
    ) -> PyResult<Self> {
        let mut options = Options {
            references: references(referential_integrity)?,
            ..Options::default()
        };
        options.store.durability = durability_of(durability)?;
        options.store.read_only = read_only;
        options.store.create = !read_only;
        let repository = py
            .detach(|| Repository::open(&path, options))
            .map_err(refused)?;
        Ok(PyRepository(Handle {
            process: Process::current(),
            shared: Arc::new(RwLock::new(Some(Arc::new(repository)))),
        }))
    }

    #[getter]
    fn resource(&self) -> Resources {
        Resources(self.0.clone())
    }

    #[getter]
    fn query(&self) -> Query {
        Query(self.0.clone())
    }

    #[getter]
    fn admin(&self) -> Admin {
        Admin(self.0.clone())
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.close())
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        _kind: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let closed = self.close(py);
        // What leaves the block is not to be hidden: the exit of a forked process, mostly.
        if error.is_none() { closed } else { Ok(()) }
    }
}

fn references(name: &str) -> PyResult<References> {
    match name {
        "off" => Ok(References::Off),
        "lenient" => Ok(References::Lenient),
        "strict" => Ok(References::Strict),
        _ => Err(PyValueError::new_err(format!(
            "referential_integrity is off, lenient or strict, not {name:?}"
        ))),
    }
}

fn durability_of(name: &str) -> PyResult<Durability> {
    match (name, name.strip_prefix("bg=").map(str::parse)) {
        ("sync", _) => Ok(Durability::Sync),
        ("none", _) => Ok(Durability::None),
        (_, Some(Ok(milliseconds))) => Ok(Durability::Background(milliseconds)),
        _ => Err(PyValueError::new_err(format!(
            "durability is sync, bg=MILLISECONDS or none, not {name:?}"
        ))),
    }
}
