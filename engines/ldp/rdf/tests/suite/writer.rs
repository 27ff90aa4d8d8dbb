//! What documents look like, and what cannot be written.

use crate::common::root;
use ldp_rdf::{
    BlankNode, Format, Literal, LiteralRef, NamedNode, NamedNodeRef, Triple, TripleRef, Writer,
};
use std::io;

const DC: &str = "http://purl.org/dc/terms/";
const LDP: &str = "http://www.w3.org/ns/ldp#";
const PREFIXES: &[(&str, &str)] = &[("dc", DC), ("ldp", LDP)];

fn iri(iri: &str) -> NamedNode {
    NamedNode::new_unchecked(iri)
}

fn triples() -> Vec<Triple> {
    let type_ = iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type");
    let (a, title) = (iri("info:fcres/a"), iri(&format!("{DC}title")));
    let contains = iri(&format!("{LDP}contains"));
    let date = NamedNode::new_unchecked("http://www.w3.org/2001/XMLSchema#date");
    vec![
        Triple::new(a.clone(), type_, iri(&format!("{LDP}Container"))),
        Triple::new(a.clone(), contains.clone(), iri("info:fcres/a/b c")),
        Triple::new(a.clone(), contains, iri("info:fcres/a/é")),
        Triple::new(
            a.clone(),
            title.clone(),
            Literal::new_simple_literal("<\"\n&"),
        ),
        Triple::new(
            BlankNode::new_unchecked("b0"),
            iri(&format!("{DC}date")),
            Literal::new_typed_literal("2020-01-01", date),
        ),
        Triple::new(
            a,
            title,
            Literal::new_language_tagged_literal_unchecked("T", "en"),
        ),
    ]
}

fn write(format: Format, triples: &[Triple]) -> String {
    let mut writer = Writer::new(format, &root(), PREFIXES, Vec::new());
    for triple in triples {
        writer.triple(triple).expect("a triple");
    }
    String::from_utf8(writer.finish().expect("a document")).expect("UTF-8")
}

#[test]
fn turtle() {
    let expected = r#"@prefix dc: <http://purl.org/dc/terms/> .
@prefix ldp: <http://www.w3.org/ns/ldp#> .

<http://127.0.0.1:8000/ldp/a> a ldp:Container ;
    ldp:contains <http://127.0.0.1:8000/ldp/a/b\u0020c> ,
        <http://127.0.0.1:8000/ldp/a/%C3%A9> ;
    dc:title "<\"\n&" .

_:b0 dc:date "2020-01-01"^^<http://www.w3.org/2001/XMLSchema#date> .

<http://127.0.0.1:8000/ldp/a> dc:title "T"@en .
"#;
    assert_eq!(write(Format::Turtle, &triples()), expected);
}

#[test]
fn n_triples() {
    let expected = r#"<http://127.0.0.1:8000/ldp/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/ldp#Container> .
<http://127.0.0.1:8000/ldp/a> <http://www.w3.org/ns/ldp#contains> <http://127.0.0.1:8000/ldp/a/b\u0020c> .
<http://127.0.0.1:8000/ldp/a> <http://www.w3.org/ns/ldp#contains> <http://127.0.0.1:8000/ldp/a/%C3%A9> .
<http://127.0.0.1:8000/ldp/a> <http://purl.org/dc/terms/title> "<\"\n&" .
_:b0 <http://purl.org/dc/terms/date> "2020-01-01"^^<http://www.w3.org/2001/XMLSchema#date> .
<http://127.0.0.1:8000/ldp/a> <http://purl.org/dc/terms/title> "T"@en .
"#;
    assert_eq!(write(Format::NTriples, &triples()), expected);
}

