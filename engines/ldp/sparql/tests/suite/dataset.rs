//! Patterns over a repository: each answer of the indexes equals a plain search in all triples.

use crate::common::{Answers, Fixture};
use ldp_sparql::{Format, Options};
use oxrdf::{NamedOrBlankNode, Term, Triple};
use std::collections::BTreeSet;

/// What users wrote and what the server says, as GET shows it.
fn described(fixture: &Fixture) -> BTreeSet<String> {
    fixture.described().iter().map(Triple::to_string).collect()
}

/// A constant for a query, if the term can be one.
fn constant(term: &Term) -> Option<String> {
    (!term.is_blank_node()).then(|| term.to_string())
}

#[test]
fn the_default_graph_is_what_get_shows() {
    let fixture = Fixture::new();
    let found = fixture.triples("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }");
    assert_eq!(found, described(&fixture));
    let named = fixture.triples("CONSTRUCT { ?s ?p ?o } WHERE { GRAPH ?g { ?s ?p ?o } }");
    assert_eq!(named, found);
}

#[test]
fn no_triple_comes_twice() {
    let fixture = Fixture::new();
    let count = fixture.count("?s ?p ?o");
    assert_eq!(count, described(&fixture).len());
    assert_eq!(fixture.count("GRAPH ?g { ?s ?p ?o }"), count);
}

/// Every triple is found by every pattern that it fits, and nothing else is.
#[test]
fn each_pattern_finds_what_fits() {
    let fixture = Fixture::new();
    let all = fixture.described();
    let mut asked = BTreeSet::new();
    for triple in &all {
        let subject = match &triple.subject {
            NamedOrBlankNode::NamedNode(node) => constant(&node.clone().into()),
            NamedOrBlankNode::BlankNode(_) => None,
        };
        let predicate = constant(&triple.predicate.clone().into());
        let object = constant(&triple.object);
        for bound in 0..8 {
            let pick = |bit: usize, text: &Option<String>, variable: &str| match text {
                Some(text) if bound & bit != 0 => text.clone(),
                _ => variable.to_owned(),
            };
            let pattern = [
                pick(1, &subject, "?s"),
                pick(2, &predicate, "?p"),
                pick(4, &object, "?o"),
            ];
            if !asked.insert(pattern.clone()) {
                continue;
            }
            let expected = all
                .iter()
                .filter(|other| {
                    let parts = [
                        other.subject.to_string(),
                        other.predicate.to_string(),
                        other.object.to_string(),
                    ];
                    parts
                        .iter()
                        .zip(&pattern)
                        .all(|(part, wanted)| wanted.starts_with('?') || part == wanted)
                })
                .count();
            let pattern = pattern.join(" ");
            assert_eq!(fixture.count(&pattern), expected, "{pattern}");
            let named = fixture.count(&format!("GRAPH ?g {{ {pattern} }}"));
            assert_eq!(named, expected, "in named graphs: {pattern}");
        }
    }
    assert!(asked.len() > 200, "only {} patterns", asked.len());
}

#[test]
fn joins_answer_as_a_plain_store_does() {
    let fixture = Fixture::new();
    let plain: oxrdf::Dataset = fixture
        .described()
        .into_iter()
        .map(|triple| triple.in_graph(oxrdf::GraphName::DefaultGraph))
        .collect();
    for query in [
        "SELECT (COUNT(?s) AS ?c) WHERE { ?s a ldp:Resource . ?s a ldp:Container }",
        "SELECT (COUNT(*) AS ?c) (COUNT(?t) AS ?d) WHERE { ?s a ?t ; ?p ?o }",
        "SELECT (COUNT(?o) AS ?c) WHERE { ?s ex:next ?o ; dc:title ?t . ?s a ex:Thing }",
        "SELECT (COUNT(?o) AS ?c) WHERE { _:s dc:title ?o ; ex:part [] ; ?p ?o }",
        "SELECT (COUNT(?s) AS ?c) WHERE { ?s ?p ?s }",
        "SELECT (COUNT(?p) AS ?c) WHERE { ?p ?p ?o }",
        "SELECT (COUNT(?none) AS ?c) WHERE { ?s a ldp:Container }",
        "SELECT (COUNT(DISTINCT ?t) AS ?c) WHERE { ?s a ?t }",
        "SELECT (COUNT(*) AS ?c) WHERE { ?s ldp:contains ?o . ?o a ldp:Container }",
        "SELECT (COUNT(*) AS ?c) WHERE { <http://h/ldp/a> ?p ?o }",
        "SELECT (COUNT(*) AS ?c) WHERE { ?s ex:hasItem ?m ; ldp:contains ?m2 }",
        "SELECT (?c + 1 AS ?d) { SELECT (COUNT(*) AS ?c) WHERE { ?s a ldp:Container } }",
        "SELECT ?s ?t WHERE { ?s a ldp:Container ; dc:title ?t }",
        "SELECT ?c ?t WHERE { ?p ldp:contains ?c . OPTIONAL { ?c dc:title ?t } }",
        "SELECT ?a ?b WHERE { ?a ex:next ?b . ?b fedora:hasParent ?p . ?p dc:title ?t }",
        "SELECT ?s WHERE { ?s ex:next+ <http://h/ldp/a/1> }",
        "SELECT ?s ?d WHERE { <http://h/ldp/a> ldp:contains/ex:part ?s . ?s dc:title ?d }",
        "SELECT ?t (COUNT(*) AS ?n) WHERE { ?s a ?t } GROUP BY ?t",
        "SELECT ?s WHERE { ?s dc:title ?t FILTER NOT EXISTS { ?s a ldp:Container } }",
        "SELECT ?s ?m WHERE { ?s ldp:member|ex:hasItem ?m }",
        "SELECT ?b WHERE { ?b ebucore:hasMimeType ?m ; premis:hasSize ?n FILTER(?n > 3) }",
        "SELECT ?o WHERE { { ?s ex:number ?o } UNION { ?s dc:title ?o } } ORDER BY ?o",
        "SELECT ?s WHERE { ?s fedora:created ?t FILTER(STRSTARTS(STR(?s), \"http://h/ldp/a\")) }",
        "ASK { <http://h/ldp/a> ldp:contains <http://h/ldp/a/1> }",
        "ASK { <http://h/ldp/a> ldp:contains <http://h/ldp/a/nothing> }",
    ] {
        let query = &crate::common::prefixed(query);
        let (ours, theirs) = (fixture.rows(query), crate::common::rows_of(&plain, query));
        assert_eq!(ours, theirs, "{query}");
        let empty = Answers::from(["{}".to_owned()]);
        assert!(
            !ours.is_empty() && ours != empty,
            "nothing to compare: {query}"
        );
    }
}

