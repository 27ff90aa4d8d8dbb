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

/// Refuses a step with an error, when told to.
#[derive(Debug)]
struct Refuse {
    step: Step,
    errno: i32,
    on: AtomicBool,
}

impl Faults for Refuse {
    fn before(&self, step: Step) -> std::io::Result<()> {
        match step == self.step && self.on.load(Ordering::SeqCst) {
            true => Err(std::io::Error::from_raw_os_error(self.errno)),
            false => Ok(()),
        }
    }
}

/// What refuses, and how a repository is opened to which it does so.
fn refuse(step: Step, errno: i32, on: bool) -> (Arc<Refuse>, Options) {
    let on = AtomicBool::new(on);
    let refuse = Arc::new(Refuse { step, errno, on });
    let mut options = Options::default();
    options.store.faults = Some(refuse.clone());
    (refuse, options)
}

#[test]
fn health_tells_that_writes_are_refused() {
    for (errno, status) in [(libc::EIO, 503), (libc::ENOSPC, 507)] {
        let (refuse, options) = refuse(Step::Write, errno, false);
        let server = Server::with(options, Limits::default());
        server.run(&[("GET /health", &[], "", 200, &[])]);
        refuse.on.store(true, Ordering::SeqCst);
        let until_the_next_start = &[("body", "takes no writes")];
        server.run(&[
            ("PUT /ldp/a", &[TURTLE], "", status, &[]),
            ("GET /health", &[], "", status, until_the_next_start),
            ("GET /ldp", &[], "", 200, &[]),
        ]);
    }
}

#[test]
fn a_full_disk_is_told_until_there_is_space() {
    // A server that comes after another needs a new file for what it writes first.
    let Server { dir, .. } = Server::new();
    let (refuse, options) = refuse(Step::Allocate, libc::ENOSPC, true);
    let server = Server::over(dir, options, Limits::default());
    server.run(&[
        ("GET /health", &[], "", 200, &[]),
        ("PUT /ldp/a", &[TURTLE], "", 507, &[]),
        ("GET /health", &[], "", 507, &[]),
        ("GET /ldp/a", &[], "", 404, &[]),
    ]);
    refuse.on.store(false, Ordering::SeqCst);
    server.run(&[
        ("GET /health", &[], "", 200, &[]),
        ("PUT /ldp/a", &[TURTLE], "", 201, &[]),
        ("GET /health", &[], "", 200, &[]),
    ]);
}
