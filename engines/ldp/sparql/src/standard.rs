//! What SPARQL says and spareval does otherwise, put into the algebra before it is evaluated.
//!
//! * `GROUP_CONCAT` gives a plain literal; spareval keeps a language that all literals share.
//! * A path of length zero leads from a term to itself, also if no triple has the term; spareval looks
//!   for it among the nodes of the graph.
//! * `REGEX` and `REPLACE` are XPath's; spareval hands patterns and replacements to the crate `regex`.
//! * `BNODE` of a text gives a node for each solution; spareval gives one for all.
//! * Strings with a language, ill-typed numbers and booleans have an effective boolean value.

use crate::functions::{self, call};
use crate::walk::{self, Visit};
use crate::{blank, boolean};
use spargebra::algebra::{
    AggregateExpression, AggregateFunction, Expression, Function, GraphPattern,
    PropertyPathExpression,
};
use spargebra::term::{GroundTerm, TermPattern, Variable};
use spargebra::{GraphUpdateOperation, Query, Update};
use std::mem::take;

/// Puts the differences into a query.
pub(crate) fn query(query: &mut Query) {
    let (Query::Select { pattern, .. }
    | Query::Construct { pattern, .. }
    | Query::Describe { pattern, .. }
    | Query::Ask { pattern, .. }) = query;
    walk::pattern(pattern, &mut Conform);
}

/// Puts the differences into an update.
pub(crate) fn update(update: &mut Update) {
    for operation in &mut update.operations {
        if let GraphUpdateOperation::DeleteInsert { pattern, .. } = operation {
            walk::pattern(pattern, &mut Conform);
        }
    }
}

struct Conform;

impl Visit for Conform {
    fn pattern(&mut self, pattern: &mut GraphPattern) {
        boolean::in_pattern(pattern);
        blank::in_pattern(pattern);
        match pattern {
            GraphPattern::Path {
                subject,
                path,
                object,
            } => {
                if is_nullable(path)
                    && let Some(more) = of_length_zero(subject, path, object)
                {
                    let found = take(pattern);
                    *pattern = GraphPattern::Union {
                        left: Box::new(found),
                        right: Box::new(more),
                    };
                }
            }
            GraphPattern::Group { .. } => join_without_language(pattern),
            _ => {}
        }
    }

    fn expression(&mut self, expression: &mut Expression) {
        boolean::in_expression(expression);
        if let Expression::FunctionCall(function, arguments) = expression {
            let name = match function {
                Function::Regex => functions::MATCHES,
                Function::Replace => functions::REPLACE,
                _ => return,
            };
            *expression = call(name, take(arguments));
        }
    }
}

fn join_without_language(pattern: &mut GraphPattern) {
    let GraphPattern::Group { aggregates, .. } = pattern else {
        return;
    };
    let mut joined = Vec::new();
    for (variable, aggregate) in aggregates {
        if let AggregateExpression::FunctionCall {
            name: AggregateFunction::GroupConcat { .. },
            ..
        } = aggregate
        {
            // The parser made the name at random, so nothing else begins with it.
            let with_language = Variable::new_unchecked(format!("{}l", variable.as_str()));
            joined.push((
                std::mem::replace(variable, with_language.clone()),
                with_language,
            ));
        }
    }
    for (variable, with_language) in joined {
        let found = take(pattern);
        *pattern = GraphPattern::Extend {
            inner: Box::new(found),
            variable,
            expression: Expression::FunctionCall(
                Function::Str,
                vec![Expression::Variable(with_language)],
            ),
        };
    }
}

/// Whether a path can have no step.
fn is_nullable(path: &PropertyPathExpression) -> bool {
    match path {
        PropertyPathExpression::NamedNode(_) | PropertyPathExpression::NegatedPropertySet(_) => {
            false
        }
        PropertyPathExpression::ZeroOrMore(_) | PropertyPathExpression::ZeroOrOne(_) => true,
        PropertyPathExpression::OneOrMore(path) | PropertyPathExpression::Reverse(path) => {
            is_nullable(path)
        }
        PropertyPathExpression::Sequence(a, b) => is_nullable(a) && is_nullable(b),
        PropertyPathExpression::Alternative(a, b) => is_nullable(a) || is_nullable(b),
    }
}

