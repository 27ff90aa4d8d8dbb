//! RDF sources: PUT, GET, PATCH, DELETE, tombstones.

use crate::harness::{Answer, Row, SPARQL, Server, TURTLE};
use crate::transactions::begin;
use ldp_repository::{Options, References};
use ldp_server::http::{Limits, path};
use std::collections::BTreeSet;

#[test]
fn a_resource_lives_and_dies() {
    let rows: &[Row] = &[
        (
            "GET /ldp/a",
            &[],
            "",
            404,
            &[("content-type", "application/problem+json"), ("body", "/a")],
        ),
        (
            "PUT /ldp/a",
            &[TURTLE],
            "<> <urn:p> <#x>, \"é\" .",
            201,
            &[("location", "http://h/ldp/a"), ("etag", "\"")],
        ),
        (
            "GET /ldp/a",
            &[],
            "",
            200,
            &[
                ("content-type", "text/turtle"),
                ("body", "http://h/ldp/a#x"),
                ("body", "\"é\""),
                ("link", "<http://www.w3.org/ns/ldp#Resource>; rel=\"type\""),
                ("etag", "\""),
                ("last-modified", "GMT"),
                ("vary", "Accept"),
                ("allow", "PATCH"),
                ("accept-patch", "application/sparql-update"),
            ],
        ),
        (
            "HEAD /ldp/a",
            &[],
            "",
            200,
            &[("etag", "\""), ("content-type", "text/turtle")],
        ),
        (
            "OPTIONS /ldp/a",
            &[],
            "",
            200,
            &[
                ("allow", "DELETE"),
                ("link", "ldp#Resource"),
                ("accept-patch", "sparql"),
            ],
        ),
        (
            "PUT /ldp/a",
            &[TURTLE],
            "<> <urn:p> 2 .",
            204,
            &[("!location", "")],
        ),
        ("GET /rest/a", &[], "", 200, &[("body", "http://h/rest/a")]),
        (
            "PATCH /ldp/a",
            &[SPARQL],
            "DELETE { <> ?p 2 } INSERT { <> <urn:q> <b> } WHERE { <> ?p 2 }",
            204,
            &[],
        ),
        (
            "GET /ldp/a",
            &[("accept", "application/n-triples")],
            "",
            200,
            &[
                ("content-type", "application/n-triples"),
                ("body", "<http://h/ldp/a> <urn:q> <http://h/ldp/b> ."),
            ],
        ),
        ("DELETE /ldp/a", &[], "", 204, &[]),
        (
            "GET /ldp/a",
            &[],
            "",
            410,
            &[(
                "link",
                "<http://h/ldp/a/fcr:tombstone>; rel=\"hasTombstone\"",
            )],
        ),
        ("PUT /ldp/a", &[TURTLE], "", 410, &[]),
        ("DELETE /ldp/a", &[], "", 410, &[]),
        (
            "GET /ldp/a/fcr:tombstone",
            &[],
            "",
            405,
            &[("allow", "POST, DELETE")],
        ),
        (
            "POST /ldp/a/fcr:tombstone",
            &[],
            "",
            201,
            &[("location", "http://h/ldp/a")],
        ),
        ("GET /ldp/a", &[], "", 200, &[("body", "urn:q")]),
        ("DELETE /ldp/a", &[], "", 204, &[]),
        ("DELETE /ldp/a/fcr:tombstone", &[], "", 204, &[]),
        ("GET /ldp/a", &[], "", 404, &[]),
        ("DELETE /ldp/a/fcr:tombstone", &[], "", 404, &[]),
        ("PUT /ldp/a", &[TURTLE], "", 201, &[]),
        ("DELETE /ldp/a", &[("prefer", "no-tombstone")], "", 204, &[]),
        ("GET /ldp/a", &[], "", 404, &[]),
    ];
    Server::new().run(rows);
}

