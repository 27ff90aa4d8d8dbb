//! Entity tags and conditional requests.

use crate::harness::{Server, TURTLE};
use ldp_repository::Options;
use ldp_server::http::Limits;

#[test]
fn conditions_hold_or_the_request_is_refused() {
    let server = Server::new();
    server.run(&[("PUT /ldp/a", &[TURTLE], "<> <urn:p> 1 .", 201, &[])]);
    let turtle = server.send("GET /ldp/a", &[], "").header("etag");
    let json = server
        .send("GET /ldp/a", &[("accept", "application/ld+json")], "")
        .header("etag");
    assert!(turtle.starts_with('"') && turtle != json, "{turtle} {json}");
    let weak = format!("W/{turtle}");
    server.run(&[
        (
            "GET /ldp/a",
            &[("if-none-match", &turtle)],
            "",
            304,
            &[("etag", &turtle), ("body", "")],
        ),
        ("HEAD /ldp/a", &[("if-none-match", &weak)], "", 304, &[]),
        ("GET /ldp/a", &[("if-none-match", &json)], "", 200, &[]),
        (
            "GET /ldp/a",
            &[("if-none-match", "\"other\"")],
            "",
            200,
            &[],
        ),
        ("GET /ldp/a", &[("if-none-match", "other")], "", 400, &[]),
        (
            "GET /ldp/a",
            &[("if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT")],
            "",
            304,
            &[],
        ),
        (
            "PUT /ldp/a",
            &[TURTLE, ("if-match", "\"other\"")],
            "",
            412,
            &[],
        ),
        ("PUT /ldp/a", &[TURTLE, ("if-match", &weak)], "", 412, &[]),
        (
            "PUT /ldp/a",
            &[TURTLE, ("if-none-match", "*")],
            "",
            412,
            &[],
        ),
        ("PUT /ldp/new", &[TURTLE, ("if-match", "*")], "", 412, &[]),
        (
            "PUT /ldp/a",
            &[
                TURTLE,
                ("if-unmodified-since", "Thu, 01 Jan 1970 00:00:00 GMT"),
            ],
            "",
            412,
            &[],
        ),
        ("DELETE /ldp/a", &[("if-match", "\"other\"")], "", 412, &[]),
        (
            "PUT /ldp/a",
            &[TURTLE, ("if-match", &json)],
            "<> <urn:p> 2 .",
            204,
            &[],
        ),
        ("PUT /ldp/a", &[TURTLE, ("if-match", &turtle)], "", 412, &[]),
        (
            "PUT /ldp/new",
            &[TURTLE, ("if-none-match", "*")],
            "",
            201,
            &[],
        ),
    ]);
}

#[test]
fn the_tag_of_a_put_is_that_of_the_next_get() {
    let server = Server::new();
    let put = server
        .send("PUT /ldp/a", &[TURTLE], "<> <urn:p> 1 .")
        .header("etag");
    assert_eq!(server.send("GET /ldp/a", &[], "").header("etag"), put);
    server.send("PUT /ldp/a/b", &[TURTLE], "");
    assert_ne!(
        server.send("GET /ldp/a", &[], "").header("etag"),
        put,
        "a child has come"
    );
}

#[test]
fn if_match_can_be_demanded() {
    let options = Options {
        require_if_match: true,
        ..Options::default()
    };
    let server = Server::with(options, Limits::default());
    server.run(&[
        ("PUT /ldp/a", &[TURTLE], "", 201, &[]),
        ("PUT /ldp/a", &[TURTLE], "", 428, &[]),
        ("PUT /ldp/a", &[TURTLE, ("if-match", "*")], "", 204, &[]),
    ]);
}

#[test]
fn no_date_speaks_for_what_other_resources_add() {
    const EVER: (&str, &str) = ("if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT");
    const DIRECT: (&str, &str) = (
        "link",
        "<http://www.w3.org/ns/ldp#DirectContainer>; rel=\"type\"",
    );
    let membership = "<> <http://www.w3.org/ns/ldp#membershipResource> </ldp/a> ; \
        <http://www.w3.org/ns/ldp#hasMemberRelation> <urn:has> .";
    let inbound = (
        "prefer",
        "return=representation; include=\"http://fedora.info/definitions/v4/repository#InboundReferences\"",
    );
    let alone = (
        "prefer",
        "return=representation; omit=\"http://www.w3.org/ns/ldp#PreferMembership\"",
    );
    let server = Server::new();
    server.run(&[
        ("PUT /ldp/a", &[TURTLE], "", 201, &[]),
        ("GET /ldp/a", &[EVER], "", 304, &[("last-modified", "GMT")]),
        ("GET /ldp/a", &[EVER, inbound], "", 200, &[]),
        ("PUT /ldp/d", &[TURTLE, DIRECT], membership, 201, &[]),
        ("POST /ldp/d", &[TURTLE, ("slug", "x")], "", 201, &[]),
        ("GET /ldp/a", &[EVER], "", 200, &[("body", "urn:has")]),
        ("GET /ldp/a", &[EVER, alone], "", 304, &[]),
    ]);
    assert_eq!(
        server.send("GET /ldp/a", &[], "").header("last-modified"),
        ""
    );
}
