//! Term search, and single patterns.

use crate::common::Fixture;
use ldp_sparql::{Options, TermSearch, matching, term_search};
use oxrdf::{NamedNodeRef, TermRef};

fn search(fixture: &Fixture, json: &str) -> Vec<String> {
    let search = TermSearch::from_json(json).unwrap_or_else(|error| panic!("{json}: {error}"));
    let found = term_search(&fixture.view(), &fixture.root, &search, &Options::default());
    let found = found.unwrap_or_else(|error| panic!("{json}: {error}"));
    let mut found: Vec<_> = found.into_iter().map(|node| node.into_string()).collect();
    found.sort();
    found
}

#[test]
fn searches_find_resources() {
    let fixture = Fixture::new();
    let title = "http://purl.org/dc/terms/title";
    let next = "http://example.org/next";
    let number = "http://example.org/number";
    for (terms, logic, expected) in [
        (
            format!(r#"{{"pred": "{title}", "op": "=", "val": "A"}}"#),
            "and",
            vec!["/a"],
        ),
        (
            format!(r#"{{"pred": "{title}", "op": "=", "val": "F"}}"#),
            "and",
            vec!["/a#f"],
        ),
        (
            format!(r#"{{"pred": "{title}", "op": "_id", "val": "F"}}"#),
            "and",
            vec![],
        ),
        (
            format!(r#"{{"pred": "{title}", "op": "_id", "val": "\"F\"@en"}}"#),
            "and",
            vec!["/a#f"],
        ),
        (
            format!(r#"{{"pred": "{next}", "op": "_id", "val": "<http://h/ldp/a/1>"}}"#),
            "and",
            vec!["/a/2"],
        ),
        (
            format!(r#"{{"pred": "{next}", "op": "=", "val": "http://h/ldp/a/1"}}"#),
            "and",
            vec!["/a/2"],
        ),
        (
            format!(r#"{{"pred": "<{number}>", "op": ">", "val": 999}}"#),
            "and",
            vec!["/a/1"],
        ),
        (
            format!(r#"{{"pred": "<{number}>", "op": ">", "val": 1000}}"#),
            "and",
            vec![],
        ),
        (
            format!(
                r#"{{"pred": "{title}", "op": "<", "val": "2"}}, {{"pred": "{number}", "op": "=", "val": true}}"#
            ),
            "and",
            vec!["/a/1"],
        ),
        (
            format!(
                r#"{{"pred": "{title}", "op": "=", "val": "2"}}, {{"pred": "{title}", "op": "=", "val": "m1"}}"#
            ),
            "or",
            vec!["/a/2", "/direct/m1"],
        ),
    ] {
        let json = format!(r#"{{"terms": [{terms}], "logic": "{logic}"}}"#);
        let expected: Vec<_> = expected
            .iter()
            .map(|path| format!("http://h/ldp{path}"))
            .collect();
        assert_eq!(search(&fixture, &json), expected, "{json}");
    }
}

#[test]
fn patterns_match() {
    let fixture = Fixture::new();
    let count = |subject: Option<&str>, predicate: Option<&str>, object: Option<&str>| {
        let object = object.map(|iri| TermRef::from(NamedNodeRef::new_unchecked(iri)));
        let subject = subject.map(|iri| NamedNodeRef::new_unchecked(iri).into());
        let predicate = predicate.map(NamedNodeRef::new_unchecked);
        let found = matching(&fixture.view(), &fixture.root, subject, predicate, object);
        let found: Result<Vec<_>, _> = found.expect("a pattern").collect();
        found.expect("triples").len()
    };
    assert_eq!(count(None, None, None), fixture.described().len());
    assert_eq!(
        count(
            Some("http://h/ldp/a"),
            Some("http://www.w3.org/ns/ldp#contains"),
            None
        ),
        3
    );
    assert_eq!(
        count(
            None,
            Some("http://example.org/next"),
            Some("http://h/ldp/a")
        ),
        1
    );
    assert_eq!(count(Some("http://other/x"), None, None), 0);
}