/// The solution of a path without a step, where one end is a term that the graph does not have; none
/// if no such path can lead from one end to the other.
fn of_length_zero(
    subject: &TermPattern,
    path: &PropertyPathExpression,
    object: &TermPattern,
) -> Option<GraphPattern> {
    let (term, variable) = match (subject, object) {
        (TermPattern::Variable(variable), term) | (term, TermPattern::Variable(variable)) => {
            (term, Some(variable.clone()))
        }
        (a, b) if a == b => (a, None),
        _ => return None,
    };
    let value = match term {
        TermPattern::NamedNode(node) => GroundTerm::from(node.clone()),
        TermPattern::Literal(literal) => GroundTerm::from(literal.clone()),
        TermPattern::Variable(_) | TermPattern::BlankNode(_) => return None,
    };
    // A group without triples has a solution in each graph that `GRAPH` goes through.
    let mut once = GraphPattern::default();
    if let Some(variable) = variable {
        once = GraphPattern::Join {
            left: Box::new(once),
            right: Box::new(GraphPattern::Values {
                variables: vec![variable],
                bindings: vec![vec![Some(value)]],
            }),
        };
    }
    // A term that the graph has leads to itself for spareval, too.
    let itself = GraphPattern::Path {
        subject: term.clone(),
        path: path.clone(),
        object: term.clone(),
    };
    Some(GraphPattern::Filter {
        expr: Expression::Not(Box::new(Expression::Exists(Box::new(itself)))),
        inner: Box::new(once),
    })
}

#[cfg(test)]
mod tests {
    use crate::{Error, Format, Options, evaluate};
    use ldp_rdf::Root;
    use oxrdf::{Dataset, GraphName, NamedNode, Quad};

    fn answer(text: &str) -> Result<String, Error> {
        let node = |name: &str| NamedNode::new_unchecked(format!("x:{name}"));
        let graphs = [GraphName::DefaultGraph, node("g").into(), node("h").into()];
        let data: Dataset = graphs
            .into_iter()
            .map(|graph| Quad::new(node("a"), node("p"), node("b"), graph))
            .collect();
        let mut csv = Vec::new();
        evaluate(
            |_| Ok(&data),
            &Root::new("http://h/ldp").unwrap(),
            text,
            &Options::default(),
            |_| Some(Format::Csv),
            &mut csv,
        )?;
        Ok(String::from_utf8(csv).unwrap())
    }

