//! POST, Slug, containment, membership, preferences, streams.

use crate::harness::{Row, Server, TURTLE};

const LDP: &str = "http://www.w3.org/ns/ldp#";

#[test]
fn containers_name_what_is_posted() {
    let server = Server::new();
    server.run(&[
        (
            "PUT /ldp/c",
            &[TURTLE],
            "",
            201,
            &[
                ("link", "ldp#BasicContainer"),
                ("accept-post", "text/turtle"),
                ("allow", "POST"),
            ],
        ),
        (
            "POST /ldp/c",
            &[TURTLE, ("slug", "one")],
            "<> <urn:p> 1 .",
            201,
            &[("location", "http://h/ldp/c/one")],
        ),
        ("GET /ldp/c/one", &[], "", 200, &[("body", "urn:p")]),
        (
            "GET /ldp/c",
            &[],
            "",
            200,
            &[("body", "http://h/ldp/c/one"), ("body", "contains")],
        ),
        ("POST /ldp/missing", &[TURTLE], "", 404, &[]),
        ("PUT /ldp/x/y/z", &[TURTLE], "", 201, &[]),
        (
            "GET /ldp/x/y",
            &[],
            "",
            200,
            &[
                ("body", "http://h/ldp/x/y/z"),
                ("link", "ldp#BasicContainer"),
            ],
        ),
        ("DELETE /ldp/x", &[], "", 204, &[]),
        (
            "GET /ldp/x/y/z",
            &[],
            "",
            410,
            &[(
                "link",
                "<http://h/ldp/x/fcr:tombstone>; rel=\"hasTombstone\"",
            )],
        ),
        ("DELETE /ldp/", &[], "", 405, &[]),
        (
            "PUT /ldp/s",
            &[
                TURTLE,
                ("link", "<http://www.w3.org/ns/ldp#RDFSource>; rel=type"),
            ],
            "",
            201,
            &[("!accept-post", "")],
        ),
        (
            "POST /ldp/s",
            &[TURTLE],
            "",
            405,
            &[("allow", "GET, HEAD, OPTIONS, PUT, PATCH, DELETE")],
        ),
    ]);
    let taken = server.send("POST /ldp/c", &[TURTLE, ("slug", "one")], "");
    assert_eq!(taken.status, 201);
    assert_ne!(taken.header("location"), "http://h/ldp/c/one");
    let unnamed = server.send("POST /ldp/c", &[TURTLE], "");
    assert!(
        unnamed.header("location").len() > "http://h/ldp/c/".len(),
        "{}",
        unnamed.header("location")
    );
}

#[test]
fn preferences_choose_triples() {
    let server = Server::new();
    let omit = format!("return=representation; omit=\"{LDP}PreferContainment\"");
    let minimal = format!("return=representation; include=\"{LDP}PreferMinimalContainer\"");
    let rows: &[Row] = &[
        ("PUT /ldp/c", &[TURTLE], "<> <urn:p> 1 .", 201, &[]),
        ("PUT /ldp/c/d", &[TURTLE], "", 201, &[]),
        (
            "GET /ldp/c",
            &[],
            "",
            200,
            &[("body", "/ldp/c/d"), ("!preference-applied", "")],
        ),
        (
            "GET /ldp/c",
            &[("prefer", &omit)],
            "",
            200,
            &[
                ("preference-applied", "return=representation"),
                ("body", "urn:p"),
            ],
        ),
    ];
    server.run(rows);
    for prefer in [&omit, &minimal] {
        let body = server.send("GET /ldp/c", &[("prefer", prefer)], "").body;
        assert!(!body.contains("/ldp/c/d"), "{prefer}: {body}");
    }
}

#[test]
fn members_follow_what_is_contained() {
    let direct = format!(
        "@prefix ldp: <{LDP}> . <> a ldp:DirectContainer ; ldp:membershipResource </ldp/m> ; ldp:hasMemberRelation <urn:has> ."
    );
    let indirect = format!(
        "@prefix ldp: <{LDP}> . <> ldp:membershipResource </ldp/m> ; ldp:hasMemberRelation <urn:about> ; ldp:insertedContentRelation <urn:topic> ."
    );
    let link = |name: &str| format!("<{LDP}{name}>; rel=\"type\"");
    Server::new().run(&[
        ("PUT /ldp/m", &[TURTLE], "", 201, &[]),
        (
            "PUT /ldp/d",
            &[TURTLE, ("link", &link("DirectContainer"))],
            &direct,
            201,
            &[("link", "ldp#DirectContainer")],
        ),
        ("POST /ldp/d", &[TURTLE, ("slug", "one")], "", 201, &[]),
        (
            "GET /ldp/m",
            &[("accept", "application/n-triples")],
            "",
            200,
            &[("body", "<http://h/ldp/m> <urn:has> <http://h/ldp/d/one>")],
        ),
        (
            "PUT /ldp/i",
            &[TURTLE, ("link", &link("IndirectContainer"))],
            &indirect,
            201,
            &[("link", "ldp#IndirectContainer")],
        ),
        (
            "POST /ldp/i",
            &[TURTLE, ("slug", "two")],
            "<> <urn:topic> <urn:cats> .",
            201,
            &[],
        ),
        (
            "GET /ldp/m",
            &[("accept", "application/n-triples")],
            "",
            200,
            &[("body", "<http://h/ldp/m> <urn:about> <urn:cats>")],
        ),
        ("DELETE /ldp/d/one", &[], "", 204, &[]),
    ]);
}

#[test]
fn long_listings_are_whole() {
    let server = Server::new();
    server.run(&[("PUT /ldp/c", &[TURTLE], "", 201, &[])]);
    for i in 0..1500 {
        let name = format!("PUT /ldp/c/child-with-a-rather-long-name-{i:04}");
        assert_eq!(server.send(&name, &[TURTLE], "").status, 201);
    }
    for accept in [
        "text/turtle",
        "application/n-triples",
        "application/ld+json",
        "application/rdf+xml",
        "text/html",
    ] {
        let answer = server.send("GET /ldp/c", &[("accept", accept)], "");
        let children = answer
            .body
            .matches("child-with-a-rather-long-name-")
            .count();
        // HTML has each name as text and as a link.
        let times = if accept == "text/html" { 2 } else { 1 };
        assert_eq!(children, 1500 * times, "{accept}");
    }
}
