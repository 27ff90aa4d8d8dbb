//! `repository.admin`: looking after the repository.

use crate::error::{ChecksumValidationError, Error, InvalidResourceError, refused};
use crate::repository::Handle;
use pyo3::prelude::*;
use sha2::{Digest, Sha256};
use std::io::{self, Read};

/// Looks after the repository.
#[pyclass(module = "ldp", frozen)]
pub struct Admin(pub Handle);

#[pymethods]
impl Admin {
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let repository = self.0.get()?;
        let stats = py.detach(|| repository.store().stats()).map_err(refused)?;
        let text = serde_json::to_string(&stats)
            .map_err(|error| Error::new_err(format!("the figures are no JSON: {error}")))?;
        py.import("json")?.call_method1("loads", (text,))
    }

    fn integrity_check(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let repository = self.0.get()?;
        let report = py.detach(|| repository.store().check()).map_err(refused)?;
        Ok(report.damages)
    }

    fn fixity_check(&self, py: Python<'_>, uid: &str) -> PyResult<String> {
        let repository = self.0.get()?;
        let resource = repository.view().get(uid).map_err(refused)?;
        let Some(content) = &resource.content else {
            return Err(InvalidResourceError::new_err(format!(
                "resource {uid} has no content to check"
            )));
        };
        let file = repository.store().open_content(content).map_err(refused)?;
        let found = py.detach(|| hash(file)).map_err(|error| {
            Error::new_err(format!("cannot read the content of {uid}: {error}"))
        })?;
        if found == content.sha256 {
            return Ok(hex(&found));
        }
        Err(ChecksumValidationError::new_err(format!(
            "the content of {uid} has the SHA-256 {}, not {}",
            hex(&found),
            hex(&content.sha256)
        )))
    }
}

fn hash(mut file: impl Read) -> io::Result<[u8; 32]> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.finalize().into()),
            length => hash.update(&buffer[..length]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