    /// The rows of a query as CSV, where `a` leads to `b` by `p`: in the default graph, and in the
    /// graphs `g` and `h`.
    fn rows(text: &str) -> String {
        let csv = answer(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let mut rows: Vec<&str> = csv.lines().skip(1).collect();
        rows.sort_unstable();
        rows.join(" ")
    }

    #[test]
    fn a_path_without_a_step_leads_to_any_term() {
        for (pattern, found) in [
            ("<x:c> <x:p>* ?x", "x:c"),
            ("?x <x:p>? <x:c>", "x:c"),
            ("?x <x:p>? 'c'", "c"),
            ("<x:a> <x:p>* ?x", "x:a x:b"),
            ("<x:c> (<x:p>|<x:q>*) ?x", "x:c"),
            ("<x:c> <x:p>+ ?x", ""),
            ("<x:c> (<x:p>?)+ ?x", "x:c"),
            ("VALUES ?x { <x:b> <x:c> } <x:a> <x:p>* ?x", "x:b"),
            ("VALUES ?x { <x:b> <x:c> } <x:c> <x:p>* ?x", "x:c"),
            (
                "VALUES ?x { <x:b> } FILTER EXISTS { <x:c> <x:p>* <x:c> }",
                "x:b",
            ),
            ("VALUES ?x { <x:b> } FILTER EXISTS { <x:c> <x:p>* ?x }", ""),
            ("GRAPH ?x { <x:c> <x:p>* <x:c> }", "x:g x:h"),
            ("GRAPH <x:g> { <x:c> <x:p>* ?x }", "x:c"),
            ("GRAPH <x:g> { <x:a> <x:p>* ?x }", "x:a x:b"),
        ] {
            assert_eq!(
                rows(&format!("SELECT ?x {{ {pattern} }}")),
                found,
                "{pattern}"
            );
        }
    }

    #[test]
    fn conditions_have_their_effective_boolean_values() {
        let values = "VALUES ?x { 'a'@en ''@en 'a' '' 1 0 '300'^^<http://www.w3.org/2001/XMLSchema#byte> <x:a> }";
        for (condition, found) in [
            ("FILTER(?x)", "1 a a"),
            ("FILTER(!?x)", "  0 300"),
            ("FILTER(?x && 'a'@en)", "1 a a"),
            (
                "FILTER(?x || '300'^^<http://www.w3.org/2001/XMLSchema#byte>)",
                "1 a a",
            ),
            ("FILTER(?x + 1 = 301)", ""),
            ("FILTER(false || ?x)", "1 a a"),
            ("FILTER(IF(?x, true, false))", "1 a a"),
            (
                "OPTIONAL { VALUES ?y { 1 } FILTER(?x) } FILTER(BOUND(?y))",
                "1 a a",
            ),
            ("FILTER EXISTS { FILTER(?x) }", "1 a a"),
        ] {
            let text = format!("SELECT ?x {{ {values} {condition} }}");
            assert_eq!(rows(&text).trim_end(), found, "{condition}");
        }
        let having = "SELECT (SAMPLE(?l) AS ?x) { VALUES (?g ?l) { (1 'a'@en) (2 ''@en) } } GROUP BY ?g HAVING (SAMPLE(?l))";
        assert_eq!(rows(having), "a");
    }

    #[test]
    fn patterns_and_replacements_are_those_of_xpath() {
        for (value, found) in [
            (
                r#"REPLACE("Doe John","^(\\w+) (\\w+)$","$2_$1")"#,
                "John_Doe",
            ),
            (r#"REPLACE("12","(1)(2)","$1a$2b")"#, "1a2b"),
            (r#"REPLACE("a","a","\\$")"#, "$"),
            (r#"REGEX("a1", "^\\i\\c*$")"#, "true"),
        ] {
            let text = format!("SELECT ?x {{ BIND({value} AS ?x) }}");
            assert_eq!(rows(&text), found, "{value}");
        }
        for text in [
            r#"SELECT ?x { VALUES ?x { "abab" } FILTER(REGEX(?x, "(ab)\\1")) }"#,
            r#"SELECT (REPLACE("abab", CONCAT("(ab)", "\\1"), "c") AS ?x) {}"#,
        ] {
            let error = answer(text).expect_err(text);
            assert!(
                matches!(&error, Error::Unsupported(what) if what.contains("reference")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_named_node_is_one_in_its_solution_only() {
        for (select, found) in [
            (
                "(COUNT(DISTINCT ?a) AS ?x) { VALUES ?v { 1 2 3 } BIND(BNODE('a') AS ?a) }",
                "3",
            ),
            (
                "(SUM(IF(?a = ?b && ?a != ?c, 1, 0)) AS ?x) { SELECT (BNODE('a') AS ?a) (BNODE('a') AS ?b) \
              (BNODE('b') AS ?c) { VALUES ?v { 1 2 } } }",
                "2",
            ),
            (
                "(COUNT(*) AS ?x) { BIND(BNODE('a') AS ?a) { BIND(BNODE('a') AS ?b) } FILTER(?a != ?b) }",
                "1",
            ),
            ("(ISBLANK(BNODE('no name')) AS ?x) {}", "true"),
            ("(BNODE(1) AS ?x) {}", ""),
        ] {
            assert_eq!(rows(&format!("SELECT {select}")), found, "{select}");
        }
    }

    #[test]
    fn booleans_have_any_case() {
        assert_eq!(rows("\u{FEFF}SELECT ?x { BIND(TRUE AS ?x) }"), "true");
        for (value, found) in [
            ("TRUE", "true"),
            ("False", "false"),
            ("'TRUE'", "TRUE"),
            ("STR(<x:TRUE>)", "x:TRUE"),
            ("'a' #TRUE\n", "a"),
            ("STR(TRUE:TRUE)", "x:tTRUE"),
        ] {
            let text = format!("PREFIX TRUE: <x:t> SELECT ?x {{ BIND({value} AS ?x) }}");
            assert_eq!(rows(&text), found, "{value}");
        }
        assert_eq!(
            rows("SELECT (?TRUE AS ?x) { VALUES ?TRUE { TRUE } }"),
            "true"
        );
    }

    #[test]
    fn joined_literals_have_no_language() {
        for (select, found) in [
            ("(LANG(GROUP_CONCAT(?l)) AS ?x)", ""),
            ("(GROUP_CONCAT(?l) AS ?x)", "a b"),
            ("(LANG(SAMPLE(?l)) AS ?x)", "en"),
            ("(STRLEN(GROUP_CONCAT(?l; SEPARATOR=', ')) AS ?x)", "4"),
        ] {
            let text = format!("SELECT {select} {{ VALUES ?l {{ 'a'@en 'b'@en }} }}");
            assert_eq!(rows(&text), found, "{select}");
        }
        let having = "SELECT ?g { VALUES (?g ?l) { (1 'a'@en) (2 'b'@en) } } \
                      GROUP BY ?g HAVING (GROUP_CONCAT(?l) = 'a')";
        assert_eq!(rows(having), "1");
    }
}
