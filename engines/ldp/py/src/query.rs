//! `repository.query`: questions to the whole repository.

use crate::error::unanswered;
use crate::format;
use crate::repository::Handle;
use ldp_rdf::Root;
use ldp_sparql::{Form, Format, Limits, Options};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::time::Duration;

/// Asks the whole repository.
#[pyclass(module = "ldp", frozen)]
pub struct Query(pub Handle);

#[pymethods]
impl Query {
    #[pyo3(signature = (qry_str, fmt = None, *, timeout = 30.0))]
    fn sparql_query(
        &self,
        py: Python<'_>,
        qry_str: &str,
        fmt: Option<&str>,
        timeout: f64,
    ) -> PyResult<Vec<u8>> {
        let time = Duration::try_from_secs_f64(timeout)
            .map_err(|error| PyValueError::new_err(format!("timeout {timeout}: {error}")))?;
        let limits = Limits {
            time,
            ..Limits::default()
        };
        let options = Options {
            limits,
            ..Options::default()
        };
        let wanted = fmt.map(named).transpose()?;
        let view = self.0.get()?.view();
        let mut answer = Vec::new();
        py.detach(|| {
            let choose = |form: Form| wanted.or_else(|| form.formats().first().copied());
            ldp_sparql::query(
                &view,
                &Root::inside_only(),
                qry_str,
                &options,
                choose,
                &mut answer,
            )
        })
        .map_err(unanswered)?;
        Ok(answer)
    }
}

/// The format of results of a name.
fn named(name: &str) -> PyResult<Format> {
    match name {
        "json" => Ok(Format::Json),
        "xml" => Ok(Format::Xml),
        "csv" => Ok(Format::Csv),
        "tsv" => Ok(Format::Tsv),
        _ => match Format::from_media_type(name) {
            Some(format) => Ok(format),
            None => Ok(Format::Rdf(format::named(name)?)),
        },
    }
}
