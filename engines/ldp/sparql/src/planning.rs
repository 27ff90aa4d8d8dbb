//! Whether a query is planned: the planner looks at no limit while it works.
//!
//! To order n patterns, sparopt compares each with all that it has joined before, which it goes through anew for each
//! of them. It goes twice through what is grouped, what stands on the right of `OPTIONAL`, and each step of a path
//! that is repeated: twice as long for each that stands in another. What would take too long is evaluated as it is
//! written, for evaluation ends at the limits.

use crate::Error;
use crate::walk::{self, Visit};
use spareval::QueryEvaluator;
use spargebra::algebra::{
    AggregateExpression, Expression, GraphPattern, OrderExpression, PropertyPathExpression,
};
use std::mem::take;

/// The most steps of a plan.
const STEPS: u64 = 1 << 26;

/// The most parts of an expression: spareval writes what stands before `IN` out for each item of the list.
const PARTS: u64 = 1 << 22;

/// The evaluator, which plans if that takes not too long; an error if an expression becomes too large.
pub(crate) fn planned(
    evaluator: QueryEvaluator,
    pattern: &mut GraphPattern,
) -> Result<QueryEvaluator, Error> {
    let mut size = Size::default();
    size.pattern(pattern, 1);
    if size.largest > PARTS {
        let message = "what stands before IN is too long for so long a list";
        return Err(Error::Unsupported(message.to_owned()));
    }
    if size.steps() <= STEPS {
        return Ok(evaluator);
    }
    walk::pattern(pattern, &mut AsWritten);
    Ok(evaluator.without_optimizations())
}

/// Has triples looked for one after the other, each with what the ones before have found.
struct AsWritten;

impl Visit for AsWritten {
    fn pattern(&mut self, pattern: &mut GraphPattern) {
        if let GraphPattern::Bgp { patterns } = pattern {
            let each = take(patterns).into_iter().map(|triple| GraphPattern::Bgp {
                patterns: vec![triple],
            });
            let in_order = each.reduce(|left, right| GraphPattern::Lateral {
                left: Box::new(left),
                right: Box::new(right),
            });
            *pattern = in_order.unwrap_or_default();
        }
    }
}

/// What is to be planned.
#[derive(Default)]
struct Size {
    /// How many triples, paths and lists of values there are.
    patterns: u64,
    /// How often the planner goes through one, or through a value or a part of an expression in it.
    visits: u64,
    /// Parts of the largest expression.
    largest: u64,
}

impl Size {
    fn steps(&self) -> u64 {
        self.visits
            .saturating_mul(self.patterns.max(1).saturating_pow(3))
    }

    fn add(&mut self, patterns: usize, visits: u64, times: u64) {
        self.patterns = self.patterns.saturating_add(patterns as u64);
        self.visits = self.visits.saturating_add(visits.saturating_mul(times));
    }

    /// Adds a pattern that the planner goes through so many times.
    fn pattern(&mut self, pattern: &GraphPattern, times: u64) {
        let twice = times.saturating_mul(2);
        self.add(0, 1, times);
        match pattern {
            GraphPattern::Bgp { patterns } => {
                self.add(patterns.len(), patterns.len() as u64, times);
            }
            GraphPattern::Path { path, .. } => self.add(1, steps(path), times),
            GraphPattern::Values {
                variables,
                bindings,
            } => self.add(1, (bindings.len() * variables.len()) as u64, times),
            GraphPattern::Join { left, right }
            | GraphPattern::Lateral { left, right }
            | GraphPattern::Union { left, right }
            | GraphPattern::Minus { left, right } => {
                self.pattern(left, times);
                self.pattern(right, times);
            }
            GraphPattern::LeftJoin {
                left,
                right,
                expression,
            } => {
                self.pattern(left, times);
                self.pattern(right, twice);
                if let Some(condition) = expression {
                    self.expression(condition, times);
                }
            }
            GraphPattern::Filter { expr, inner } => {
                self.expression(expr, times);
                self.pattern(inner, times);
            }
            GraphPattern::Extend {
                inner, expression, ..
            } => {
                self.expression(expression, times);
                self.pattern(inner, times);
            }
            GraphPattern::OrderBy { inner, expression } => {
                for order in expression {
                    let (OrderExpression::Asc(by) | OrderExpression::Desc(by)) = order;
                    self.expression(by, times);
                }
                self.pattern(inner, times);
            }
            GraphPattern::Graph { inner, .. }
            | GraphPattern::Service { inner, .. }
            | GraphPattern::Project { inner, .. }
            | GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner }
            | GraphPattern::Slice { inner, .. } => self.pattern(inner, times),
            GraphPattern::Group {
                inner, aggregates, ..
            } => {
                self.pattern(inner, twice);
                for (_, aggregate) in aggregates {
                    if let AggregateExpression::FunctionCall { expr, .. } = aggregate {
                        self.expression(expr, times);
                    }
                }
            }
        }
    }

    fn expression(&mut self, expression: &Expression, times: u64) {
        let parts = self.parts(expression, times);
        self.largest = self.largest.max(parts);
        self.add(0, parts, times);
    }

    /// How many parts an expression has as spareval writes it; the patterns in it are added.
    fn parts(&mut self, expression: &Expression, times: u64) -> u64 {
        let mut sum = |parts: &[&Expression]| {
            let each = parts.iter().map(|part| self.parts(part, times));
            each.fold(1, u64::saturating_add)
        };
        match expression {
            Expression::NamedNode(_)
            | Expression::Literal(_)
            | Expression::Variable(_)
            | Expression::Bound(_) => 1,
            Expression::Exists(pattern) => {
                self.pattern(pattern, times);
                1
            }
            Expression::Or(a, b)
            | Expression::And(a, b)
            | Expression::Equal(a, b)
            | Expression::SameTerm(a, b)
            | Expression::Greater(a, b)
            | Expression::GreaterOrEqual(a, b)
            | Expression::Less(a, b)
            | Expression::LessOrEqual(a, b)
            | Expression::Add(a, b)
            | Expression::Subtract(a, b)
            | Expression::Multiply(a, b)
            | Expression::Divide(a, b) => sum(&[a, b]),
            Expression::UnaryPlus(a) | Expression::UnaryMinus(a) | Expression::Not(a) => sum(&[a]),
            Expression::If(a, b, c) => sum(&[a, b, c]),
            Expression::In(a, list) => {
                let repeated = sum(&[a]).saturating_mul(list.len() as u64);
                let items = list.iter().map(|item| self.parts(item, times));
                items.fold(repeated, u64::saturating_add)
            }
            Expression::Coalesce(list) | Expression::FunctionCall(_, list) => {
                let items = list.iter().map(|item| self.parts(item, times));
                items.fold(1, u64::saturating_add)
            }
        }
    }
}

