//! `repository.resource`: reading and writing resources.

use crate::error::{InvalidResourceError, refused, unanswered};
use crate::given::{self, Given};
use crate::graph::PyGraph;
use crate::pattern::Pattern;
use crate::repository::Handle;
use crate::resource::{PyResource, managed_only, preferences};
use crate::term;
use crate::version::PyVersion;
use ldp_rdf::{Graph, Root, Triple, iri_of};
use ldp_repository::{Found, Outcome, Pending, Repository, WriteOptions};
use ldp_sparql::{Limits, Stop};
use ldp_store::Model;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Reads and writes resources.
#[pyclass(module = "ldp", frozen)]
pub struct Resources(pub Handle);

impl Resources {
    /// Writes without the lock of the interpreter, waits until it is durable, and reads the result.
    fn write(
        &self,
        py: Python<'_>,
        write: impl FnOnce(&Repository) -> PyResult<Pending<Outcome>> + Send,
    ) -> PyResult<(bool, PyResource)> {
        let repository = self.0.get()?;
        let outcome = py.detach(|| write(&repository)?.wait().map_err(refused))?;
        let resource = self.get(py, &outcome.resource.uid, None)?;
        Ok((outcome.created, resource))
    }
}

#[pymethods]
impl Resources {
    fn exists(&self, uid: &str) -> PyResult<bool> {
        let found = self.0.get()?.view().find(uid).map_err(refused)?;
        Ok(matches!(found, Found::Live(_)))
    }

    #[pyo3(signature = (uid, repr_options = None))]
    fn get(
        &self,
        py: Python<'_>,
        uid: &str,
        repr_options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyResource> {
        let preferences = preferences(repr_options)?;
        let view = self.0.get()?.view();
        let record = view.get(uid).map_err(refused)?;
        PyResource::read(py, &self.0, &view, record, &preferences)
    }

    fn get_metadata(&self, uid: &str) -> PyResult<PyGraph> {
        let view = self.0.get()?.view();
        let record = view.get(uid).map_err(refused)?;
        let triples = view
            .server_triples(&record, &managed_only())
            .map_err(refused)?;
        Ok(PyGraph::of(Graph::encode(&triples)))
    }

    fn get_version_info(&self, uid: &str) -> PyResult<Vec<PyVersion>> {
        let view = self.0.get()?.view();
        let record = view.get(uid).map_err(refused)?;
        let versions = view.versions(&record).map_err(refused)?;
        Ok(versions.into_iter().map(PyVersion).collect())
    }

    fn get_version(&self, uid: &str, ver_uid: &str) -> PyResult<PyGraph> {
        let view = self.0.get()?.view();
        let record = view.get(uid).map_err(refused)?;
        let version = view.version(&record, ver_uid).map_err(refused)?;
        Ok(PyGraph::of(version.graph.clone()))
    }

    #[pyo3(signature = (parent, slug = None, **given))]
    fn create(
        &self,
        py: Python<'_>,
        parent: &str,
        slug: Option<&str>,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyResource> {
        let given = Given::new(given)?;
        let (_, resource) = self.write(py, |repository| {
            given.write(repository, |body, options| {
                repository.create(parent, slug, body, options)
            })
        })?;
        Ok(resource)
    }

    #[pyo3(signature = (uid, **given))]
    fn create_or_replace(
        &self,
        py: Python<'_>,
        uid: &str,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<(&'static str, PyResource)> {
        let given = Given::new(given)?;
        let (created, resource) = self.write(py, |repository| {
            given.write(repository, |body, options| {
                repository.put(uid, body, options)
            })
        })?;
        Ok((if created { "_create_" } else { "_update_" }, resource))
    }

    #[pyo3(signature = (uid, update_str, is_metadata = false, handling = "lenient"))]
    fn update(
        &self,
        py: Python<'_>,
        uid: &str,
        update_str: &str,
        is_metadata: bool,
        handling: &str,
    ) -> PyResult<PyResource> {
        let options = WriteOptions {
            lenient: given::lenient(handling)?,
            ..WriteOptions::default()
        };
        let (_, resource) = self.write(py, |repository| {
            let record = repository.view().get(uid).map_err(refused)?;
            if record.model == Model::Binary && !is_metadata {
                return Err(InvalidResourceError::new_err(format!(
                    "resource {uid} is a binary: is_metadata=True changes its description"
                )));
            }
            let (base, root) = (iri_of(uid), Root::inside_only());
            repository
                .edit(uid, &options, |graph| {
                    ldp_sparql::update(
                        graph,
                        update_str,
                        &base,
                        &root,
                        &Limits::default(),
                        &Stop::default(),
                    )
                    .map_err(|error| Failure(unanswered(error)))
                })
                .map_err(|Failure(error)| error)
        })?;
        Ok(resource)
    }

    fn update_delta(
        &self,
        py: Python<'_>,
        uid: &str,
        remove_trp: &Bound<'_, PyAny>,
        add_trp: &Bound<'_, PyAny>,
    ) -> PyResult<PyResource> {
        let removed = remove_trp
            .try_iter()?
            .map(|triple| Pattern::of(&triple?))
            .collect::<PyResult<Vec<Pattern>>>()?;
        let added = term::triples(add_trp)?;
        let (_, resource) = self.write(py, |repository| {
            let options = WriteOptions {
                lenient: true,
                ..WriteOptions::default()
            };
            let change = |graph: &Graph| -> Result<Graph, ldp_repository::Error> {
                let reader = graph.reader();
                let kept = reader
                    .iter()
                    .filter(|triple| !removed.iter().any(|pattern| pattern.matches(*triple)));
                Ok(Graph::encode(kept.chain(added.iter().map(Triple::as_ref))))
            };
            repository.edit(uid, &options, change).map_err(refused)
        })?;
        Ok(resource)
    }

    #[pyo3(signature = (uid, ver_uid = None))]
    fn create_version(&self, py: Python<'_>, uid: &str, ver_uid: Option<&str>) -> PyResult<String> {
        let repository = self.0.get()?;
        let made = py.detach(|| repository.create_version(uid, ver_uid, None)?.wait());
        Ok(made.map_err(refused)?.label)
    }

    fn revert_to_version(&self, py: Python<'_>, uid: &str, ver_uid: &str) -> PyResult<PyResource> {
        let (_, resource) = self.write(py, |repository| {
            repository
                .revert_to_version(uid, ver_uid, false, &WriteOptions::default())
                .map_err(refused)
        })?;
        Ok(resource)
    }

    #[pyo3(signature = (uid, soft = true, inbound = true))]
    fn delete(&self, py: Python<'_>, uid: &str, soft: bool, inbound: bool) -> PyResult<()> {
        if !inbound {
            return Err(PyValueError::new_err(
                "inbound=False: referential integrity is chosen when the repository is opened",
            ));
        }
        let repository = self.0.get()?;
        let options = WriteOptions::default();
        py.detach(|| repository.delete(uid, soft, &options)?.wait())
            .map_err(refused)
    }

    fn resurrect(&self, py: Python<'_>, uid: &str) -> PyResult<PyResource> {
        let (_, resource) = self.write(py, |repository| {
            repository.resurrect(uid, None).map_err(refused)
        })?;
        Ok(resource)
    }
}

/// An exception that can be made of an error of the repository.
struct Failure(PyErr);

impl From<ldp_repository::Error> for Failure {
    fn from(error: ldp_repository::Error) -> Failure {
        Failure(refused(error))
    }
}
