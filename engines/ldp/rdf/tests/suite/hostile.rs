//! Documents and bytes that are wrong: an error that says where, never a panic, never the network.

use crate::common::{Random, mutate, root};
use ldp_conformance::tests;
use ldp_rdf::{Format, Graph, SyntaxError, Triple, Writer, isomorphic, parse};

const BASE: &str = "http://127.0.0.1:8000/ldp/x";

fn read(format: Format, text: impl AsRef<[u8]>) -> Result<Graph, SyntaxError> {
    parse(format, text.as_ref(), BASE, &root())
}

#[test]
fn errors_name_line_and_column() {
    use Format::{JsonLd, NTriples, RdfXml, Turtle};
    for (format, text, place) in [
        (Turtle, "<a> <b> <c>", (1, 12)),
        (Turtle, "<a>\n  <b> é .", (2, 7)),
        (Turtle, "<a> <b> \"é\\x\" .", (1, 11)),
        (Turtle, "\n\n<a> x:b <c> .", (3, 5)),
        (Turtle, "<a> <b> <c d> .", (1, 9)),
        (Turtle, "<a> <b> \"c\"@e! .", (1, 13)),
        (NTriples, "<urn:a> <urn:b> <urn:c> .\n<urn:a> .\n", (2, 9)),
        (NTriples, "<urn:a> <urn:b> <c> .\n", (1, 17)),
        (JsonLd, "[\n {\"@id\": ]", (2, 10)),
        (JsonLd, "[\n {\"@id\": \"é\"", (2, 13)),
        (
            RdfXml,
            "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n <a/></b>",
            (2, 6),
        ),
    ] {
        let error = read(format, text).expect_err(text);
        assert_eq!(error.place, Some(place), "{format:?} {text:?}: {error}");
    }
}