#[test]
fn rdf_xml() {
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/terms/" xmlns:ldp="http://www.w3.org/ns/ldp#">
  <rdf:Description rdf:about="http://127.0.0.1:8000/ldp/a">
    <rdf:type rdf:resource="http://www.w3.org/ns/ldp#Container"/>
    <ldp:contains rdf:resource="http://127.0.0.1:8000/ldp/a/b c"/>
    <ldp:contains rdf:resource="http://127.0.0.1:8000/ldp/a/%C3%A9"/>
    <dc:title>&lt;&quot;
&amp;</dc:title>
  </rdf:Description>
  <rdf:Description rdf:nodeID="b0">
    <dc:date rdf:datatype="http://www.w3.org/2001/XMLSchema#date">2020-01-01</dc:date>
  </rdf:Description>
  <rdf:Description rdf:about="http://127.0.0.1:8000/ldp/a">
    <dc:title xml:lang="en">T</dc:title>
  </rdf:Description>
</rdf:RDF>
"#;
    assert_eq!(write(Format::RdfXml, &triples()), expected);
}

#[test]
fn json_ld() {
    let expected = r#"[{"@id":"http://127.0.0.1:8000/ldp/a","@type":["http://www.w3.org/ns/ldp#Container"],"http://www.w3.org/ns/ldp#contains":[{"@id":"http://127.0.0.1:8000/ldp/a/b c"},{"@id":"http://127.0.0.1:8000/ldp/a/%C3%A9"}],"http://purl.org/dc/terms/title":[{"@value":"<\"\n&"}]},
{"@id":"_:b0","http://purl.org/dc/terms/date":[{"@value":"2020-01-01","@type":"http://www.w3.org/2001/XMLSchema#date"}]},
{"@id":"http://127.0.0.1:8000/ldp/a","http://purl.org/dc/terms/title":[{"@value":"T","@language":"en"}]}]
"#;
    assert_eq!(write(Format::JsonLd, &triples()), expected);
}

#[test]
fn no_triples_are_a_document_too() {
    for format in Format::ALL {
        let document = write(format, &[]);
        let graph = ldp_rdf::parse(format, document.as_bytes(), "http://h/", &root());
        assert_eq!(graph.map(|graph| graph.len()), Ok(0), "{format:?}");
    }
}

#[test]
fn what_rdf_xml_cannot_say_is_an_error() {
    let text = Literal::new_simple_literal("x");
    let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
    for (predicate, object, word) in [
        ("http://h/1", text.clone(), "http://h/1"),
        ("http://h/", text.clone(), "http://h/"),
        ("http://www.w3.org/2000/xmlns/x", text.clone(), "xmlns"),
        (&format!("{rdf}li"), text.clone(), "#li"),
        ("http://h/p", Literal::new_simple_literal("\u{1}"), "U+0001"),
    ] {
        let triple = Triple::new(iri("http://h/a"), iri(predicate), object);
        let mut writer = Writer::new(Format::RdfXml, &root(), PREFIXES, Vec::new());
        let error = writer.triple(&triple).expect_err(word);
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(error.to_string().contains(word), "{error}");
        // The triple is left out; the document is whole.
        let document = writer.finish().expect("a document");
        let graph = ldp_rdf::parse(Format::RdfXml, &document, "http://h/", &root());
        assert_eq!(graph.map(|graph| graph.len()), Ok(0));
    }
}

#[test]
fn a_document_can_be_taken_in_pieces() {
    let mut writer = Writer::new(Format::Turtle, &root(), PREFIXES, Vec::new());
    let mut document = Vec::new();
    for triple in &triples() {
        writer.triple(triple).expect("a triple");
        document.append(writer.sink_mut());
    }
    document.append(&mut writer.finish().expect("a document"));
    assert_eq!(document, write(Format::Turtle, &triples()).into_bytes());
}

#[test]
fn errors_of_the_sink_are_passed_on() {
    for format in Format::ALL {
        let mut room = [0; 40];
        let mut writer = Writer::new(format, &root(), PREFIXES, &mut room[..]);
        let triple = TripleRef::new(
            NamedNodeRef::new_unchecked("http://h/a"),
            NamedNodeRef::new_unchecked("http://h/p"),
            LiteralRef::new_simple_literal("more than there is room for"),
        );
        let error = writer.triple(triple).expect_err("no room");
        assert_eq!(error.kind(), io::ErrorKind::WriteZero, "{format:?}");
    }
}