#[test]
fn every_syntax_goes_in_and_out() {
    let server = Server::new();
    for (i, (media_type, text)) in [
        ("text/turtle", "<> <urn:p> \"v\" ."),
        ("application/n-triples", "<http://h/ldp/r1> <urn:p> \"v\" ."),
        ("application/rdf+xml", "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:u='urn:'><rdf:Description rdf:about=''><u:p>v</u:p></rdf:Description></rdf:RDF>"),
        ("application/ld+json", r#"{"@id": "", "urn:p": "v"}"#),
    ].into_iter().enumerate() {
        let path = format!("/ldp/r{i}");
        let answer = server.send(&format!("PUT {path}"), &[("content-type", media_type)], text);
        assert_eq!(answer.status, 201, "{media_type}: {}", answer.body);
        for accept in ["text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json"] {
            let answer = server.send(&format!("GET {path}"), &[("accept", accept)], "");
            assert_eq!((answer.status, answer.header("content-type").as_str()), (200, accept), "{media_type}");
            let root = ldp_rdf::Root::new("http://h/ldp").expect("a root");
            let format = ldp_rdf::Format::from_media_type(accept).expect("a format");
            let graph = ldp_rdf::parse(format, answer.body.as_bytes(), &format!("http://h{path}"), &root);
            let graph = graph.unwrap_or_else(|error| panic!("{accept}: {error:?}\n{}", answer.body));
            let inside = format!("<info:fcres/r{i}> <urn:p> \"v\"");
            assert!(graph.triples().any(|triple| triple.to_string() == inside), "{accept} of {media_type}:\n{}", answer.body);
        }
    }
    server.run(&[
        (
            "GET /ldp/r0",
            &[("accept", "text/html,*/*;q=0.5")],
            "",
            200,
            &[("content-type", "text/html"), ("body", "<table>")],
        ),
        (
            "GET /ldp/r0",
            &[("accept", "application/n-quads")],
            "",
            406,
            &[("body", "text/turtle")],
        ),
        (
            "PUT /ldp/n3",
            &[("content-type", "text/n3")],
            "",
            415,
            &[("body", "application/ld+json")],
        ),
    ]);
}

#[test]
fn bodies_keep_to_the_rules() {
    let constrained = ("link", "rel=\"http://www.w3.org/ns/ldp#constrainedBy\"");
    let contains = "<> <http://www.w3.org/ns/ldp#contains> <x> .";
    let rows: &[Row] = &[
        ("PUT /ldp/a", &[TURTLE], contains, 409, &[constrained]),
        (
            "PUT /ldp/a",
            &[TURTLE, ("prefer", "handling=lenient")],
            contains,
            201,
            &[],
        ),
        (
            "PUT /ldp/b",
            &[TURTLE],
            "<urn:other> <urn:p> 1 .",
            409,
            &[constrained],
        ),
        (
            "PUT /ldp/b",
            &[TURTLE],
            "<#part> <urn:p> [ <urn:q> 1 ] .",
            201,
            &[],
        ),
        (
            "PUT /ldp/c",
            &[TURTLE],
            "<> <urn:p> </ldp/missing> .",
            201,
            &[],
        ),
        (
            "PUT /ldp/d",
            &[TURTLE],
            "<> <urn:p> .\n",
            400,
            &[("body", "\"line\":1"), ("body", "\"column\"")],
        ),
        ("GET /ldp/d", &[], "", 404, &[]),
        (
            "PUT /ldp/d",
            &[
                TURTLE,
                ("link", "<http://www.w3.org/ns/ldp#RDFSource>; rel=\"type\""),
            ],
            "",
            201,
            &[],
        ),
        (
            "PUT /ldp/d",
            &[
                TURTLE,
                (
                    "link",
                    "<http://www.w3.org/ns/ldp#BasicContainer>; rel=\"type\"",
                ),
            ],
            "",
            409,
            &[constrained],
        ),
        ("PATCH /ldp/b", &[SPARQL], "INSERT DATA {", 400, &[]),
        (
            "PATCH /ldp/b",
            &[TURTLE],
            "",
            415,
            &[("accept-patch", "application/sparql-update")],
        ),
        ("PATCH /ldp/missing", &[SPARQL], "INSERT DATA {}", 404, &[]),
        (
            "GET /constraints",
            &[],
            "",
            200,
            &[("content-type", "text/turtle"), ("body", "#server-managed")],
        ),
    ];
    Server::new().run(rows);
    let strict = Options {
        references: References::Strict,
        ..Options::default()
    };
    Server::with(strict, Limits::default()).run(&[(
        "PUT /ldp/c",
        &[TURTLE],
        "<> <urn:p> </ldp/missing> .",
        409,
        &[constrained],
    )]);
    let open = Options {
        foreign_subjects: true,
        ..Options::default()
    };
    Server::with(open, Limits::default()).run(&[
        ("PUT /ldp/b", &[TURTLE], "<urn:other> <urn:p> 1 .", 201, &[]),
        ("GET /ldp/b", &[], "", 200, &[("body", "urn:other")]),
    ]);
}

#[test]
fn json_ld_of_jena_is_read() {
    let json = ("content-type", "application/ld+json");
    let graph =
        |name: &str| format!(r#"{{"@id": "{name}", "@graph": [{{"@id": "", "urn:p": "v"}}]}}"#);
    Server::new().run(&[
        (
            "PUT /ldp/a",
            &[json],
            &graph("urn:x-arq:DefaultGraphNode"),
            201,
            &[],
        ),
        ("GET /ldp/a", &[], "", 200, &[("body", "urn:p")]),
        (
            "PUT /ldp/b",
            &[json],
            &graph("urn:other"),
            400,
            &[("body", "urn:other")],
        ),
    ]);
}

#[test]
fn latin_1_is_read_as_such() {
    let server = Server::new();
    let headers = [("content-type", "text/turtle; charset=ISO-8859-1")];
    let answer = server.send("PUT /ldp/a", &headers, &b"<> <urn:p> \"\xe9\" ."[..]);
    assert_eq!(answer.status, 201, "{}", answer.body);
    server.run(&[("GET /ldp/a", &[], "", 200, &[("body", "\"\u{e9}\"")])]);
}

#[test]
fn what_xml_cannot_say_is_not_acceptable() {
    let xml = ("accept", "application/rdf+xml");
    Server::new().run(&[
        (
            "PUT /ldp/a",
            &[TURTLE],
            "<> <http://example.org/1> 1 .",
            201,
            &[],
        ),
        (
            "GET /ldp/a",
            &[xml],
            "",
            406,
            &[("body", "http://example.org/1")],
        ),
        ("GET /ldp/a", &[], "", 200, &[]),
    ]);
}

#[test]
fn a_patch_that_names_a_graph_is_refused() {
    let server = Server::new();
    let made = (
        "PUT /ldp/a",
        &[TURTLE][..],
        "<> <urn:l> \"x\" .",
        201,
        &[][..],
    );
    let kept = ("GET /ldp/a", &[][..], "", 200, &[("body", "\"x\"")][..]);
    server.run(&[made]);
    for patch in [
        "WITH <> DELETE { <> <urn:l> ?o } INSERT { <> <urn:l> \"y\" } WHERE { <> <urn:l> ?o }",
        "MOVE <urn:g> TO DEFAULT",
        "COPY SILENT <urn:g> TO DEFAULT",
    ] {
        let refused = &[("body", "names the graph")];
        server.run(&[("PATCH /ldp/a", &[SPARQL], patch, 400, refused), kept]);
    }
}

/// The words of a source that stand behind a mark.
fn behind(source: &str, mark: &str, is_end: fn(char) -> bool) -> BTreeSet<String> {
    let words = source.split(mark).skip(1);
    let words = words.filter_map(|rest| rest.split(is_end).next());
    words.map(|word| word.trim().to_owned()).collect()
}

/// A path for each route that the router declares.
fn routes() -> Vec<String> {
    let source = include_str!("../../src/http/mod.rs");
    let routes = behind(source, ".route(", |c| c == ',').into_iter();
    let paths = routes.map(|route| match route.as_str() {
        "constraints::PATH" => "/constraints".to_owned(),
        "\"/admin/{*uid_and_fixity}\"" => "/admin/a/b/fixity".to_owned(),
        literal => literal.trim_matches('"').to_owned(),
    });
    paths.collect()
}

/// What a path below the root names, as the source calls it.
fn aspect(path: &str) -> Option<String> {
    let target = path::parse(path.strip_prefix("/ldp")?).expect("a path");
    let words = format!("{:?}", target.aspect);
    words.split('(').next().map(str::to_owned)
}

#[test]
fn head_has_the_headers_of_get() {
    let server = Server::new();
    let text = ("content-type", "text/plain");
    let disposition = ("content-disposition", "attachment; filename=\"f\"");
    server.run(&[
        ("PUT /ldp/a", &[TURTLE], "<> <urn:p> \"x\" .", 201, &[]),
        ("PUT /ldp/a/b", &[text, disposition], "0123456789", 201, &[]),
        ("POST /ldp/a/fcr:versions", &[("slug", "v")], "", 201, &[]),
        ("PUT /ldp/gone", &[TURTLE], "", 201, &[]),
        ("DELETE /ldp/gone", &[], "", 204, &[]),
    ]);
    let transaction = format!("/ldp/fcr:tx/{}", begin(&server));
    let others = [
        transaction.as_str(),
        "/ldp",
        "/rest/a",
        "/ldp/a/b",
        "/ldp/a/b/fcr:content",
        "/ldp/a/b/fcr:metadata",
        "/ldp/a/b/fcr:fixity",
        "/ldp/fcr:tx",
        "/ldp/fcr:tx/none",
        "/admin/a/fixity",
        "/ldp/a/fcr:versions",
        "/ldp/a/fcr:versions/v",
        "/ldp/a/fcr:versions/none",
        "/ldp/gone",
        "/ldp/gone/fcr:tombstone",
        "/ldp/none",
        "/elsewhere",
        "/query/sparql?query=ASK%7B%7D",
    ];
    let mut aspects: BTreeSet<String> = others.into_iter().filter_map(aspect).collect();
    // Of events GET has no end; they have a test of their own.
    aspects.insert("Events".to_owned());
    let source = include_str!("../../src/http/path.rs");
    assert_eq!(aspects, behind(source, "Aspect::", |c| !c.is_alphabetic()));
    // A count of requests, and a date that is reckoned anew: the names alone stay.
    let changing = ["/metrics", transaction.as_str()];
    let none: &[(&str, &str)] = &[];
    let routes = routes();
    assert!(routes.len() > 10, "{routes:?}");
    for path in routes.iter().map(String::as_str).chain(others) {
        for headers in [
            none,
            &[("accept", "application/ld+json")],
            &[("accept", "text/html")],
            &[("accept", "image/png")],
            &[("if-none-match", "*")],
            &[("want-digest", "md5")],
            &[("accept-datetime", "Fri, 1 Jan 2100 00:00:00 GMT")],
            &[("range", "bytes=2-4")],
        ] {
            // A range counts for GET alone: HEAD tells of the whole (RFC 9110, section 14.2).
            let of_get = match headers {
                [("range", _)] => none,
                headers => headers,
            };
            let get = server.send(&format!("GET {path}"), of_get, "");
            let head = server.send(&format!("HEAD {path}"), headers, "");
            assert_eq!(head.status, get.status, "{path} {headers:?}");
            assert_eq!(head.body, "", "{path} {headers:?}");
            if changing.contains(&path) {
                let names = |answer: &Answer| -> BTreeSet<String> {
                    answer.headers.keys().map(|name| name.to_string()).collect()
                };
                assert_eq!(names(&head), names(&get), "{path} {headers:?}");
                continue;
            }
            let length = |answer: &Answer| answer.header("content-length");
            if get.status != 304 && get.status != 302 {
                assert_eq!(
                    length(&head),
                    get.body.len().to_string(),
                    "{path} {headers:?}"
                );
            }
            for name in get.headers.keys().filter(|name| *name != "content-length") {
                let name = name.as_str();
                assert_eq!(head.header(name), get.header(name), "{path} {headers:?}");
            }
        }
    }
}

#[test]
fn content_elsewhere_is_refused() {
    let server = Server::new();
    let text = ("content-type", "text/plain");
    let link = (
        "link",
        "<http://example.org/x>; rel=\"http://fedora.info/definitions/fcrepo#ExternalContent\"; handling=\"proxy\"; type=\"text/plain\"",
    );
    let body = (
        "content-type",
        "message/external-body; access-type=URL; URL=\"http://example.org/x\"",
    );
    let refused = &[("link", "/constraints#external-content")];
    for request in ["PUT /ldp/x", "POST /ldp"] {
        server.run(&[
            (request, &[text, link], "", 409, refused),
            (request, &[link], "", 409, refused),
            (request, &[body], "", 409, refused),
        ]);
    }
    server.run(&[(
        "GET /constraints",
        &[],
        "",
        200,
        &[("body", "external-content")],
    )]);
}