/// How many steps of a path the planner looks at.
fn steps(path: &PropertyPathExpression) -> u64 {
    match path {
        PropertyPathExpression::NamedNode(_) => 1,
        PropertyPathExpression::NegatedPropertySet(names) => names.len() as u64,
        PropertyPathExpression::Sequence(a, b) => {
            steps(a).saturating_add(steps(b)).saturating_mul(2)
        }
        PropertyPathExpression::Alternative(a, b) => steps(a).saturating_add(steps(b)),
        PropertyPathExpression::Reverse(path)
        | PropertyPathExpression::ZeroOrMore(path)
        | PropertyPathExpression::OneOrMore(path)
        | PropertyPathExpression::ZeroOrOne(path) => steps(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spargebra::{Query, SparqlParser};

    fn is_planned(text: &str) -> bool {
        let query = SparqlParser::new().parse_query(text).expect("a query");
        let (Query::Select { pattern, .. } | Query::Ask { pattern, .. }) = query else {
            panic!("{text}");
        };
        let mut size = Size::default();
        size.pattern(&pattern, 1);
        size.steps() <= STEPS
    }

    #[test]
    fn what_people_write_is_planned() {
        let optional = (0..30).map(|i| format!("OPTIONAL {{ ?s <urn:{i}> ?o{i} }} "));
        let optional: String = optional.collect();
        let values = "<urn:a> ".repeat(100_000);
        for text in [
            format!("SELECT * {{ {} }}", "?s ?p ?o . ".repeat(80)),
            format!("SELECT * {{ ?s ?p ?o {optional} }}"),
            format!("SELECT * {{ VALUES ?s {{ {values} }} ?s ?p ?o . ?o ?q ?r }}"),
            format!(
                "SELECT * {{ {} {} }}",
                "OPTIONAL { ?s ?p ?o ".repeat(8),
                "}".repeat(8)
            ),
            format!(
                "ASK {{ ?s (<urn:a>{})* ?o . ?o ?p ?q }}",
                "/<urn:a>".repeat(8)
            ),
        ] {
            assert!(is_planned(&text), "{text}");
        }
    }

    #[test]
    fn what_takes_twice_as_long_for_each_level_is_not() {
        for (open, middle, close) in [
            ("OPTIONAL { ?s ?p ?o ", "", "}"),
            ("{ SELECT (COUNT(*) AS ?n) {", "?s ?p ?o", "} }"),
        ] {
            let text = |n| format!("ASK {{ {}{middle}{} }}", open.repeat(n), close.repeat(n));
            assert!(is_planned(&text(1)), "{open}");
            assert!(!is_planned(&text(25)), "{open}");
        }
        let steps = "/<urn:a>".repeat(25);
        assert!(!is_planned(&format!("ASK {{ ?s (<urn:a>{steps})* ?o }}")));
        let values = "1 ".repeat(1_000);
        let triples = "?s ?p ?o . ".repeat(150);
        assert!(!is_planned(&format!(
            "ASK {{ VALUES ?s {{ {values} }} {triples} }}"
        )));
    }
}
