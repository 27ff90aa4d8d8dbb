//! Queries that count the rows of patterns: the dataset counts, nothing has to make the rows.

use crate::Error;
use crate::dataset::Data;
use oxrdf::Literal;
use spargebra::Query;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, GraphPattern};
use spargebra::term::{GroundTerm, TermPattern, TriplePattern};
use std::mem::take;

/// Puts the value in place of the counts of a query, where the dataset can tell it.
///
/// The counts are those over one basic graph pattern, without `GROUP BY` and `DISTINCT`. All of a
/// basic graph pattern is bound in each row, so a count of a variable is one of rows.
pub fn counted(data: &Data, mut query: Query) -> Result<Query, Error> {
    // FROM makes another default graph.
    if let Query::Select {
        dataset: None,
        pattern,
        ..
    } = &mut query
    {
        put_counts(data, pattern)?;
    }
    Ok(query)
}

fn put_counts(data: &Data, pattern: &mut GraphPattern) -> Result<(), Error> {
    match pattern {
        GraphPattern::Project { inner, .. }
        | GraphPattern::Extend { inner, .. }
        | GraphPattern::Slice { inner, .. } => put_counts(data, inner),
        GraphPattern::Group {
            inner,
            variables,
            aggregates,
        } if variables.is_empty() => {
            if let GraphPattern::Bgp { patterns } = &**inner
                && aggregates
                    .iter()
                    .all(|(_, what)| counts_rows(what, patterns))
                && let Some(count) = data.count_star(patterns)?
            {
                let count = GroundTerm::from(Literal::from(count));
                *pattern = GraphPattern::Values {
                    bindings: vec![vec![Some(count); aggregates.len()]],
                    variables: take(aggregates).into_iter().map(|(name, _)| name).collect(),
                };
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn counts_rows(aggregate: &AggregateExpression, patterns: &[TriplePattern]) -> bool {
    match aggregate {
        AggregateExpression::CountSolutions { distinct } => !distinct,
        AggregateExpression::FunctionCall {
            name: AggregateFunction::Count,
            expr: Expression::Variable(variable),
            distinct: false,
        } => {
            let variable = TermPattern::from(variable.clone());
            patterns.iter().any(|pattern| {
                let predicate = TermPattern::from(pattern.predicate.clone());
                [&pattern.subject, &predicate, &pattern.object].contains(&&variable)
            })
        }
        AggregateExpression::FunctionCall { .. } => false,
    }
}
