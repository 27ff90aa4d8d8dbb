//! The SPARQL 1.0 and 1.1 tests of the W3C: syntax, queries, results, updates.
//!
//! `exceptions.tsv` lists the tests that fail, each with its reason; a listed test that passes is a
//! failure too, so that the list stays true.

use crate::results::{Results, triples};
use ldp_conformance::{File, Material, Test};
use ldp_rdf::Root;
use ldp_sparql::{Answer, Error, Format, Limits, Options};
use oxrdf::{Dataset, GraphName, NamedNode};
use sparesults::QueryResultsFormat;
use spargebra::SparqlParser;
use std::collections::BTreeMap;

/// The formats in which the rows of each query are written and read back.
const ROUND_TRIPS: [(Format, QueryResultsFormat); 3] = [
    (Format::Json, QueryResultsFormat::Json),
    (Format::Xml, QueryResultsFormat::Xml),
    (Format::Tsv, QueryResultsFormat::Tsv),
];

/// # Panics
/// When another test fails than those that are listed, with its name.
pub fn all_but_the_listed_pass() {
    let mut exceptions: BTreeMap<&str, &str> = include_str!("exceptions.tsv")
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| line.split_once('\t').expect("a test and a reason"))
        .collect();
    let mut tests = ldp_conformance::tests_below("sparql/sparql10");
    tests.extend(ldp_conformance::tests_below("sparql/sparql11"));
    assert!(tests.len() > 600, "only {} tests were found", tests.len());
    let mut wrong = Vec::new();
    for test in &tests {
        match (run(test), exceptions.remove(test.id.as_str())) {
            (Err(error), None) => wrong.push(format!("{}: {error}", test.id)),
            (Ok(()), Some(_)) => wrong.push(format!("{}: passes, but is listed", test.id)),
            _ => {}
        }
    }
    wrong.extend(
        exceptions
            .keys()
            .map(|id| format!("{id}: is listed, but is no test")),
    );
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn run(test: &Test) -> Result<(), String> {
    let file = test.action.file.as_ref().ok_or("no query is named")?;
    let text = String::from_utf8(file.read()).map_err(|error| error.to_string())?;
    let query = Text {
        text: &text,
        base: &file.iri,
    };
    match test.kind.as_str() {
        "QueryEvaluationTest" => query_test(test, &query),
        "CSVResultFormatTest" => csv_test(test, &query),
        "UpdateEvaluationTest" => update_test(test, &query),
        "PositiveSyntaxTest" | "PositiveSyntaxTest11" => syntax(query_syntax(&query), true),
        "NegativeSyntaxTest" | "NegativeSyntaxTest11" => syntax(query_syntax(&query), false),
        "PositiveUpdateSyntaxTest11" => syntax(update_syntax(&query), true),
        "NegativeUpdateSyntaxTest11" => syntax(update_syntax(&query), false),
        other => Err(format!("unknown kind {other}")),
    }
}

fn query_test(test: &Test, query: &Text<'_>) -> Result<(), String> {
    let data = dataset(&named_by(query, test));
    let lax = query.text.contains("REDUCED");
    let (expected, ordered) = Results::expected(result(test)?);
    if let Results::Triples(_) = expected {
        let format = Format::Rdf(ldp_rdf::Format::NTriples);
        let (_, written) = evaluate(&data, query, format).map_err(|e| e.to_string())?;
        let found: Result<Vec<_>, _> = oxttl::NTriplesParser::new().for_slice(&written).collect();
        let found = Results::Triples(found.map_err(|e| e.to_string())?);
        return compare(&expected, &found, expected.same(&found, ordered, lax));
    }
    for (format, parsed) in ROUND_TRIPS {
        if matches!(expected, Results::Boolean(_)) && format == Format::Tsv {
            continue; // The format has no booleans.
        }
        let (_, written) = evaluate(&data, query, format).map_err(|e| e.to_string())?;
        let found = Results::parse(parsed, &written);
        compare(&expected, &found, expected.same(&found, ordered, lax))?;
    }
    Ok(())
}

/// The order of columns is free for `SELECT *`, that of rows as well, and so is the name of a blank
/// node, which each of these files has once at most.
fn csv_test(test: &Test, query: &Text<'_>) -> Result<(), String> {
    let file = result(test)?;
    let cells = |text: &str| {
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
        let names: Vec<String> = lines.next().into_iter().flatten().collect();
        let mut rows: Vec<BTreeMap<String, String>> = lines
            .map(|line| {
                let cell = |cell: String| match cell.starts_with("_:") {
                    true => "_:".to_owned(),
                    false => cell,
                };
                names.iter().cloned().zip(line.map(cell)).collect()
            })
            .collect();
        rows.sort();
        rows
    };
    let (_, written) =
        evaluate(&dataset(&test.action), query, Format::Csv).map_err(|e| e.to_string())?;
    // A cell with a comma is quoted; a semicolon keeps it whole.
    let plain = |text: &str| text.replace("\"4,4\"", "4;4").replace("\"5,5\"", "5;5");
    let found = cells(&plain(&String::from_utf8_lossy(&written)));
    let expected = cells(&plain(&String::from_utf8_lossy(&file.read())));
    compare(&expected, &found, expected == found)
}

