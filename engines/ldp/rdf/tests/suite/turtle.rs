//! The own reader of Turtle against the library: the same documents accepted, the same graphs.

use crate::common::{Random, mutate, root};
use ldp_conformance::tests;
use ldp_rdf::{Format, Graph, Literal, NamedNode, NamedOrBlankNode, Term, Triple, parse};
use oxttl::TurtleParser;

const BASE: &str = "http://127.0.0.1:8000/ldp/é/x";

/// The first half is what the own reader reads, the other what it leaves to the library.
const DOCUMENTS: &[&str] = &[
    "@prefix x: <http://example.org/ns#> .\n@prefix : <http://127.0.0.1:8000/ldp/a%41/> .\n<> a x:T, :u ; x:p \"a\\\"b\\\\\\n\", \"d\"@en ;; x:q 1, -2, +3, true, false .\n",
    "PREFIX p: <http://example.org/a/>\nprefix q: <#>\np:a p:b p:c . q:a q:b-1 q:_c.\n# the end",
    "<#it> <http://example.org/p> _:a , _:b1 . _:a <http://example.org/q> _:a .",
    "<http://127.0.0.1:8000/ldp> <http://127.0.0.1:8000/ldp/p#q> <http://127.0.0.1:8000/ldpx>, <http://127.0.0.1:8000/ldp/a/../b> .",
    "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix e: <http://h/> .\ne:a e:b \"1\"^^xsd:integer, \"3\"^^<http://h/t>, \"é\u{85}中\" .",
    "<https://h-1.org:8080/a;b=c?d=e/f#g/?> a<http://h/>;<http://h/.a> <http://h//>;.",
    "@prefix e: <http://h:80> . @prefix f: <http://h/f> . e:1 f:2 f:-3 . f:a.b f:c\\,d f:%41 .",
    "<> <http://example.org/q> [ a <http://example.org/T> ], (1 2), 4.5, 6e7, 'c', \"e\"@en-US .",
    "<a> <b> \"2\"^^<http://www.w3.org/2001/XMLSchema#string>, \"\"\"long \"quoted\" \"\"\", \"\" .",
    "@base <http://example.org/> . <a> <b> <c> .\n@prefix e: <e/> .\ne:x e:y e:z .",
    "<a> <http://127.0.0.1:8000/ldp?a#b> \"\\u00e9\", \"\"^^<x> .",
];

fn with_library(text: &[u8]) -> Option<Graph> {
    let parser = TurtleParser::new().with_base_iri(BASE).expect("a base");
    let triples: Result<Vec<Triple>, _> = parser.for_slice(text).collect();
    Some(Graph::encode(
        &triples.ok()?.into_iter().map(inside).collect::<Vec<_>>(),
    ))
}

fn inside(triple: Triple) -> Triple {
    let iri = |iri: NamedNode| NamedNode::new_unchecked(root().inside(iri.as_str()));
    Triple {
        subject: match triple.subject {
            NamedOrBlankNode::NamedNode(subject) => iri(subject).into(),
            blank => blank,
        },
        predicate: iri(triple.predicate),
        object: match triple.object {
            Term::NamedNode(object) => iri(object).into(),
            Term::Literal(literal) if literal.language().is_none() => {
                let datatype = iri(literal.datatype().into_owned());
                Literal::new_typed_literal(literal.value(), datatype).into()
            }
            other => other,
        },
    }
}

fn compare(text: &[u8], what: &str) -> bool {
    let own = parse(Format::Turtle, text, BASE, &root()).ok();
    let library = with_library(text);
    // Blank nodes without a label get a random one, but always in the same order.
    assert_eq!(own, library, "{what}: {}", String::from_utf8_lossy(text));
    own.is_some()
}

#[test]
fn whole_documents_are_the_same() {
    for (i, document) in DOCUMENTS.iter().enumerate() {
        compare(document.as_bytes(), &format!("document {i}"));
    }
    for test in tests("rdf/rdf11/rdf-turtle") {
        compare(&test.action.file.expect("a file").read(), &test.id);
    }
}

#[test]
fn mutated_documents_are_the_same() {
    let (mut good, mut bad) = (0, 0);
    for seed in 0..20_000 {
        let mut random = Random(seed);
        let document = *random.choose(DOCUMENTS);
        match compare(&mutate(&mut random, document.as_bytes()), &seed.to_string()) {
            true => good += 1,
            false => bad += 1,
        }
    }
    assert!(good > 1000 && bad > 1000, "{good} good, {bad} bad");
}
