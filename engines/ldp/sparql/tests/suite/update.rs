//! Updates of the graph of one resource.

use ldp_rdf::{Graph, Root, isomorphic, parse};
use ldp_sparql::{Error, Limits, Stop, update};
use std::time::Duration;

const BASE: &str = "http://h/ldp/a";
const PREFIX: &str = "PREFIX ex: <http://example.org/> ";

fn graph(turtle: &str) -> Graph {
    let root = Root::new("http://h/ldp").expect("a root");
    let text = format!("@prefix ex: <http://example.org/> . {turtle}");
    parse(ldp_rdf::Format::Turtle, text.as_bytes(), BASE, &root).expect("Turtle")
}

fn apply(before: &Graph, text: &str) -> Result<Graph, Error> {
    let root = Root::new("http://h/ldp").expect("a root");
    update(
        before,
        &format!("{PREFIX}{text}"),
        BASE,
        &root,
        &Limits::default(),
        &Stop::default(),
    )
}

#[test]
fn updates_change_what_they_say() {
    let before = "<> ex:p 1, 2 ; ex:q <b>, <#f> . <#f> ex:part [ ex:p 3 ] .";
    for (text, after) in [
        (
            "INSERT DATA { <> ex:p 4 }",
            "<> ex:p 1, 2, 4 ; ex:q <b>, <#f> . <#f> ex:part [ ex:p 3 ] .",
        ),
        ("INSERT DATA { <> ex:p 1 }", before),
        (
            "DELETE DATA { <> ex:q <b> . <> ex:q <missing> }",
            "<> ex:p 1, 2 ; ex:q <#f> . <#f> ex:part [ ex:p 3 ] .",
        ),
        (
            "DELETE DATA { <http://h/ldp/a> ex:q </ldp/b> }",
            "<> ex:p 1, 2 ; ex:q <#f> . <#f> ex:part [ ex:p 3 ] .",
        ),
        (
            "DELETE { ?s ex:p ?o } INSERT { ?s ex:r ?n } WHERE { ?s ex:p ?o BIND(?o + 1 AS ?n) }",
            "<> ex:r 2, 3 ; ex:q <b>, <#f> . <#f> ex:part [ ex:r 4 ] .",
        ),
        (
            "DELETE WHERE { <#f> ?p ?b . ?b ?q ?o }",
            "<> ex:p 1, 2 ; ex:q <b>, <#f> .",
        ),
        ("DELETE { <> ex:p 1 } INSERT { <> ex:p 1 } WHERE {}", before),
        (
            "INSERT { <> ex:p ?o } WHERE { <missing> ex:p* ?o }",
            "<> ex:p 1, 2, <missing> ; ex:q <b>, <#f> . <#f> ex:part [ ex:p 3 ] .",
        ),
        ("CLEAR DEFAULT", ""),
        (
            "DROP ALL ; INSERT DATA { _:b ex:p _:b } ; INSERT DATA { _:c ex:p _:d }",
            "_:x ex:p _:x . _:y ex:p _:z .",
        ),
        ("", before),
    ] {
        let found = apply(&graph(before), text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let after = graph(after);
        let (found, after): (Vec<_>, Vec<_>) =
            (found.triples().collect(), after.triples().collect());
        assert!(isomorphic(&found, &after), "{text}: {found:?}");
    }
}

#[test]
fn blank_nodes_of_an_update_are_new_ones() {
    let before = graph("_:b0 ex:p 1 .");
    let after = apply(&before, "INSERT DATA { _:b0 ex:p 2 }").expect("an update");
    let expected: Vec<_> = graph("[] ex:p 1 . [] ex:p 2 .").triples().collect();
    assert!(isomorphic(&after.triples().collect::<Vec<_>>(), &expected));
}

#[test]
fn the_data_stay_inside() {
    let after = apply(
        &Graph::default(),
        "INSERT DATA { <> ex:q </ldp/b#c>, <http://h/other> }",
    );
    let after: Vec<String> = after
        .expect("an update")
        .triples()
        .map(|t| t.to_string())
        .collect();
    assert!(after[0].starts_with("<info:fcres/a> "), "{after:?}");
    assert!(
        after
            .iter()
            .any(|triple| triple.ends_with("<info:fcres/b#c>")),
        "{after:?}"
    );
    assert!(
        after
            .iter()
            .any(|triple| triple.ends_with("<http://h/other>")),
        "{after:?}"
    );
}

#[test]
fn only_the_resource_changes() {
    let before = graph("<> ex:p 1 .");
    for text in [
        "INSERT DATA { GRAPH <http://h/ldp/b> { <> ex:p 1 } }",
        "WITH <urn:g> INSERT { <> ex:p 1 } WHERE {}",
        "WITH <> DELETE { <> ex:p ?o } INSERT { <> ex:p 2 } WHERE { <> ex:p ?o }",
        "WITH <urn:g> DELETE { <> ex:p ?o } WHERE { <> ex:p ?o }",
        "DELETE { <> ex:p ?o } USING <urn:g> WHERE { <> ex:p ?o }",
        "DELETE { <> ex:p ?o } USING <> WHERE { <> ex:p ?o }",
        "DELETE { <> ex:p ?o } USING NAMED <urn:g> WHERE { <> ex:p ?o }",
        "DELETE DATA { GRAPH <urn:g> { <> ex:p 1 } }",
        "DELETE { GRAPH <urn:g> { <> ex:p ?o } } WHERE { <> ex:p ?o }",
        "DELETE { GRAPH ?g { <> ex:p ?o } } WHERE { <> ex:p ?o }",
        "INSERT { GRAPH <urn:g> { <> ex:p ?o } } WHERE { <> ex:p ?o }",
        "DELETE { <> ex:p 1 } WHERE { GRAPH ?g { <> ex:p ?o } }",
        "DELETE { <> ex:p 1 } WHERE { { SELECT ?o { GRAPH <urn:g> { <> ex:p ?o } } } }",
        "DELETE { <> ex:p 1 } WHERE { OPTIONAL { GRAPH <urn:g> { <> ex:p ?o } } }",
        "DELETE { <> ex:p 1 } WHERE { <> ex:p ?o FILTER NOT EXISTS { GRAPH <urn:g> { <> ex:p ?o } } }",
        "DELETE { <> ex:p 1 } WHERE { BIND(EXISTS { GRAPH <urn:g> { <> ex:p ?o } } AS ?x) }",
        "DELETE WHERE { GRAPH <urn:g> { <> ex:p ?o } }",
        "MOVE <urn:g> TO DEFAULT",
        "MOVE DEFAULT TO <urn:g>",
        "COPY <urn:g> TO DEFAULT",
        "COPY SILENT <urn:g> TO DEFAULT",
        "COPY DEFAULT TO <urn:g>",
        "ADD SILENT <urn:g> TO DEFAULT",
        "ADD DEFAULT TO <urn:g>",
        "CREATE GRAPH <urn:g>",
        "CREATE SILENT GRAPH <urn:g>",
        "CLEAR GRAPH <urn:g>",
        "CLEAR SILENT NAMED",
        "DROP SILENT GRAPH <urn:g>",
        "DROP NAMED",
        "LOAD SILENT <http://127.0.0.1:1/> INTO GRAPH <urn:g>",
        "INSERT DATA { <> ex:p 2 } ; CLEAR GRAPH <urn:g>",
        "LOAD <http://127.0.0.1:1/>",
        "INSERT { <> ex:p ?x } WHERE { SERVICE <http://127.0.0.1:1/> { ?x ?y ?z } }",
    ] {
        let error = apply(&before, text).expect_err(text);
        assert!(matches!(error, Error::Unsupported(_)), "{text}: {error}");
    }
}

#[test]
fn errors_have_a_place() {
    let error = apply(&Graph::default(), "\nINSERT DATA { ?x ex:p 1 }").expect_err("no data");
    assert!(
        matches!(&error, Error::Syntax(error) if error.place.is_some()),
        "{error}"
    );
}

/// Evaluation looks at the limit, and so does what only reads, inserts and writes triples.
#[test]
fn endless_updates_end() {
    let many = |n: u32| -> Graph {
        let triples: Vec<String> = (0..n).map(|i| format!("<> ex:p {i} .")).collect();
        graph(&triples.concat())
    };
    let root = Root::new("http://h/ldp").expect("a root");
    let product = "DELETE { ?a ?b ?c } WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(?c + ?f + ?i < ?l - 1000) }";
    let list = format!("INSERT DATA {{ <> <urn:p> ({}) }}", " 1".repeat(100_000));
    for (before, text) in [
        (many(100), product),
        (Graph::default(), list.as_str()),
        (many(100_000), "INSERT DATA { <> <urn:p> 1 }"),
    ] {
        let limits = Limits {
            time: Duration::from_millis(1),
            ..Limits::default()
        };
        let error =
            update(&before, text, BASE, &root, &limits, &Stop::default()).expect_err("too long");
        assert!(matches!(error, Error::Timeout(_)), "{error}");
    }
}
