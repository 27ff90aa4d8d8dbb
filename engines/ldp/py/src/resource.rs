//! `ldp.Resource`: one resource as it was when it was read.

use crate::children::Children;
use crate::error::refused;
use crate::graph::PyGraph;
use crate::repository::Handle;
use ldp_rdf::{Graph, TripleRef, iri_of};
use ldp_repository::vocabulary::ldp;
use ldp_repository::{Error, Preferences, View};
use ldp_store::{Model, Resource};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet};
use std::os::fd::IntoRawFd;
use std::sync::Arc;

/// A resource as it was when it was read.
#[pyclass(name = "Resource", module = "ldp", frozen)]
pub struct PyResource {
    handle: Handle,
    record: Arc<Resource>,
    imr: Py<PyGraph>,
    metadata: Py<PyGraph>,
    user_data: Py<PyGraph>,
}

impl PyResource {
    /// The resource of a record, with what the preferences ask for.
    pub fn read(
        py: Python<'_>,
        handle: &Handle,
        view: &View,
        record: Arc<Resource>,
        preferences: &Preferences,
    ) -> PyResult<Self> {
        let parts = py
            .detach(|| Parts::read(view, &record, preferences))
            .map_err(refused)?;
        let shown = |wanted: bool, part: &Graph| wanted.then(|| part.clone());
        let imr = [
            shown(preferences.user, &parts.user),
            shown(preferences.managed, &parts.managed),
            Some(parts.related),
        ];
        let graph = |part| Py::new(py, PyGraph::of(part));
        Ok(PyResource {
            handle: handle.clone(),
            record,
            imr: Py::new(
                py,
                PyGraph::new(imr.into_iter().flatten().collect(), parts.children),
            )?,
            metadata: graph(parts.managed)?,
            user_data: graph(parts.user)?,
        })
    }
}

/// The triples of a resource by who says them.
struct Parts {
    user: Graph,
    managed: Graph,
    /// Membership, inbound references, embedded children.
    related: Graph,
    children: Children,
}

impl Parts {
    fn read(view: &View, record: &Resource, preferences: &Preferences) -> Result<Parts, Error> {
        let user = view.graph(record.rid)?;
        let managed = view.server_triples(record, &managed_only())?;
        let mut related = view.server_triples(
            record,
            &Preferences {
                user: false,
                managed: false,
                ..*preferences
            },
        )?;
        // A user may have said one of these as well.
        let reader = user.reader();
        related.retain(|triple| {
            let TripleRef {
                subject,
                predicate,
                object,
            } = triple.as_ref();
            reader
                .matching(Some(subject), Some(predicate), Some(object))
                .next()
                .is_none()
        });
        drop(reader);
        let children = match preferences.containment {
            true => Children::read(view, record)?,
            false => Children::default(),
        };
        Ok(Parts {
            managed: Graph::encode(&managed),
            related: Graph::encode(&related),
            children,
            user,
        })
    }
}

/// The triples of the server alone.
pub fn managed_only() -> Preferences {
    Preferences {
        user: false,
        managed: true,
        containment: false,
        membership: false,
        inbound: false,
        embedded: false,
    }
}

#[pymethods]
impl PyResource {
    #[getter]
    fn uid(&self) -> &str {
        &self.record.uid
    }

    #[getter]
    fn uri(&self) -> String {
        iri_of(&self.record.uid)
    }

    #[getter]
    fn imr(&self, py: Python<'_>) -> Py<PyGraph> {
        self.imr.clone_ref(py)
    }

    #[getter]
    fn metadata(&self, py: Python<'_>) -> Py<PyGraph> {
        self.metadata.clone_ref(py)
    }

    #[getter]
    fn user_data(&self, py: Python<'_>) -> Py<PyGraph> {
        self.user_data.clone_ref(py)
    }

    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(content) = &self.record.content else {
            return Ok(None);
        };
        let repository = self.handle.get()?;
        let file = repository.store().open_content(content).map_err(refused)?;
        // Python's file owns the descriptor from here on, and closes it.
        py.import("io")?
            .call_method1("open", (file.into_raw_fd(), "rb"))
            .map(Some)
    }

    #[getter]
    fn ldp_types<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        let types: &[&str] = match self.record.model {
            Model::RdfSource => &[ldp::RDF_SOURCE],
            Model::BasicContainer => &[ldp::RDF_SOURCE, ldp::CONTAINER, ldp::BASIC_CONTAINER],
            Model::DirectContainer => &[ldp::RDF_SOURCE, ldp::CONTAINER, ldp::DIRECT_CONTAINER],
            Model::IndirectContainer => &[ldp::RDF_SOURCE, ldp::CONTAINER, ldp::INDIRECT_CONTAINER],
            Model::Binary => &[ldp::NON_RDF_SOURCE],
        };
        PyFrozenSet::new(py, types.iter().chain(&[ldp::RESOURCE]))
    }

    fn __repr__(&self) -> String {
        format!("<ldp.Resource {}>", self.record.uid)
    }
}

/// Preferences from `repr_options` of Lakesuperior.
pub fn preferences(options: Option<&Bound<'_, PyDict>>) -> PyResult<Preferences> {
    let mut preferences = Preferences::default();
    for (name, value) in options.into_iter().flatten() {
        let name: String = name.extract()?;
        let wanted: bool = value.extract()?;
        match name.as_str() {
            "incl_children" => preferences.containment = wanted,
            "incl_srv_mgd" => preferences.managed = wanted,
            "incl_inbound" => preferences.inbound = wanted,
            "embed_children" => preferences.embedded = wanted,
            _ => {
                return Err(pyo3::exceptions::PyValueError::new_err(format!(
                    "unknown representation option {name:?}: incl_children, incl_srv_mgd, \
                     incl_inbound or embed_children"
                )));
            }
        }
    }
    Ok(preferences)
}
