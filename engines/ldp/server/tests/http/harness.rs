//! A server in the test's process, and tables of requests for it.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use ldp_repository::{Options, Repository};
use ldp_server::http::{App, Limits, router};
use std::sync::Arc;
use tempfile::TempDir;
use tower::ServiceExt;

/// `METHOD path`, headers, body, status, and parts of the answer: (header, text in it),
/// (`body`, text in it), (`!header`, "") for a header that must not be there.
pub type Row<'a> = (
    &'a str,
    &'a [(&'a str, &'a str)],
    &'a str,
    u16,
    &'a [(&'a str, &'a str)],
);

pub const TURTLE: (&str, &str) = ("content-type", "text/turtle");
pub const SPARQL: (&str, &str) = ("content-type", "application/sparql-update");

pub struct Server {
    router: Router,
    runtime: tokio::runtime::Runtime,
    pub dir: TempDir,
}

pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    /// All values of a header, with newlines between them.
    pub fn header(&self, name: &str) -> String {
        let values = self
            .headers
            .get_all(name)
            .iter()
            .filter_map(|value| value.to_str().ok());
        values.collect::<Vec<_>>().join("\n")
    }
}

impl Server {
    pub fn new() -> Server {
        Server::with(Options::default(), Limits::default())
    }

    pub fn with(options: Options, limits: Limits) -> Server {
        Server::over(TempDir::new().expect("a folder"), options, limits)
    }

    /// Over a folder that another server has left, perhaps.
    pub fn over(dir: TempDir, options: Options, limits: Limits) -> Server {
        let repository =
            Repository::open(&dir.path().join("store"), options).expect("a repository");
        let out = Some(dir.path().join("out"));
        let router = router(App::new(Arc::new(repository), None, limits, out));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build();
        Server {
            router,
            runtime: runtime.expect("a runtime"),
            dir,
        }
    }

    pub fn send(&self, request: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Answer {
        let (method, path) = request.split_once(' ').expect("METHOD path");
        let mut builder = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "h");
        for (name, value) in headers {
            builder = builder.header(*name, value.as_bytes());
        }
        let request = builder.body(body.into()).expect("a request");
        self.runtime.block_on(async {
            let response = self
                .router
                .clone()
                .oneshot(request)
                .await
                .expect("an answer");
            let (parts, body) = response.into_parts();
            let body = to_bytes(body, usize::MAX).await.expect("a whole body");
            Answer {
                status: parts.status.as_u16(),
                headers: parts.headers,
                body: String::from_utf8_lossy(&body).into_owned(),
            }
        })
    }

    /// Sends each request of a table, in order, and compares.
    pub fn run(&self, rows: &[Row]) {
        for (i, (request, headers, body, status, expected)) in rows.iter().enumerate() {
            let answer = self.send(request, headers, body.to_string());
            let tell = || {
                format!(
                    "row {i}: {request} {headers:?}\n{:?}\n{}",
                    answer.headers, answer.body
                )
            };
            assert_eq!(answer.status, *status, "{}", tell());
            for (name, text) in *expected {
                if let Some(name) = name.strip_prefix('!') {
                    assert!(!answer.headers.contains_key(name), "{name} in {}", tell());
                } else if *name == "body" {
                    assert!(
                        answer.body.contains(text),
                        "no {text:?} in the body of {}",
                        tell()
                    );
                } else {
                    assert!(
                        answer.header(name).contains(text),
                        "no {text:?} in {name} of {}",
                        tell()
                    );
                }
            }
        }
    }
}