/// The documents of the test and those that the query names by FROM, which no dataset has.
fn named_by(query: &Text<'_>, test: &Test) -> Material {
    let mut data = test.action.clone();
    let query = SparqlParser::new()
        .with_base_iri(query.base)
        .map(|parser| parser.parse_query(query.text));
    if let Ok(Ok(query)) = query
        && let Some(named) = query.dataset()
    {
        for name in named.default.iter().chain(named.named.iter().flatten()) {
            let local = name
                .as_str()
                .strip_prefix(ldp_conformance::BASE)
                .unwrap_or_default();
            let path = ldp_conformance::data().join(local);
            let iri = name.as_str().to_owned();
            if path.is_file() {
                data.named.push((iri.clone(), File { iri, path }));
            }
        }
    }
    data
}

fn update_test(test: &Test, query: &Text<'_>) -> Result<(), String> {
    let mut data = dataset(&test.action);
    ldp_sparql::apply(&mut data, query.text, query.base, &Limits::default())
        .map_err(|error| error.to_string())?;
    // The name of the graph becomes a triple's subject, so that graphs are compared together.
    let flat = |data: &Dataset| -> Vec<_> {
        data.iter()
            .flat_map(|quad| {
                let node = oxrdf::BlankNode::default();
                let name = |part: &str| NamedNode::new_unchecked(format!("part:{part}"));
                let graph = oxrdf::Literal::from(quad.graph_name.to_string());
                [
                    oxrdf::Triple::new(node.clone(), name("s"), quad.subject.into_owned()),
                    oxrdf::Triple::new(node.clone(), name("p"), quad.predicate.into_owned()),
                    oxrdf::Triple::new(node.clone(), name("o"), quad.object.into_owned()),
                    oxrdf::Triple::new(node, name("g"), graph),
                ]
            })
            .collect()
    };
    let expected = dataset(test.result.as_ref().ok_or("no result is named")?);
    compare(
        &expected,
        &data,
        ldp_rdf::isomorphic(&flat(&expected), &flat(&data)),
    )
}

fn syntax(result: Result<(), Error>, right: bool) -> Result<(), String> {
    match (result, right) {
        (Ok(()), true) | (Err(Error::Syntax(_)), false) => Ok(()),
        (Ok(()), false) => Err("is accepted".to_owned()),
        (Err(error), _) => Err(error.to_string()),
    }
}

fn query_syntax(query: &Text<'_>) -> Result<(), Error> {
    match evaluate(&Dataset::new(), query, Format::Json) {
        // It has been read when its form is known, and when it asks for a function that is not there.
        Err(Error::Format(_) | Error::Unsupported(_)) => Ok(()),
        result => result.map(drop),
    }
}

fn update_syntax(query: &Text<'_>) -> Result<(), Error> {
    match ldp_sparql::apply(
        &mut Dataset::new(),
        query.text,
        query.base,
        &Limits::default(),
    ) {
        Err(Error::Unsupported(_)) => Ok(()),
        result => result,
    }
}

/// A query or an update, and the IRI of its file.
struct Text<'a> {
    text: &'a str,
    base: &'a str,
}

fn evaluate(data: &Dataset, query: &Text<'_>, format: Format) -> Result<(Answer, Vec<u8>), Error> {
    let options = Options {
        base: Some(query.base.to_owned()),
        ..Options::default()
    };
    let mut written = Vec::new();
    let root = Root::new("http://root.example").expect("a root");
    let choose = |_| Some(format);
    let answer = ldp_sparql::evaluate(
        |_| Ok(data),
        &root,
        query.text,
        &options,
        choose,
        &mut written,
    )?;
    Ok((answer, written))
}

fn result(test: &Test) -> Result<&File, String> {
    let result = test.result.as_ref().and_then(|result| result.file.as_ref());
    result.ok_or_else(|| "no result is named".to_owned())
}

fn dataset(material: &Material) -> Dataset {
    let mut dataset = Dataset::new();
    for file in &material.default {
        let triples = triples(file).into_iter();
        dataset.extend(triples.map(|triple| triple.in_graph(GraphName::DefaultGraph)));
    }
    for (name, file) in &material.named {
        let name = NamedNode::new_unchecked(name);
        let triples = triples(file).into_iter();
        dataset.extend(triples.map(|triple| triple.in_graph(name.clone())));
    }
    dataset
}

fn compare<T: std::fmt::Debug>(expected: &T, found: &T, same: bool) -> Result<(), String> {
    match same {
        true => Ok(()),
        false => Err(format!("expected {expected:?}\nfound {found:?}")),
    }
}