#[test]
fn named_graphs_are_those_of_the_aspects() {
    let fixture = Fixture::new();
    let graphs = fixture.rows("SELECT DISTINCT ?g WHERE { GRAPH ?g {} }");
    let with_triples = fixture.rows("SELECT DISTINCT ?g WHERE { GRAPH ?g { ?s ?p ?o } }");
    assert_eq!(graphs, with_triples);
    let title =
        "SELECT ?t WHERE { GRAPH <info:fcsystem/graph/userdata/_main/a> { ?s dc:title ?t } }";
    assert_eq!(fixture.rows(&crate::common::prefixed(title)).len(), 2);
    for graph in ["admin/a", "structure/a", "userdata/_main/nothing", "x"] {
        let title = format!("GRAPH <info:fcsystem/graph/{graph}> {{ ?s dc:title ?t }}");
        assert_eq!(fixture.count(&title), 0, "{graph}");
    }
    // Three children, two direct members, and two indirect ones of the fragment.
    assert_eq!(
        fixture.count("GRAPH <info:fcsystem/graph/structure/a> { ?s ?p ?o }"),
        7
    );
    assert!(fixture.count("GRAPH <info:fcsystem/graph/admin/a> { ?s a ldp:Container }") == 1);
}

#[test]
fn what_resources_say_of_each_other_is_found_once() {
    let fixture = Fixture::with(|options| options.foreign_subjects = true);
    fixture.put(
        "/a",
        "<> dc:title \"A\" . </ldp/b> ex:next </ldp/a> ; a ex:Thing .",
        |_| {},
    );
    fixture.put(
        "/b",
        "<> ex:next </ldp/a> . <http://other/x> ex:next </ldp/b> .",
        |_| {},
    );
    assert_eq!(fixture.count("<http://h/ldp/b> ex:next ?o"), 1);
    assert_eq!(fixture.count("<http://h/ldp/b> a ex:Thing"), 1);
    assert_eq!(fixture.count("<http://other/x> ?p ?o"), 1);
    assert_eq!(fixture.count("?s ex:next ?o"), 2);
    assert_eq!(fixture.count("?s ?p ?o"), described(&fixture).len());
    assert_eq!(
        number(
            &fixture,
            "SELECT (COUNT(*) AS ?c) WHERE { ?s ?p ?o }",
            &Options::default()
        ),
        described(&fixture).len()
    );
}

#[test]
fn counts_are_of_the_graphs_that_are_asked() {
    let fixture = Fixture::new();
    let text = "SELECT (COUNT(*) AS ?c) WHERE { ?s a ldp:Container }";
    let graph = "info:fcsystem/graph/admin/a";
    let from = text.replace("WHERE", &format!("FROM <{graph}> WHERE"));
    assert_eq!(number(&fixture, &from, &Options::default()), 1);
    let request = Options {
        default_graphs: vec![graph.to_owned()],
        ..Options::default()
    };
    assert_eq!(number(&fixture, text, &request), 1);
    assert!(number(&fixture, text, &Options::default()) > 1);
}

/// The one number that a query answers.
fn number(fixture: &Fixture, query: &str, options: &Options) -> usize {
    let (answer, written) = fixture.query(&crate::common::prefixed(query), Format::Csv, options);
    answer.unwrap_or_else(|error| panic!("{query}: {error}"));
    let text = String::from_utf8(written).expect("CSV");
    let cell = text.lines().nth(1).expect("a row");
    cell.parse().expect("a number")
}

/// The part before the fragment leads to the resource, but another spelling of its path is no name
/// of it.
#[test]
fn a_resource_has_one_name() {
    let fixture = Fixture::new();
    for (name, count) in [
        ("http://h/ldp/a", 1),
        ("http://h/ldp/%61", 1),
        ("info:fcres/%61", 0),
    ] {
        assert_eq!(
            fixture.count(&format!("<{name}> a ldp:BasicContainer")),
            count,
            "{name}"
        );
        assert_eq!(
            fixture.count(&format!("?s ldp:contains <{name}>")),
            count,
            "{name}"
        );
    }
}
