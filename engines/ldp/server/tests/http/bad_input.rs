//! What is refused, and how.

use crate::harness::{Row, SPARQL, Server, TURTLE};
use ldp_repository::Options;
use ldp_server::http::Limits;

#[test]
fn bad_requests_are_told_what_is_wrong() {
    let long = format!("PUT /ldp/{}", "a/".repeat(2100));
    let rows: &[Row] = &[
        ("GET /", &[], "", 404, &[("body", "/ldp")]),
        ("GET /ldpx", &[], "", 404, &[]),
        (
            "PUT /ldp/a//b",
            &[TURTLE],
            "",
            400,
            &[("body", "empty segment")],
        ),
        ("PUT /ldp/a/../b", &[TURTLE], "", 400, &[]),
        ("PUT /ldp/a%00", &[TURTLE], "", 400, &[]),
        ("PUT /ldp/a%FF", &[TURTLE], "", 400, &[("body", "UTF-8")]),
        ("PUT /ldp/a%zz", &[TURTLE], "", 400, &[]),
        ("PUT /ldp/fcr:x", &[TURTLE], "", 400, &[]),
        (&long, &[TURTLE], "", 414, &[]),
        (
            "PUT /ldp/a",
            &[TURTLE],
            "@prefix x: <urn:> .\n<> x:p ;;; .. \n",
            400,
            &[("body", "\"line\":2")],
        ),
        ("PUT /ldp/a", &[TURTLE], "<> <urn:p> <rel", 400, &[]),
        (
            "PUT /ldp/a",
            &[("content-type", "application/ld+json")],
            r#"{"@context": "http://example.org/c", "a": 1}"#,
            400,
            &[],
        ),
        (
            "PUT /ldp/a",
            &[("content-type", "application/rdf+xml")],
            "<a><b></a>",
            400,
            &[],
        ),
        ("FOO /ldp/", &[], "", 405, &[("allow", "GET")]),
        ("POST /ldp/fcr:metadata", &[], "", 405, &[("allow", "GET")]),
        (
            "PUT /ldp/a",
            &[
                TURTLE,
                ("link", "<http://www.w3.org/ns/ldp#Nothing>; rel=\"type\""),
            ],
            "",
            400,
            &[],
        ),
        ("GET /ldp/a", &[], "", 404, &[]),
    ];
    Server::new().run(rows);
}

#[test]
fn limits_are_kept() {
    let limits = Limits {
        rdf: 100,
        sparql: 50,
        binary: 1000,
        ..Limits::default()
    };
    let server = Server::with(Options::default(), limits);
    let (rdf, text) = ("#".repeat(101), "x".repeat(1001));
    server.run(&[
        ("PUT /ldp/a", &[TURTLE], &rdf, 413, &[("body", "100")]),
        (
            "PUT /ldp/a",
            &[TURTLE, ("content-length", "101")],
            "",
            413,
            &[],
        ),
        (
            "PUT /ldp/a",
            &[("content-type", "text/plain")],
            &text,
            413,
            &[("body", "1000")],
        ),
        (
            "PUT /ldp/a",
            &[("content-type", "text/plain")],
            &text[..1000],
            201,
            &[],
        ),
        (
            "PATCH /ldp/a",
            &[SPARQL],
            &rdf[..51],
            413,
            &[("body", "50")],
        ),
        (
            "POST /query/sparql",
            &[("content-type", "application/sparql-query")],
            &rdf,
            413,
            &[],
        ),
    ]);
}

#[test]
fn deep_nesting_is_no_crash() {
    let deep = format!(
        "<> <urn:p> {}{} .",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let status = Server::new().send("PUT /ldp/a", &[TURTLE], deep).status;
    assert!([201, 400].contains(&status), "{status}");
}
