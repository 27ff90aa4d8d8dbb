//! The SPARQL endpoint.

use crate::harness::{Server, TURTLE};

const QUERY: (&str, &str) = ("content-type", "application/sparql-query");
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

#[test]
fn queries_are_answered_in_every_format() {
    let server = Server::new();
    let select = "SELECT ?o WHERE { <http://h/ldp/a> <urn:p> ?o }";
    let construct = "CONSTRUCT { ?s <urn:q> ?o } WHERE { ?s <urn:p> ?o }";
    server.run(&[
        ("PUT /ldp/a", &[TURTLE], "<> <urn:p> \"v & w\" .", 201, &[]),
        (
            "POST /query/sparql",
            &[QUERY],
            select,
            200,
            &[
                ("content-type", "application/sparql-results+json"),
                ("body", "v & w"),
            ],
        ),
        (
            "POST /query/sparql",
            &[QUERY, ("accept", "application/sparql-results+xml")],
            select,
            200,
            &[("body", "v &amp; w")],
        ),
        (
            "POST /query/sparql",
            &[QUERY, ("accept", "text/csv")],
            select,
            200,
            &[("content-type", "text/csv"), ("body", "v & w")],
        ),
        (
            "POST /query/sparql",
            &[QUERY, ("accept", "text/tab-separated-values")],
            select,
            200,
            &[("body", "?o")],
        ),
        (
            "POST /query/sparql",
            &[QUERY, ("accept", "application/json")],
            select,
            200,
            &[("body", "\"bindings\"")],
        ),
        (
            "POST /query/sparql",
            &[QUERY, ("accept", "application/pdf")],
            select,
            406,
            &[],
        ),
        (
            "POST /query/sparql",
            &[QUERY],
            construct,
            200,
            &[("content-type", "text/turtle"), ("body", "urn:q")],
        ),
        (
            "POST /query/sparql",
            &[QUERY, ("accept", "application/n-triples")],
            construct,
            200,
            &[("body", "<http://h/ldp/a> <urn:q>")],
        ),
        (
            "POST /query/sparql",
            &[FORM],
            "query=ASK+%7B+%3Chttp%3A%2F%2Fh%2Fldp%2Fa%3E+%3Fp+%3Fo+%7D",
            200,
            &[("body", "true")],
        ),
        (
            "GET /query/sparql?query=ASK%20%7B%20%3Curn:x%3E%20%3Fp%20%3Fo%20%7D",
            &[],
            "",
            200,
            &[("body", "false")],
        ),
        ("GET /query/sparql", &[], "", 400, &[("body", "query")]),
        (
            "POST /query/sparql",
            &[TURTLE],
            select,
            415,
            &[("body", "application/sparql-query")],
        ),
        (
            "POST /query/sparql",
            &[QUERY],
            "SELECT ?x WHERE {\n ?x",
            400,
            &[("body", "\"line\":2")],
        ),
        ("POST /query/sparql", &[FORM], "update=CLEAR+ALL", 400, &[]),
        (
            "POST /query/sparql",
            &[QUERY],
            "SELECT * WHERE { SERVICE <http://x/> { ?s ?p ?o } }",
            400,
            &[],
        ),
        ("DELETE /query/sparql", &[], "", 405, &[]),
    ]);
}

#[test]
fn children_are_counted() {
    let server = Server::new();
    for i in 0..5 {
        server.send(&format!("PUT /ldp/c/{i}"), &[TURTLE], "");
    }
    let count = "SELECT (COUNT(?s) AS ?n) WHERE { ?s a <http://www.w3.org/ns/ldp#Resource> . ?s a <http://www.w3.org/ns/ldp#Container> }";
    // The root, the container and its five children.
    server.run(&[(
        "POST /query/sparql",
        &[QUERY, ("accept", "text/csv")],
        count,
        200,
        &[("body", "7")],
    )]);
}
#[test]
fn terms_are_searched() {
    let search = r#"{"terms": [{"pred": "<urn:p>", "op": ">", "val": "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>"}], "logic": "and"}"#;
    Server::new().run(&[
        ("PUT /ldp/a", &[TURTLE], "<> <urn:p> 1 .", 201, &[]),
        ("PUT /ldp/b", &[TURTLE], "<> <urn:p> 2 .", 201, &[]),
        (
            "POST /query/term_search",
            &[],
            search,
            200,
            &[("body", "http://h/ldp/b")],
        ),
        ("POST /query/term_search", &[], "{", 400, &[]),
    ]);
}

#[test]
fn what_xml_lacks_is_refused_and_line_ends_are_kept() {
    let server = Server::new();
    let xml = ("accept", "application/sparql-results+xml");
    let json = ("accept", "application/sparql-results+json");
    let body = "<> <urn:f> \"a\\u000Cb\" ; <urn:r> \"a\\rb\" .";
    let select = |predicate: &str| format!("SELECT ?o {{ ?s <urn:{predicate}> ?o }}");
    let (lacking, returned) = (select("f"), select("r"));
    let path = "POST /query/sparql";
    server.run(&[
        ("PUT /ldp/a", &[TURTLE], body, 201, &[]),
        (path, &[QUERY, xml], &lacking, 406, &[("body", "U+000C")]),
        (path, &[QUERY, json], &lacking, 200, &[]),
        (path, &[QUERY, xml], &returned, 200, &[("body", "a&#13;b")]),
    ]);
}

#[test]
fn the_charset_of_a_query_and_of_a_patch_counts() {
    let server = Server::new();
    let (update_type, query_type) = ("application/sparql-update", "application/sparql-query");
    let with = |media_type: &str, charset: &str| format!("{media_type}; charset={charset}");
    let patch = with(update_type, "ISO-8859-1");
    let query = with(query_type, "iso-8859-1");
    // In ISO-8859-1, its two bytes are two characters.
    let update = "INSERT DATA { <> <urn:p> \"é\" }";
    let select = "SELECT ?s { ?s <urn:p> \"é\" }";
    let path = "POST /query/sparql";
    server.run(&[
        ("PUT /ldp/a", &[TURTLE], "", 201, &[]),
        (
            "PATCH /ldp/a",
            &[("content-type", &patch)],
            update,
            204,
            &[],
        ),
        ("GET /ldp/a", &[], "", 200, &[("body", "\"Ã©\"")]),
        (
            path,
            &[("content-type", &query)],
            select,
            200,
            &[("body", "http://h/ldp/a")],
        ),
        (path, &[QUERY], select, 200, &[("body", "\"bindings\":[]")]),
        (
            path,
            &[("content-type", &with(query_type, "koi8-r"))],
            select,
            415,
            &[],
        ),
        (
            "PATCH /ldp/a",
            &[("content-type", &with(update_type, "utf-16"))],
            update,
            415,
            &[],
        ),
    ]);
}
