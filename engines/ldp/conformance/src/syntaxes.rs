//! The W3C's tests of RDF 1.1 syntaxes: all must pass.

use ldp_conformance::{Material, Test, tests};
use ldp_rdf::{Format, Graph, Root, Triple, isomorphic, parse};
use oxttl::NQuadsParser;

fn read(format: Format, material: &Material) -> Result<Vec<Triple>, String> {
    let file = material.file.as_ref().expect("a file");
    // A root that no test uses: IRIs stay as they are.
    let root = Root::new("http://root.invalid").expect("a root");
    let graph = parse(format, &file.read(), &file.iri, &root).map_err(|error| error.to_string())?;
    let triples: Vec<Triple> = graph.triples().collect();
    assert_eq!(Graph::from_bytes(graph.as_bytes()), Ok(graph));
    Ok(triples)
}

fn run(folder: &str, format: Format, count: usize) {
    let tests = tests(folder);
    assert_eq!(tests.len(), count, "tests of {folder}");
    let failures: Vec<String> = tests
        .iter()
        .filter_map(|test| Some(format!("{}: {}", test.id, check(format, test).err()?)))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check(format: Format, test: &Test) -> Result<(), String> {
    let found = read(format, &test.action);
    if test.kind.ends_with("NegativeSyntax") {
        return match found {
            Ok(_) => Err("was accepted".into()),
            Err(_) => Ok(()),
        };
    }
    let found = found?;
    if !test.kind.ends_with("Eval") {
        return Ok(());
    }
    let expected = read(
        Format::NTriples,
        test.result.as_ref().expect("an expected result"),
    )?;
    match isomorphic(&found, &expected) {
        true => Ok(()),
        false => Err(format!(
            "{}\ninstead of\n{}",
            lines(&found),
            lines(&expected)
        )),
    }
}

fn lines(triples: &[Triple]) -> String {
    let lines: Vec<String> = triples.iter().map(Triple::to_string).collect();
    lines.join("\n")
}

/// # Panics
/// When a test fails, with its name.
pub fn all_pass() {
    run("rdf/rdf11/rdf-turtle", Format::Turtle, 182);
    run("rdf/rdf11/rdf-n-triples", Format::NTriples, 41);
    run("rdf/rdf11/rdf-xml", Format::RdfXml, 113);
    n_quads();
}

fn n_quads() {
    let tests = tests("rdf/rdf11/rdf-n-quads");
    assert_eq!(tests.len(), 67);
    for test in tests {
        let file = test.action.file.expect("a file");
        let good = NQuadsParser::new()
            .for_slice(&file.read())
            .all(|quad| quad.is_ok());
        assert_eq!(good, test.kind.ends_with("PositiveSyntax"), "{}", test.id);
    }
}
