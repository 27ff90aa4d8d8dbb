//! Random graphs come back from their encoding, and from documents in every format.

use crate::common::{Random, root};
use ldp_rdf::{
    Format, Graph, IndexEntry, Triple, TripleRef, Writer, hash_iri, hash_term, isomorphic, parse,
};
use std::fmt::Debug;
use std::{fs, io};

const PREFIXES: &[(&str, &str)] = &[
    ("ex", "http://example.org/ns#"),
    ("a", "info:fcres/a/b/"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
];

const BASE: &str = "http://127.0.0.1:8000/ldp/x";

fn write(format: Format, triples: &[Triple]) -> io::Result<Vec<u8>> {
    let mut writer = Writer::new(format, &root(), PREFIXES, Vec::new());
    for triple in triples {
        writer.triple(triple)?;
    }
    writer.finish()
}

#[test]
fn graphs_come_back_from_their_bytes() {
    for seed in 0..1000 {
        let triples = Random(seed).graph(30);
        let graph = Graph::encode(&triples);
        let read: Vec<Triple> = graph.triples().collect();
        assert!(isomorphic(&triples, &read), "{seed}");
        assert_eq!(graph.len(), read.len());
        assert_eq!(Graph::from_bytes(graph.as_bytes()), Ok(graph));
    }
}

#[test]
fn order_and_repetition_do_not_count() {
    for seed in 0..300 {
        let mut triples = Random(seed).graph(30);
        triples.retain(|triple| triple.subject.is_named_node() && !triple.object.is_blank_node());
        let graph = Graph::encode(&triples);
        triples.extend(triples.clone());
        triples.reverse();
        assert_eq!(Graph::encode(&triples), graph);
    }
}

#[test]
fn index_entries_are_the_hashes_of_terms() {
    for seed in 0..200 {
        let graph = Graph::encode(&Random(seed).graph(30));
        let expected: Vec<IndexEntry> = graph
            .triples()
            .map(|triple| IndexEntry {
                predicate: hash_iri(triple.predicate.as_str()),
                object: hash_term(triple.object.as_ref()),
                object_is_iri: triple.object.is_named_node(),
            })
            .collect();
        assert_eq!(graph.index_entries().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn matching_is_a_filter() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let graph = Graph::encode(&random.graph(60));
        let reader = graph.reader();
        let wanted = Triple::new(random.node(), random.iri(), random.term());
        for some in [wanted.as_ref()].into_iter().chain(reader.iter()) {
            for mask in 0..8 {
                let subject = (mask & 1 > 0).then_some(some.subject);
                let predicate = (mask & 2 > 0).then_some(some.predicate);
                let object = (mask & 4 > 0).then_some(some.object);
                let found: Vec<TripleRef<'_>> =
                    reader.matching(subject, predicate, object).collect();
                let expected: Vec<TripleRef<'_>> = reader
                    .iter()
                    .filter(|triple| {
                        subject.is_none_or(|s| s == triple.subject)
                            && predicate.is_none_or(|p| p == triple.predicate)
                            && object.is_none_or(|o| o == triple.object)
                    })
                    .collect();
                assert_eq!(found, expected, "{seed} {mask}");
            }
        }
    }
}

#[test]
fn documents_come_back_in_every_format() {
    for format in Format::ALL {
        for seed in 0..150 {
            // As they come, so that subjects and predicates return; and grouped, as from a graph.
            let triples = Random(seed).graph(20);
            let grouped: Vec<Triple> = Graph::encode(&triples).triples().collect();
            for triples in [triples, grouped] {
                let document = write(format, &triples).expect("a document");
                comes_back(format, &document, &triples, seed);
            }
        }
    }
}

/// Reads what was written of triples.
fn comes_back(format: Format, document: &[u8], triples: &[Triple], seed: impl Debug) {
    let text = String::from_utf8_lossy(document);
    let graph = parse(format, document, BASE, &root())
        .unwrap_or_else(|error| panic!("{seed:?} {format:?}: {error}\n{text}"));
    let read: Vec<Triple> = graph.triples().collect();
    assert!(isomorphic(triples, &read), "{seed:?} {format:?}:\n{text}");
}

/// The documents that the fuzzer begins with. Those that it found have a hash of 16 digits as their name.
#[test]
fn seeds_come_back_in_every_format() {
    for (format, target) in [
        (Format::Turtle, "turtle"),
        (Format::NTriples, "n_triples"),
        (Format::RdfXml, "rdf_xml"),
        (Format::JsonLd, "json_ld"),
    ] {
        let seeds = format!("{}/../fuzz/seeds/{target}", env!("CARGO_MANIFEST_DIR"));
        let mut read = 0;
        for seed in fs::read_dir(seeds).expect("seeds") {
            let path = seed.expect("a seed").path();
            let text = fs::read(&path).expect("its text");
            let Ok(graph) = parse(format, &text, BASE, &root()) else {
                // The @type of `containers` is not the first key.
                let name = path.file_name().expect("a name");
                assert!(name.len() == 16 || name == "containers", "{path:?}");
                continue;
            };
            read += 1;
            let triples: Vec<Triple> = graph.triples().collect();
            for format in Format::ALL {
                match write(format, &triples) {
                    Ok(document) => comes_back(format, &document, &triples, &path),
                    // It has no way to write some predicates and characters.
                    Err(error) => assert_eq!(format, Format::RdfXml, "{path:?}: {error}"),
                }
            }
        }
        assert!(read > 0, "{target}");
    }
}
