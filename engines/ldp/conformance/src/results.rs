//! Results of queries, so that they can be compared whatever their blank nodes are called.

use ldp_conformance::File;
use oxrdf::vocab::{rdf, xsd};
use oxrdf::{BlankNode, Literal, NamedNode, Term, Triple};
use oxrdfxml::RdfXmlParser;
use oxsdatatypes::{Decimal, Double, Float, Integer};
use oxttl::TurtleParser;
use sparesults::{QueryResultsFormat, QueryResultsParser, SliceQueryResultsParserOutput};
use std::collections::BTreeMap;

const RS: &str = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#";

/// The result of a query.
#[derive(Debug)]
pub enum Results {
    Boolean(bool),
    /// The names of the variables, sorted; the rows.
    Rows(Vec<String>, Vec<BTreeMap<String, Term>>),
    Triples(Vec<Triple>),
}

impl Results {
    /// What a file of the test data says.
    pub fn expected(file: &File) -> (Results, Ordered) {
        let extension = file.iri.rsplit('.').next().unwrap_or_default();
        match QueryResultsFormat::from_extension(extension) {
            Some(format) => (Self::parse(format, &file.read()), Ordered(false)),
            None => Self::from_triples(triples(file)),
        }
    }

    /// Reads a result in one of the formats for rows.
    pub fn parse(format: QueryResultsFormat, text: &[u8]) -> Results {
        match QueryResultsParser::from_format(format)
            .for_slice(text)
            .expect("results")
        {
            SliceQueryResultsParserOutput::Boolean(value) => Results::Boolean(value),
            SliceQueryResultsParserOutput::Solutions(rows) => {
                let mut names: Vec<_> = rows
                    .variables()
                    .iter()
                    .map(|v| v.as_str().to_owned())
                    .collect();
                names.sort();
                let rows = rows
                    .map(|row| {
                        let row = row.expect("a row");
                        row.iter()
                            .map(|(v, t)| (v.as_str().to_owned(), by_value(t)))
                            .collect()
                    })
                    .collect();
                Results::Rows(names, rows)
            }
        }
    }

    /// Triples that describe a result set, or are the result.
    fn from_triples(triples: Vec<Triple>) -> (Results, Ordered) {
        let graph: oxrdf::Graph = triples.iter().cloned().collect();
        let term = |name: &str| NamedNode::new_unchecked(format!("{RS}{name}"));
        let Some(set) = graph.subject_for_predicate_object(rdf::TYPE, &term("ResultSet")) else {
            return (Results::Triples(triples), Ordered(false));
        };
        if let Some(value) = graph.object_for_subject_predicate(set, &term("boolean")) {
            let value = value == Literal::from(true).as_ref().into();
            return (Results::Boolean(value), Ordered(false));
        }
        let text = |term: oxrdf::TermRef<'_>| match term {
            oxrdf::TermRef::Literal(literal) => literal.value().to_owned(),
            other => panic!("{other} is no literal"),
        };
        let node = |term: oxrdf::TermRef<'_>| match term {
            oxrdf::TermRef::BlankNode(node) => node.into_owned(),
            other => panic!("{other} is no blank node"),
        };
        let mut names: Vec<_> = graph
            .objects_for_subject_predicate(set, &term("resultVariable"))
            .map(text)
            .collect();
        names.sort();
        let mut rows = Vec::new();
        for solution in graph.objects_for_subject_predicate(set, &term("solution")) {
            let solution = node(solution);
            let index = graph
                .object_for_subject_predicate(&solution, &term("index"))
                .map(|index| text(index).parse::<u64>().expect("an index"));
            let mut row = BTreeMap::new();
            for binding in graph.objects_for_subject_predicate(&solution, &term("binding")) {
                let binding = node(binding);
                let part = |name| {
                    graph
                        .object_for_subject_predicate(&binding, &term(name))
                        .expect("a binding")
                };
                row.insert(
                    text(part("variable")),
                    by_value(&part("value").into_owned()),
                );
            }
            rows.push((index, row));
        }
        let ordered = !rows.is_empty() && rows.iter().all(|(index, _)| index.is_some());
        rows.sort_by_key(|(index, _)| *index);
        let rows = rows.into_iter().map(|(_, row)| row).collect();
        (Results::Rows(names, rows), Ordered(ordered))
    }

    /// Whether both say the same. Numbers are compared by value; with `lax`, repetition of rows does
    /// not count.
    pub fn same(&self, other: &Results, ordered: Ordered, lax: bool) -> bool {
        match (self, other) {
            (Results::Boolean(a), Results::Boolean(b)) => a == b,
            (Results::Triples(a), Results::Triples(b)) => ldp_rdf::isomorphic(a, b),
            (Results::Rows(names, a), Results::Rows(others, b)) => {
                names == others
                    && ldp_rdf::isomorphic(
                        &as_triples(a, ordered, lax),
                        &as_triples(b, ordered, lax),
                    )
            }
            _ => false,
        }
    }
}

/// The triples of a file of the test data.
pub fn triples(file: &File) -> Vec<Triple> {
    let text = file.read();
    if file.iri.ends_with(".rdf") {
        let parser = RdfXmlParser::new()
            .with_base_iri(&file.iri)
            .expect("an IRI");
        parser
            .for_slice(&text)
            .map(|triple| triple.expect("RDF/XML"))
            .collect()
    } else {
        let parser = TurtleParser::new()
            .with_base_iri(&file.iri)
            .expect("an IRI");
        parser
            .for_slice(&text)
            .map(|triple| triple.expect("Turtle"))
            .collect()
    }
}

/// Whether the order of the rows counts.
#[derive(Clone, Copy)]
pub struct Ordered(pub bool);

/// Rows as a graph: a node a row, and a predicate a variable.
fn as_triples(rows: &[BTreeMap<String, Term>], ordered: Ordered, lax: bool) -> Vec<Triple> {
    let mut rows: Vec<_> = rows.iter().collect();
    if lax {
        rows.sort_by_key(|row| format!("{row:?}"));
        rows.dedup();
    }
    let mut triples = Vec::new();
    for (index, row) in rows.into_iter().enumerate() {
        let node = BlankNode::default();
        let label = if ordered.0 {
            index.to_string()
        } else {
            "row".to_owned()
        };
        triples.push(Triple::new(node.clone(), rdf::TYPE, Literal::from(label)));
        for (name, term) in row {
            let predicate = NamedNode::new_unchecked(format!("var:{name}"));
            triples.push(Triple::new(node.clone(), predicate, term.clone()));
        }
    }
    triples
}

/// The term with the canonical form of a number.
fn by_value(term: &Term) -> Term {
    let Term::Literal(literal) = term else {
        return term.clone();
    };
    let (value, datatype) = (literal.value(), literal.datatype());
    let canonical = if datatype == xsd::INTEGER {
        value.parse::<Integer>().ok().map(|n| n.to_string())
    } else if datatype == xsd::DECIMAL {
        value.parse::<Decimal>().ok().map(|n| n.to_string())
    } else if datatype == xsd::DOUBLE {
        value.parse::<Double>().ok().map(|n| n.to_string())
    } else if datatype == xsd::FLOAT {
        value.parse::<Float>().ok().map(|n| n.to_string())
    } else {
        None
    };
    match canonical {
        Some(value) => Literal::new_typed_literal(value, datatype).into(),
        None => term.clone(),
    }
}