#[test]
fn remote_contexts_are_refused() {
    for text in [
        r#"{"@context": "http://127.0.0.1:1/context", "a": "b"}"#,
        r#"{"@context": ["/context"], "a": "b"}"#,
        r#"{"@context": {"@import": "http://127.0.0.1:1/context"}, "a": "b"}"#,
        r#"{"@context": {"a": {"@id": "urn:a", "@context": "http://127.0.0.1:1/c"}}, "a": {"b": "c"}}"#,
    ] {
        let error = read(Format::JsonLd, text).expect_err(text);
        assert!(error.message.contains("ontext"), "{error}");
    }
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let xml = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:u="urn:"><rdf:Description rdf:about="urn:a"><u:b>c</u:b></rdf:Description></rdf:RDF>"#;
    for (format, text) in [
        (Format::Turtle, "<urn:a> <urn:b> \"c\" ."),
        (Format::NTriples, "<urn:a> <urn:b> \"c\" .\n"),
        (Format::JsonLd, r#"{"@id": "urn:a", "urn:b": "c"}"#),
        (Format::RdfXml, xml),
    ] {
        let marked = read(format, format!("\u{FEFF}{text}"));
        assert_eq!(marked.map(|graph| graph.len()), Ok(1), "{format:?}");
    }
}

#[test]
fn other_encodings_of_xml_are_refused() {
    let text = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>"#;
    let wide = format!("\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-16\"?>{text}");
    let little: Vec<u8> = wide.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = wide.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let named = format!("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>{text}").into_bytes();
    for document in [little, big, named] {
        let error = read(Format::RdfXml, &document).expect_err("another encoding");
        assert!(error.to_string().contains("UTF-8"), "{error}");
    }
    let utf8 = format!("<?xml version=\"1.0\" encoding=\"utf-8\"?>{text}");
    assert!(read(Format::RdfXml, utf8).is_ok());
}

#[test]
fn numbers_of_json_ld_have_their_type_or_are_refused() {
    let number = |text: &str| {
        read(
            Format::JsonLd,
            format!(r#"{{"@id": "urn:a", "urn:b": {text}}}"#),
        )
    };
    for (text, datatype) in [
        ("99999999999999999999", "integer"),
        ("1e19", "integer"),
        ("1000000000000000000000", "double"),
        ("1.5", "double"),
    ] {
        let graph = number(text).expect(text);
        let triple = graph.triples().next().expect("a triple").to_string();
        assert!(triple.contains(&format!("#{datatype}>")), "{triple}");
    }
    for text in ["100000000000000000000", "-999999999999999999999", "1e20"] {
        let error = number(text).expect_err(text);
        assert!(error.message.contains("21 digits"), "{error}");
    }
    let typed = r#"{"@value": "100000000000000000000", "@type": "http://www.w3.org/2001/XMLSchema#integer"}"#;
    assert!(number(typed).is_ok());
}

#[test]
fn named_graphs_are_refused() {
    let text = r#"{"@id": "urn:g", "@graph": [{"@id": "urn:a", "urn:b": "c"}]}"#;
    let error = read(Format::JsonLd, text).expect_err(text);
    assert!(error.message.contains("urn:g"), "{error}");
}

#[test]
fn jena_names_its_default_graph() {
    let text =
        r#"{"@id": "urn:x-arq:DefaultGraphNode", "@graph": [{"@id": "urn:a", "urn:b": "c"}]}"#;
    assert_eq!(read(Format::JsonLd, text).map(|graph| graph.len()), Ok(1));
}

#[test]
fn long_prefixes_are_bounded() {
    let long = "n".repeat(100_000);
    let names = |count| {
        (0..count)
            .map(|i| format!("p:{i} "))
            .collect::<Vec<_>>()
            .join(",")
    };
    let document = |count| format!("@prefix p: <http://h/{long}/> . <> <> {}.", names(count));
    assert_eq!(
        read(Format::Turtle, document(5)).map(|graph| graph.len()),
        Ok(5)
    );
    let error = read(Format::Turtle, document(180)).expect_err("18 MB");
    assert!(error.message.contains("bytes"), "{error}");
}

#[test]
fn entities_of_entities_are_refused() {
    let mut entities = String::from("<!ENTITY e0 \"ha\">");
    for i in 1..40 {
        entities += &format!("<!ENTITY e{i} \"&e{0};&e{0};\">", i - 1);
    }
    let text = format!(
        "<!DOCTYPE r [{entities}]><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\
        <rdf:Description rdf:value=\"&e39;\"/></rdf:RDF>"
    );
    let error = read(Format::RdfXml, text).expect_err("a terabyte");
    assert!(error.message.contains("entity"), "{error}");
}

#[test]
fn many_attributes_are_refused_at_once() {
    let attributes: String = (0..100_000).map(|i| format!(" u:a{i}='1'")).collect();
    let text = format!(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:u='urn:'><rdf:Description{attributes}/></rdf:RDF>"
    );
    let error = read(Format::RdfXml, text).expect_err("100,000 attributes");
    assert!(error.message.contains("comparisons"), "{error}");
}

#[test]
fn a_base_must_be_absolute() {
    for format in [Format::Turtle, Format::RdfXml, Format::JsonLd] {
        let error = parse(format, b"", "/x", &root()).expect_err("a relative base");
        assert!(error.message.contains("/x"), "{error}");
    }
}

/// What an engine has to read without a deep stack: the threads of a server have 2 MiB.
#[test]
fn deep_nesting_needs_no_stack() {
    const DEPTH: usize = 100_000;
    let nested = |open: &str, middle: &str, close: &str| {
        [open.repeat(DEPTH), middle.to_owned(), close.repeat(DEPTH)].concat()
    };
    let rdf = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns=\"urn:\">";
    let documents = [
        (
            Format::Turtle,
            format!("<a> <b> {} .", nested("(", "1", ")")),
            2 * DEPTH + 1,
        ),
        (
            Format::Turtle,
            format!("<a> <b> {} .", nested("[<c> ", "1", "]")),
            DEPTH + 1,
        ),
        (
            Format::RdfXml,
            format!("{rdf}{}</rdf:RDF>", nested("<a><b>", "", "</b></a>")),
            2 * DEPTH,
        ),
        (Format::JsonLd, nested("{\"urn:a\":", "1", "}"), DEPTH),
    ];
    for (format, text, count) in documents {
        let read = std::thread::Builder::new()
            .stack_size(512 * 1024)
            .spawn(move || read(format, text).map(|graph| graph.len()))
            .expect("a thread")
            .join()
            .expect("no panic");
        match read {
            Ok(triples) => assert_eq!(triples, count, "{format:?}"),
            Err(error) => {
                assert_eq!(format, Format::JsonLd, "{error}");
                assert!(error.message.contains("deeper than 128"), "{error}");
            }
        }
    }
}

/// The parser of JSON-LD descends by recursion: into values, into terms that others are defined by, and
/// into contexts of definitions.
#[test]
fn deep_json_ld_is_read_or_refused() {
    let nested = |count: usize, open: &str, middle: &str, close: &str| {
        [open.repeat(count), middle.to_owned(), close.repeat(count)].concat()
    };
    let terms = |count: usize, last: &str| {
        let terms = (0..count - 1).map(|i| format!("\"t{i}\":\"t{}:x\",", i + 1));
        let terms: String = terms.collect();
        format!("{{{terms}\"t{}\":{last}}}", count - 1)
    };
    let in_context = |context: String| format!("{{\"@context\":{context},\"urn:a\":1}}");
    let objects = |count| nested(count, "{\"urn:a\":", "1", "}");
    let lists = |count| {
        let lists = nested(count, "{\"@list\":[", "1", "]}");
        format!("{{\"urn:a\":{lists}}}")
    };
    let arrays = |count| format!("{{\"urn:a\":{}}}", nested(count, "[", "1", "]"));
    let chain = |count| in_context(terms(count, "\"urn:\""));
    let circle = |count| in_context(terms(count, "\"t0:x\""));
    let contexts = |count| {
        let open = "{\"a\":{\"@id\":\"urn:a\",\"@context\":";
        in_context(nested(count, open, "{}", "}}"))
    };
    let chains_in_a_chain = |count| {
        let inner = terms(count, "\"urn:\"");
        let last = format!("{{\"@id\":\"urn:\",\"@context\":[{inner}]}}");
        in_context(terms(count, &last))
    };
    for text in [
        objects(128),
        lists(63),
        arrays(127),
        chain(64),
        contexts(62),
        chains_in_a_chain(32),
    ] {
        read(Format::JsonLd, &text).expect(&text);
    }
    for text in [
        objects(129),
        objects(1000),
        lists(1000),
        arrays(1000),
        chain(65),
        chain(1000),
        circle(1000),
        contexts(600),
        chains_in_a_chain(33),
    ] {
        let error = read(Format::JsonLd, &text).expect_err(&text);
        let told = ["deeper than 128", "expected 64 at most"];
        assert!(
            told.iter().any(|told| error.message.contains(told)),
            "{error}"
        );
    }
}

#[test]
fn bytes_of_graphs_are_checked() {
    let mut accepted = 0;
    for seed in 0..400 {
        let mut random = Random(seed);
        let graph = Graph::encode(&random.graph(12));
        for _ in 0..60 {
            let bytes = mutate(&mut random, graph.as_bytes());
            let Ok(read) = Graph::from_bytes(&bytes) else {
                continue;
            };
            // What is accepted can be read to its end.
            accepted += 1;
            assert_eq!(read.triples().count(), read.len());
            assert_eq!(read.index_entries().count(), read.len());
        }
    }
    assert!(accepted > 1000, "{accepted}");
}

#[test]
fn cut_bytes_are_refused() {
    let graph = Graph::encode(&Random(1).graph(40));
    let bytes = graph.as_bytes();
    for end in 0..bytes.len() {
        assert!(Graph::from_bytes(&bytes[..end]).is_err(), "{end}");
    }
    for more in 0..=255 {
        assert!(Graph::from_bytes(&[bytes, &[more]].concat()).is_err());
    }
}

#[test]
fn bytes_out_of_order_are_refused() {
    // 0 triples, 0 blank nodes, 2 namespaces with a name each, or 1 with 2.
    for (table, good) in [
        (&[2, 1, b'a', 1, 0, 1, b'b', 1, 0][..], true),
        (&[2, 1, b'b', 1, 0, 1, b'a', 1, 0], false),
        (&[2, 1, b'a', 1, 0, 1, b'a', 1, 0], false),
        (&[1, 0, 2, 1, b'a', 1, b'b'], true),
        (&[1, 0, 2, 1, b'b', 1, b'a'], false),
        (&[1, 0, 2, 1, b'a', 1, b'a'], false),
        (&[1, 0, 0], false),
    ] {
        let bytes = [&[1, 0, 0], table].concat();
        assert_eq!(Graph::from_bytes(&bytes).is_ok(), good, "{bytes:?}");
    }
}

#[test]
fn bytes_with_great_counts_are_refused() {
    let great = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    for before in 1..8 {
        let bytes = [&[1, 0, 0, 1, 1, 1, 1][..before], &great].concat();
        assert!(Graph::from_bytes(&bytes).is_err(), "{bytes:?}");
    }
}

/// Documents near good ones: what is accepted comes back from its encoding and from N-Triples.
#[test]
fn mutated_documents_do_no_harm() {
    for (format, documents) in [
        (Format::Turtle, documents("rdf/rdf11/rdf-turtle", "ttl")),
        (Format::NTriples, documents("rdf/rdf11/rdf-n-triples", "nt")),
        (Format::RdfXml, documents("rdf/rdf11/rdf-xml", "rdf")),
        (Format::JsonLd, json_ld_documents()),
    ] {
        let (mut good, mut bad) = (0, 0);
        for seed in 0..1500 {
            let mut random = Random(seed);
            let document = random.choose(&documents).clone();
            let text = mutate(&mut random, &document);
            let Ok(graph) = read(format, &text) else {
                bad += 1;
                continue;
            };
            good += 1;
            assert_eq!(Graph::from_bytes(graph.as_bytes()).as_ref(), Ok(&graph));
            if graph.len() > 20 {
                continue;
            }
            let triples: Vec<Triple> = graph.triples().collect();
            let mut writer = Writer::new(Format::NTriples, &root(), &[], Vec::new());
            for triple in &triples {
                writer.triple(triple).expect("N-Triples has all terms");
            }
            let lines = writer.finish().expect("a document");
            let again = read(Format::NTriples, &lines).unwrap_or_else(|error| {
                panic!(
                    "{format:?} {seed}: {error}\n{}",
                    String::from_utf8_lossy(&lines)
                )
            });
            let again: Vec<Triple> = again.triples().collect();
            assert!(isomorphic(&triples, &again), "{format:?} {seed}");
        }
        assert!(
            good > 100 && bad > 100,
            "{format:?}: {good} good, {bad} bad"
        );
    }
}

fn documents(folder: &str, extension: &str) -> Vec<Vec<u8>> {
    let files = tests(folder)
        .into_iter()
        .filter_map(|test| test.action.file);
    files
        .filter(|file| {
            file.path
                .extension()
                .is_some_and(|found| found == extension)
        })
        .map(|file| file.read())
        .filter(|text| text.len() < 10_000)
        .collect()
}

fn json_ld_documents() -> Vec<Vec<u8>> {
    let contexts = [
        r#"{"@context": {"@vocab": "urn:v:", "@base": "http://b/", "t": {"@type": "@id"}}, "@id": "x", "t": "y", "l": {"@list": [1, 2.5, true, null]}, "@reverse": {"r": {"@id": "z"}}}"#,
        r#"{"@context": {"@version": 1.1, "e": "urn:e#", "n": {"@id": "e:n", "@container": "@language"}, "i": {"@id": "e:i", "@container": ["@set", "@index"]}}, "@type": "e:T", "n": {"en": "a", "de": ["b"]}, "i": {"k": {"@id": "e:x"}}}"#,
        r#"[{"@id": "_:b", "urn:p": [{"@value": "1", "@type": "urn:t"}, {"@value": "x", "@language": "en"}], "@included": [{"urn:q": "r"}]}]"#,
    ];
    let written = (0..20).map(|seed| {
        let mut writer = Writer::new(Format::JsonLd, &root(), &[], Vec::new());
        for triple in Random(seed).graph(8) {
            writer.triple(&triple).expect("a triple");
        }
        writer.finish().expect("a document")
    });
    contexts
        .iter()
        .map(|text| text.as_bytes().to_vec())
        .chain(written)
        .collect()
}
