//! The SPARQL 1.0 and 1.1 tests of the W3C: syntax, queries, results, updates.
//!
//! `exceptions.tsv` lists the tests that fail, each with its reason; a listed test that passes is a
//! failure too, so that the list stays true.

mod manifest;
mod results;

use ldp_sparql::{Answer, Error, Format, Limits, Options};
use manifest::{Documents, Test};
use oxrdf::{Dataset, GraphName, NamedNode};
use results::Results;
use sparesults::QueryResultsFormat;
use std::collections::BTreeMap;

/// The formats in which the rows of each query are written and read back.
const ROUND_TRIPS: [(Format, QueryResultsFormat); 3] = [
    (Format::Json, QueryResultsFormat::Json),
    (Format::Xml, QueryResultsFormat::Xml),
    (Format::Tsv, QueryResultsFormat::Tsv),
];

#[test]
fn all_but_the_listed_pass() {
    let mut exceptions: BTreeMap<&str, &str> = include_str!("exceptions.tsv")
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| line.split_once('\t').expect("a test and a reason"))
        .collect();
    let tests = manifest::tests();
    assert!(tests.len() > 600, "only {} tests were found", tests.len());
    let mut wrong = Vec::new();
    for test in &tests {
        match (run(test), exceptions.remove(test.id.as_str())) {
            (Err(error), None) => wrong.push(format!("{}: {error}", test.id)),
            (Ok(()), Some(_)) => wrong.push(format!("{}: passes, but is listed", test.id)),
            _ => {}
        }
    }
    wrong.extend(exceptions.keys().map(|id| format!("{id}: is listed, but is no test")));
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn run(test: &Test) -> Result<(), String> {
    let text = manifest::read(&test.text);
    match test.kind.as_str() {
        "QueryEvaluationTest" => query_test(test, &text),
        "CSVResultFormatTest" => csv_test(test, &text),
        "UpdateEvaluationTest" => update_test(test, &text),
        "PositiveSyntaxTest" | "PositiveSyntaxTest11" => syntax(query_syntax(test, &text), true),
        "NegativeSyntaxTest" | "NegativeSyntaxTest11" => syntax(query_syntax(test, &text), false),
        "PositiveUpdateSyntaxTest11" => syntax(update_syntax(test, &text), true),
        "NegativeUpdateSyntaxTest11" => syntax(update_syntax(test, &text), false),
        other => Err(format!("unknown kind {other}")),
    }
}

fn query_test(test: &Test, text: &str) -> Result<(), String> {
    let data = dataset(&test.data);
    let iri = test.result.as_deref().ok_or("no result is named")?;
    let (expected, ordered) = Results::expected(iri);
    if let Results::Triples(_) = expected {
        let format = Format::Rdf(ldp_rdf::Format::NTriples);
        let (_, written) = evaluate(&data, test, text, format).map_err(|e| e.to_string())?;
        let found: Result<Vec<_>, _> = oxttl::NTriplesParser::new().for_slice(&written).collect();
        let found = Results::Triples(found.map_err(|e| e.to_string())?);
        return compare(&expected, &found, expected.same(&found, ordered, test.lax));
    }
    for (format, parsed) in ROUND_TRIPS {
        if matches!(expected, Results::Boolean(_)) && format == Format::Tsv {
            continue; // The format has no booleans.
        }
        let (_, written) = evaluate(&data, test, text, format).map_err(|e| e.to_string())?;
        let found = Results::parse(parsed, &written);
        compare(&expected, &found, expected.same(&found, ordered, test.lax))?;
    }
    Ok(())
}

fn csv_test(test: &Test, text: &str) -> Result<(), String> {
    let iri = test.result.as_deref().ok_or("no result is named")?;
    let lines = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(|line| line.trim_end().to_owned()).collect();
        lines.sort();
        lines
    };
    let (_, written) =
        evaluate(&dataset(&test.data), test, text, Format::Csv).map_err(|e| e.to_string())?;
    let found = lines(&String::from_utf8_lossy(&written));
    let expected = lines(&manifest::read(iri));
    compare(&expected, &found, expected == found)
}

fn update_test(test: &Test, text: &str) -> Result<(), String> {
    let mut data = dataset(&test.data);
    ldp_sparql::apply(&mut data, text, &test.text, &Limits::default())
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
    let expected = dataset(&test.after);
    compare(&expected, &data, ldp_rdf::isomorphic(&flat(&expected), &flat(&data)))
}

fn syntax(result: Result<(), Error>, right: bool) -> Result<(), String> {
    match (result, right) {
        (Ok(()), true) | (Err(Error::Syntax(_)), false) => Ok(()),
        (Ok(()), false) => Err("is accepted".to_owned()),
        (Err(error), _) => Err(error.to_string()),
    }
}

fn query_syntax(test: &Test, text: &str) -> Result<(), Error> {
    match evaluate(&Dataset::new(), test, text, Format::Json) {
        // It has been read when its form is known.
        Err(Error::Format(_)) => Ok(()),
        result => result.map(drop),
    }
}

fn update_syntax(test: &Test, text: &str) -> Result<(), Error> {
    match ldp_sparql::apply(&mut Dataset::new(), text, &test.text, &Limits::default()) {
        Err(Error::Unsupported(_)) => Ok(()),
        result => result,
    }
}

fn evaluate(
    data: &Dataset,
    test: &Test,
    text: &str,
    format: Format,
) -> Result<(Answer, Vec<u8>), Error> {
    let options = Options { base: Some(test.text.clone()), ..Options::default() };
    let mut written = Vec::new();
    let answer = ldp_sparql::evaluate(|| data, text, &options, |_| Some(format), &mut written)?;
    Ok((answer, written))
}

fn dataset(documents: &Documents) -> Dataset {
    let mut dataset = Dataset::new();
    for document in &documents.default {
        let triples = manifest::triples(document).into_iter();
        dataset.extend(triples.map(|triple| triple.in_graph(GraphName::DefaultGraph)));
    }
    for (name, document) in &documents.named {
        let name = NamedNode::new_unchecked(name);
        let triples = manifest::triples(document).into_iter();
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
