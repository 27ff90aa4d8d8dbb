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
