//! Counts of requests, in the text format of Prometheus.

use axum::http::{Method, StatusCode};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Requests since the start, by method and status.
#[derive(Default)]
pub struct Metrics(Mutex<BTreeMap<(&'static str, u16), Count>>);

#[derive(Clone, Copy, Default)]
struct Count {
    requests: u64,
    seconds: f64,
}

impl Metrics {
    /// Counts one answered request; `time` ends with the first byte of the answer.
    pub fn count(&self, method: &Method, status: StatusCode, time: Duration) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry((label(method), status.as_u16())).or_default();
        count.requests += 1;
        count.seconds += time.as_secs_f64();
    }

    /// The counts as text; the numbers of the object `store` become gauges.
    pub fn text(&self, store: &serde_json::Value) -> String {
        let counts = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut text = String::from("# TYPE ldp_request_seconds summary\n");
        for ((method, status), count) in &counts {
            // Writing to a string does not fail.
            let _ = write!(
                text,
                "ldp_request_seconds_count{{method=\"{method}\",status=\"{status}\"}} {}\n\
                 ldp_request_seconds_sum{{method=\"{method}\",status=\"{status}\"}} {}\n",
                count.requests, count.seconds
            );
        }
        for (name, value) in store.as_object().into_iter().flatten() {
            let _ = write!(
                text,
                "# TYPE ldp_store_{name} gauge\nldp_store_{name} {value}\n"
            );
        }
        text
    }
}

/// Clients can invent methods: those are counted together.
fn label(method: &Method) -> &'static str {
    ["GET", "HEAD", "OPTIONS", "PUT", "POST", "PATCH", "DELETE"]
        .into_iter()
        .find(|name| *name == method.as_str())
        .unwrap_or("other")
}
