use crate::{Error, Format, Options, query};
use ldp_rdf::{Root, SyntaxError};
use ldp_repository::View;
use oxrdf::vocab::xsd;
use oxrdf::{Literal, NamedNode, Term};
use serde::Deserialize;
use sparesults::{QueryResultsFormat, QueryResultsParser, SliceQueryResultsParserOutput};
use std::str::FromStr;

/// A search for resources by their properties, as Lakesuperior has it.
///
/// As JSON: `{"terms": [{"pred": IRI, "op": OP, "val": VALUE}, …], "logic": "and" | "or"}`, where
/// "and" is the default. `pred` is an IRI, with or without angle brackets; `val` is a number, a
/// boolean, a term in the notation of N-Triples (`<IRI>`, `"text"@en`), or else plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermSearch {
    /// The conditions.
    pub terms: Vec<Condition>,
    /// Whether all have to hold, or any.
    pub all: bool,
}

/// A condition on one property of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The property.
    pub predicate: NamedNode,
    /// How it is compared.
    pub operator: Operator,
    /// What it is compared with, as clients see it.
    pub value: Term,
}

/// How a property is compared. All but [`Operator::Is`] compare numbers, dates and booleans by value,
/// and other terms by their text, whatever their language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Operator {
    /// `_id`: it is this very term.
    #[serde(rename = "_id")]
    Is,
    /// `=`
    #[serde(rename = "=")]
    Equal,
    /// `!=`
    #[serde(rename = "!=")]
    NotEqual,
    /// `<`
    #[serde(rename = "<")]
    Less,
    /// `>`
    #[serde(rename = ">")]
    Greater,
    /// `<=`
    #[serde(rename = "<=")]
    LessOrEqual,
    /// `>=`
    #[serde(rename = ">=")]
    GreaterOrEqual,
}

/// Finds the resources (or parts of them with an IRI) that a search means: their IRIs as clients see
/// them, each once, in no order.
pub fn term_search(
    view: &View,
    root: &Root,
    search: &TermSearch,
    options: &Options,
) -> Result<Vec<NamedNode>, Error> {
    let mut written = Vec::new();
    let choose = |_| Some(Format::Tsv);
    query(
        view,
        root,
        &search.to_sparql(),
        options,
        choose,
        &mut written,
    )?;
    let broken = |error: &dyn std::error::Error| Error::Store(error.to_string());
    let parser = QueryResultsParser::from_format(QueryResultsFormat::Tsv);
    let rows = match parser.for_slice(&written).map_err(|error| broken(&error))? {
        SliceQueryResultsParserOutput::Solutions(rows) => rows,
        SliceQueryResultsParserOutput::Boolean(_) => return Ok(Vec::new()),
    };
    let mut found = Vec::new();
    for row in rows {
        let row = row.map_err(|error| broken(&error))?;
        if let Some(Term::NamedNode(node)) = row.get("s") {
            found.push(node.clone());
        }
    }
    Ok(found)
}

impl TermSearch {
    /// Reads a search from JSON.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let json: Json = serde_json::from_str(text).map_err(|error| {
            Error::Syntax(SyntaxError {
                place: Some((error.line() as u64, error.column() as u64)),
                message: error.to_string(),
            })
        })?;
        Ok(Self {
            terms: json
                .terms
                .into_iter()
                .map(condition)
                .collect::<Result<_, _>>()?,
            all: json.logic == Logic::And,
        })
    }

    /// The same search as a query. The terms write themselves with all escapes.
    fn to_sparql(&self) -> String {
        let conditions = self.terms.iter().enumerate().map(|(i, condition)| {
            let Condition {
                predicate,
                operator,
                value,
            } = condition;
            let operator = match operator {
                Operator::Is => return format!("{{ ?s {predicate} {value} }}"),
                Operator::Equal => "=",
                Operator::NotEqual => "!=",
                Operator::Less => "<",
                Operator::Greater => ">",
                Operator::LessOrEqual => "<=",
                Operator::GreaterOrEqual => ">=",
            };
            let (found, wanted) = match value {
                Term::Literal(literal) if !is_text(literal) => {
                    (format!("?o{i}"), value.to_string())
                }
                Term::Literal(literal) => (
                    format!("STR(?o{i})"),
                    Literal::from(literal.value()).to_string(),
                ),
                Term::NamedNode(node) => (
                    format!("STR(?o{i})"),
                    Literal::from(node.as_str()).to_string(),
                ),
                Term::BlankNode(_) => (format!("STR(?o{i})"), "\"\"".to_owned()),
            };
            format!("{{ ?s {predicate} ?o{i} FILTER({found} {operator} {wanted}) }}")
        });
        let conditions: Vec<String> = conditions.collect();
        let between = if self.all { " " } else { " UNION " };
        format!(
            "SELECT DISTINCT ?s WHERE {{ {} FILTER(isIRI(?s)) }}",
            conditions.join(between)
        )
    }
}

