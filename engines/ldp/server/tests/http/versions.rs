//! Versions and Memento.

use crate::harness::{Server, TURTLE};

#[test]
fn versions_are_kept_shown_and_brought_back() {
    let server = Server::new();
    server.run(&[
        ("PUT /ldp/a", &[TURTLE], "<> <urn:p> \"first\" .", 201, &[]),
        (
            "GET /ldp/a",
            &[("accept-datetime", "Thu, 01 Jan 2015 00:00:00 GMT")],
            "",
            200,
            &[],
        ),
        (
            "POST /ldp/a/fcr:versions",
            &[("slug", "v1")],
            "",
            201,
            &[
                ("location", "http://h/ldp/a/fcr:versions/v1"),
                ("memento-datetime", "GMT"),
            ],
        ),
        ("POST /ldp/a/fcr:versions", &[("slug", "v1")], "", 409, &[]),
        ("PUT /ldp/a", &[TURTLE], "<> <urn:p> \"second\" .", 204, &[]),
        (
            "GET /ldp/a/fcr:versions",
            &[],
            "",
            200,
            &[
                ("body", "http://h/ldp/a/fcr:versions/v1"),
                ("content-type", "text/turtle"),
            ],
        ),
        (
            "GET /ldp/a/fcr:versions",
            &[("accept", "application/link-format")],
            "",
            200,
            &[("body", "rel=\"memento\"; datetime="), ("body", "original")],
        ),
        (
            "GET /ldp/a/fcr:versions/v1",
            &[],
            "",
            200,
            &[
                ("body", "first"),
                ("memento-datetime", "GMT"),
                ("link", "rel=\"original"),
            ],
        ),
        ("GET /ldp/a/fcr:versions/v2", &[], "", 404, &[]),
        (
            "GET /ldp/a",
            &[("accept-datetime", "Fri, 01 Jan 2100 00:00:00 GMT")],
            "",
            302,
            &[
                ("location", "http://h/ldp/a/fcr:versions/v1"),
                ("vary", "Accept-Datetime"),
            ],
        ),
        (
            "GET /ldp/a",
            &[("accept-datetime", "tomorrow")],
            "",
            400,
            &[],
        ),
        (
            "GET /ldp/a",
            &[],
            "",
            200,
            &[
                ("body", "second"),
                ("link", "<http://h/ldp/a/fcr:versions>; rel=\"timemap\""),
            ],
        ),
        ("PATCH /ldp/a/fcr:versions/v1", &[], "", 204, &[]),
        ("GET /ldp/a", &[], "", 200, &[("body", "first")]),
        ("DELETE /ldp/a/fcr:versions/v1", &[], "", 204, &[]),
        ("GET /ldp/a/fcr:versions/v1", &[], "", 404, &[]),
        (
            "PUT /ldp/a/fcr:versions/v1",
            &[],
            "",
            405,
            &[("allow", "PATCH")],
        ),
    ]);
}

#[test]
fn versions_of_binaries_keep_their_bytes() {
    let text = ("content-type", "text/plain");
    Server::new().run(&[
        ("PUT /ldp/b", &[text], "old", 201, &[]),
        ("POST /ldp/b/fcr:versions", &[("slug", "v1")], "", 201, &[]),
        ("PUT /ldp/b", &[text], "new", 204, &[]),
        (
            "GET /ldp/b/fcr:versions/v1",
            &[],
            "",
            200,
            &[("body", "old"), ("content-type", "text/plain")],
        ),
        ("GET /ldp/b", &[], "", 200, &[("body", "new")]),
    ]);
}

#[test]
fn a_label_is_a_segment() {
    let server = Server::new();
    server.run(&[
        ("PUT /ldp/a", &[TURTLE], "", 201, &[]),
        (
            "POST /ldp/a/fcr:versions",
            &[("slug", "v%2F1%0A?")],
            "",
            201,
            &[("location", "http://h/ldp/a/fcr:versions/v%2D1%2D%2D")],
        ),
        ("GET /ldp/a/fcr:versions/v-1--", &[], "", 200, &[]),
    ]);
}
