//! Whether an answer is right: the graph that was sent, isomorphic, and what a server may add.

use oxrdf::graph::CanonicalizationAlgorithm;
use oxrdf::{Graph, TripleRef, vocab::rdf};
use oxttl::TurtleParser;

use crate::Result;

/// Namespaces of what servers add to a resource by themselves, beside its types.
const MANAGED: [&str; 7] = [
    "http://www.w3.org/ns/ldp#",
    "http://fedora.info/definitions/v4/",
    "http://www.loc.gov/premis/rdf/v1#",
    "http://www.iana.org/assignments/relation/",
    "http://purl.org/dc/terms/",
    "http://www.w3.org/ns/posix/stat#",
    "info:fcsystem/",
];
/// The predicate of containment.
pub const CONTAINS: &str = "http://www.w3.org/ns/ldp#contains";

/// Reads Turtle or N-Triples; relative IRIs are resolved against `base`.
pub fn parse_turtle(text: &[u8], base: &str) -> Result<Graph> {
    let mut graph = Graph::new();
    for triple in TurtleParser::new().with_base_iri(base)?.for_slice(text) {
        graph.insert(&triple.map_err(|error| format!("the Turtle of {base}: {error}"))?);
    }
    Ok(graph)
}

/// Checks that `found` says the same as `expected`, both in Turtle, of the resource at `url`.
///
/// What servers manage is left out of both.
pub fn same(expected: &[u8], found: &[u8], url: &str) -> Result<()> {
    let (expected, found) = (parse_turtle(expected, url)?, parse_turtle(found, url)?);
    let [one, other] = [&expected, &found].map(|graph| {
        let kept = graph.iter().filter(|triple| !is_managed(triple));
        let mut graph: Graph = kept.collect();
        graph.canonicalize(CanonicalizationAlgorithm::Unstable);
        graph
    });
    if one == other {
        return Ok(());
    }
    let missing: Vec<_> = one.iter().filter(|t| !other.contains(*t)).collect();
    let added: Vec<_> = other.iter().filter(|t| !one.contains(*t)).collect();
    let first = |triples: &[TripleRef]| triples.first().map_or("-".to_owned(), |t| t.to_string());
    Err(format!(
        "{url} is not what was sent: {} triples are missing (such as {}), {} are too many (such as {})",
        missing.len(),
        first(&missing),
        added.len(),
        first(&added)
    )
    .into())
}

fn is_managed(triple: &TripleRef) -> bool {
    let predicate = triple.predicate.as_str();
    triple.predicate == rdf::TYPE || MANAGED.iter().any(|ns| predicate.starts_with(ns))
}

/// A syntax in which a container is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Turtle,
    Ntriples,
    Jsonld,
}

impl Format {
    pub fn media_type(self) -> &'static str {
        match self {
            Format::Turtle => "text/turtle",
            Format::Ntriples => "application/n-triples",
            Format::Jsonld => "application/ld+json",
        }
    }

    /// How many children `text`, the representation of the container at `url`, has.
    pub fn children(self, text: &[u8], url: &str) -> Result<usize> {
        if self != Format::Jsonld {
            let graph = parse_turtle(text, url)?;
            let contained = graph.iter().filter(|t| t.predicate.as_str() == CONTAINS);
            return Ok(contained.count());
        }
        let mut count = 0;
        for quad in oxjsonld::JsonLdParser::new()
            .with_base_iri(url)?
            .for_slice(text)
        {
            let quad = quad.map_err(|error| format!("the JSON-LD of {url}: {error}"))?;
            count += usize::from(quad.predicate.as_str() == CONTAINS);
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://a/b";

    #[test]
    fn what_a_server_adds_is_no_difference_and_all_else_is() {
        let sent = br#"<> <x:p> "a", [ <x:q> "b" ] ."#;
        let more = br#"@prefix ldp: <http://www.w3.org/ns/ldp#> . <http://a/b> a ldp:Resource ;
            ldp:contains <b/c> ; <x:p> "a", _:n . _:n <x:q> "b" ."#;
        same(sent, more, URL).unwrap();
        let added = same(sent, br#"<> <x:p> "a", "c", [ <x:q> "b" ] ."#, URL).unwrap_err();
        assert!(added.to_string().contains("1 are too many"), "{added}");
        let lost = same(sent, br#"<> <x:p> "a" ."#, URL).unwrap_err();
        assert!(lost.to_string().contains("2 triples are missing"), "{lost}");
        same(sent, b"<> <x:p> ", URL).unwrap_err();
    }

    #[test]
    fn children_are_counted_in_each_syntax() {
        let turtle = b"@prefix ldp: <http://www.w3.org/ns/ldp#> . <> ldp:contains <b/c>, <b/d> .";
        assert_eq!(Format::Turtle.children(turtle, URL).unwrap(), 2);
        let lines = b"<http://a/b> <http://www.w3.org/ns/ldp#contains> <http://a/b/c> .";
        assert_eq!(Format::Ntriples.children(lines, URL).unwrap(), 1);
        let json = br#"{"@id": "http://a/b", "http://www.w3.org/ns/ldp#contains": [{"@id": "b/c"}, {"@id": "b/d"}]}"#;
        assert_eq!(Format::Jsonld.children(json, URL).unwrap(), 2);
    }
}