/// Whether a literal is compared by its text.
fn is_text(literal: &Literal) -> bool {
    literal.language().is_some() || literal.datatype() == xsd::STRING
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Json {
    terms: Vec<JsonTerm>,
    #[serde(default)]
    logic: Logic,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonTerm {
    pred: String,
    op: Operator,
    val: JsonValue,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum JsonValue {
    Boolean(bool),
    Integer(i64),
    Double(f64),
    Text(String),
}

#[derive(Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Logic {
    #[default]
    And,
    Or,
}

fn condition(term: JsonTerm) -> Result<Condition, Error> {
    let JsonTerm { pred, op, val } = term;
    let bare = pred
        .strip_prefix('<')
        .and_then(|pred| pred.strip_suffix('>'));
    let predicate = NamedNode::new(bare.unwrap_or(&pred))
        .map_err(|error| Error::syntax(format!("the predicate {pred:?} is no IRI: {error}")))?;
    let value = match val {
        JsonValue::Boolean(value) => Literal::from(value).into(),
        JsonValue::Integer(value) => Literal::from(value).into(),
        JsonValue::Double(value) => Literal::from(value).into(),
        JsonValue::Text(text) if text.starts_with(['<', '"']) => {
            Term::from_str(&text).unwrap_or_else(|_| Literal::from(text).into())
        }
        JsonValue::Text(text) => Literal::from(text).into(),
    };
    Ok(Condition {
        predicate,
        operator: op,
        value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_says_what_is_meant() {
        let search = TermSearch::from_json(
            r#"{"terms": [{"pred": "<urn:p>", "op": "_id", "val": "<urn:o>"},
                {"pred": "urn:q", "op": "<=", "val": 5},
                {"pred": "urn:r", "op": "!=", "val": "a \"b\""}], "logic": "or"}"#,
        )
        .expect("a search");
        assert!(!search.all);
        assert_eq!(
            search.to_sparql(),
            "SELECT DISTINCT ?s WHERE { { ?s <urn:p> <urn:o> } \
             UNION { ?s <urn:q> ?o1 FILTER(?o1 <= \"5\"^^<http://www.w3.org/2001/XMLSchema#integer>) } \
             UNION { ?s <urn:r> ?o2 FILTER(STR(?o2) != \"a \\\"b\\\"\") } FILTER(isIRI(?s)) }"
        );
    }

    #[test]
    fn errors_have_a_place_and_say_what_is_wrong() {
        for (text, expected) in [
            ("{\"terms\": [\n  {\"pred\": 1}]}", "line 2"),
            (
                r#"{"terms": [{"pred": "no iri", "op": "=", "val": 1}]}"#,
                "no IRI",
            ),
            (
                r#"{"terms": [{"pred": "urn:p", "op": "~", "val": 1}]}"#,
                "`~`",
            ),
            (r#"{"terms": [], "logic": "xor"}"#, "xor"),
            (r#"{"term": []}"#, "`term`"),
        ] {
            let error = TermSearch::from_json(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
