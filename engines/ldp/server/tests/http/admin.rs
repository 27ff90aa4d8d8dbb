//! What operators ask for.

use crate::harness::{Server, TURTLE};
use ldp_repository::{Options, Repository};
use ldp_server::http::Limits;
use ldp_store::{Faults, Step};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn operators_are_answered() {
    let server = Server::new();
    server.run(&[
        ("PUT /ldp/a", &[TURTLE], "<> <urn:p> 1 .", 201, &[]),
        (
            "PUT /ldp/b",
            &[("content-type", "text/plain")],
            "bytes",
            201,
            &[],
        ),
        ("GET /health", &[], "", 200, &[]),
        (
            "GET /metrics",
            &[],
            "",
            200,
            &[(
                "body",
                "ldp_request_seconds_count{method=\"PUT\",status=\"201\"} 2",
            )],
        ),
        (
            "GET /admin/stats",
            &[],
            "",
            200,
            &[("content-type", "application/json")],
        ),
        (
            "POST /admin/check",
            &[],
            "",
            200,
            &[("body", "\"ok\":true")],
        ),
        ("POST /admin/compact", &[], "", 200, &[]),
        ("POST /admin/backup?name=b1", &[], "", 201, &[]),
        ("POST /admin/backup?name=b1", &[], "", 409, &[]),
        ("POST /admin/backup?name=../b", &[], "", 400, &[]),
        ("POST /admin/export?name=e1", &[], "", 201, &[]),
        (
            "GET /admin/b/fixity",
            &[],
            "",
            200,
            &[("body", "\"ok\":true")],
        ),
        ("GET /ldp/a", &[], "", 200, &[("body", "urn:p")]),
    ]);
    assert!(server.dir.path().join("out/b1").is_dir() && server.dir.path().join("out/e1").is_dir());
}

#[test]
fn a_backup_opens_as_a_store() {
    let server = Server::new();
    server.run(&[
        ("PUT /ldp/a", &[TURTLE], "<> <urn:p> 1 .", 201, &[]),
        ("POST /admin/backup?name=b", &[], "", 201, &[]),
        ("DELETE /ldp/a", &[], "", 204, &[]),
    ]);
    let copy = Repository::open(&server.dir.path().join("out/b"), Options::default());
    let copy = copy.expect("a repository");
    assert!(copy.view().get("/a").is_ok());
}

/// Refuses to write when told to.
#[derive(Debug, Default)]
struct Refuse(AtomicBool);

impl Faults for Refuse {
    fn before(&self, step: Step) -> std::io::Result<()> {
        match step == Step::Write && self.0.load(Ordering::SeqCst) {
            true => Err(std::io::Error::other("no")),
            false => Ok(()),
        }
    }
}

#[test]
fn health_tells_that_writes_are_refused() {
    let refuse = Arc::new(Refuse::default());
    let mut options = Options::default();
    options.store.faults = Some(refuse.clone());
    let server = Server::with(options, Limits::default());
    server.run(&[("GET /health", &[], "", 200, &[])]);
    refuse.0.store(true, Ordering::SeqCst);
    server.run(&[
        ("PUT /ldp/a", &[TURTLE], "", 503, &[]),
        ("GET /health", &[], "", 503, &[("body", "takes no writes")]),
        ("GET /ldp", &[], "", 200, &[]),
    ]);
}
