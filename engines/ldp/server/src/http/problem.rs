//! What went wrong, as `application/problem+json` (RFC 9457).

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// A refused request: the status, one sentence, and what the client may need to mend it.
#[derive(Debug)]
pub struct Problem {
    /// The status of the answer.
    pub status: StatusCode,
    /// What was wrong, where, and what was expected.
    pub detail: String,
    /// Line and column in the body, from 1.
    pub place: Option<(u64, u64)>,
    /// The path of the deleted resource whose tombstone the answer links to.
    pub tombstone: Option<String>,
    /// Headers of the answer beside its type.
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    /// A problem without a place.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Problem {
        Problem {
            status,
            detail: detail.into(),
            place: None,
            tombstone: None,
            headers: Vec::new(),
        }
    }

    /// 400, the request cannot be read.
    pub fn bad_request(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, detail)
    }

    /// 405, with the methods that are allowed.
    pub fn not_allowed(detail: impl Into<String>, allow: &str) -> Problem {
        Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail).with(header::ALLOW, allow)
    }

    /// Adds a header; a value that no header can carry is left out.
    pub fn with(mut self, name: HeaderName, value: &str) -> Problem {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((name, value));
        }
        self
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut body = serde_json::json!({
            "title": self.status.canonical_reason().unwrap_or("Error"),
            "status": self.status.as_u16(),
            "detail": self.detail,
        });
        if let Some((line, column)) = self.place {
            body["line"] = line.into();
            body["column"] = column.into();
        }
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = self.status;
        response.headers_mut().extend(self.headers);
        response.headers_mut().insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        response
    }
}
