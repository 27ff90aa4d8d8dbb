//! Transactions.

use crate::harness::{Server, TURTLE};
use ldp_repository::Options;
use ldp_server::http::Limits;

/// Begins one; gives its identifier.
pub fn begin(server: &Server) -> String {
    let answer = server.send("POST /ldp/fcr:tx", &[], "");
    assert_eq!(answer.status, 201);
    assert!(answer.header("atomic-expires").ends_with("GMT"));
    let location = answer.header("location");
    location
        .strip_prefix("http://h/ldp/fcr:tx/")
        .expect("an identifier")
        .to_string()
}

#[test]
fn a_transaction_is_seen_whole_or_not_at_all() {
    let server = Server::new();
    let id = begin(&server);
    let (end, url) = (
        format!("PUT /ldp/fcr:tx/{id}"),
        format!("http://h/ldp/fcr:tx/{id}"),
    );
    let atomic = ("atomic-id", url.as_str());
    server.run(&[
        (
            "PUT /ldp/a",
            &[TURTLE, atomic],
            "<> <urn:p> 1 .",
            201,
            &[("atomic-id", &url)],
        ),
        ("POST /ldp/", &[TURTLE, atomic, ("slug", "b")], "", 201, &[]),
        ("GET /ldp/a", &[], "", 404, &[]),
        (
            "GET /ldp/a",
            &[("atomic-id", &id)],
            "",
            200,
            &[("body", "urn:p")],
        ),
        ("PUT /ldp/a", &[TURTLE], "", 409, &[("body", &id)]),
        (&end, &[], "", 204, &[]),
        ("GET /ldp/a", &[], "", 200, &[]),
        ("GET /ldp/b", &[], "", 200, &[]),
        (&end, &[], "", 404, &[]),
        ("PUT /ldp/c", &[TURTLE, atomic], "", 404, &[]),
    ]);
}

#[test]
fn what_is_rolled_back_leaves_no_trace() {
    let server = Server::new();
    let id = begin(&server);
    let path = format!("/ldp/fcr:tx/{id}");
    server.run(&[
        (
            &format!("GET {path}"),
            &[],
            "",
            204,
            &[("atomic-expires", "GMT")],
        ),
        ("PUT /ldp/a", &[TURTLE, ("atomic-id", &id)], "", 201, &[]),
        (&format!("POST {path}"), &[], "", 204, &[]),
        (&format!("DELETE {path}"), &[], "", 204, &[]),
        ("GET /ldp/a", &[], "", 404, &[]),
        ("PUT /ldp/a", &[TURTLE], "", 201, &[]),
        (&format!("PATCH {path}"), &[], "", 405, &[]),
        ("POST /ldp/a/fcr:tx", &[], "", 400, &[]),
    ]);
}

#[test]
fn what_does_not_fit_is_refused_and_the_rest_stays() {
    let options = Options {
        transaction_bytes: 1000,
        ..Options::default()
    };
    let server = Server::with(options, Limits::default());
    let id = begin(&server);
    let own = ("atomic-id", &*id);
    let long = format!("<> <x:p> \"{}\" .", "x".repeat(1000));
    let too_much = ("body", "would hold more than 1000 bytes");
    server.run(&[
        ("PUT /ldp/a", &[TURTLE, own], "", 201, &[]),
        ("PUT /ldp/b", &[TURTLE, own], &long, 409, &[too_much]),
        (&format!("PUT /ldp/fcr:tx/{id}"), &[], "", 204, &[]),
        ("GET /ldp/a", &[], "", 200, &[]),
        ("GET /ldp/b", &[], "", 404, &[]),
    ]);
}
