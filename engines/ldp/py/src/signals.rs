//! Signals that arrive while the interpreter waits for an evaluation.

use ldp_sparql::Stop;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// Runs `work` without the lock of the interpreter. Handlers of signals run meanwhile; one that raises, as
/// that of Ctrl-C does, stops the work, and what it raised is the error.
pub fn attended<T: Send>(py: Python<'_>, work: impl FnOnce(Stop) -> T + Send) -> PyResult<T> {
    let raised = Arc::new(Mutex::new(None));
    let kept = raised.clone();
    let stop = Stop::when(move || {
        let Err(error) = Python::attach(|py| py.check_signals()) else {
            return false;
        };
        *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        true
    });
    let done = py.detach(|| work(stop));
    match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Err(error),
        None => Ok(done),
    }
}
