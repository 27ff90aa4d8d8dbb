//! `ldp.Version`: a version without its state.

use ldp_repository::VersionInfo;
use pyo3::prelude::*;

/// A version of a resource.
#[pyclass(name = "Version", module = "ldp", frozen)]
pub struct PyVersion(pub VersionInfo);

#[pymethods]
impl PyVersion {
    #[getter]
    fn uid(&self) -> &str {
        &self.0.label
    }

    #[getter]
    fn created<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let datetime = py.import("datetime")?;
        let zero = datetime.getattr("datetime")?.call_method1(
            "fromtimestamp",
            (0, datetime.getattr("timezone")?.getattr("utc")?),
        )?;
        // Whole microseconds: a float would lose the last ones.
        zero.add(datetime.getattr("timedelta")?.call1((0, 0, self.0.at))?)
    }

    fn __repr__(&self) -> String {
        format!("<ldp.Version {}>", self.0.label)
    }
}
