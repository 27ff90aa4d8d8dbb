//! A walk through the algebra, which may change it.

use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression};

/// What is done at each part, once the parts of it are done.
pub(crate) trait Visit {
    /// At a pattern.
    fn pattern(&mut self, _pattern: &mut GraphPattern) {}
    /// At an expression.
    fn expression(&mut self, _expression: &mut Expression) {}
}

/// Goes through a pattern, with those in its expressions.
pub(crate) fn pattern(pattern: &mut GraphPattern, visit: &mut impl Visit) {
    match pattern {
        GraphPattern::Bgp { .. } | GraphPattern::Values { .. } | GraphPattern::Path { .. } => {}
        GraphPattern::Join { left, right }
        | GraphPattern::Lateral { left, right }
        | GraphPattern::Union { left, right }
        | GraphPattern::Minus { left, right } => {
            self::pattern(left, visit);
            self::pattern(right, visit);
        }
        GraphPattern::LeftJoin {
            left,
            right,
            expression,
        } => {
            self::pattern(left, visit);
            self::pattern(right, visit);
            if let Some(condition) = expression {
                self::expression(condition, visit);
            }
        }
        GraphPattern::Filter { expr, inner } => {
            self::expression(expr, visit);
            self::pattern(inner, visit);
        }
        GraphPattern::Extend {
            inner, expression, ..
        } => {
            self::expression(expression, visit);
            self::pattern(inner, visit);
        }
        GraphPattern::OrderBy { inner, expression } => {
            for order in expression {
                let (OrderExpression::Asc(by) | OrderExpression::Desc(by)) = order;
                self::expression(by, visit);
            }
            self::pattern(inner, visit);
        }
        GraphPattern::Graph { inner, .. }
        | GraphPattern::Service { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. } => self::pattern(inner, visit),
        GraphPattern::Group {
            inner, aggregates, ..
        } => {
            self::pattern(inner, visit);
            for (_, aggregate) in aggregates {
                if let AggregateExpression::FunctionCall { expr, .. } = aggregate {
                    self::expression(expr, visit);
                }
            }
        }
    }
    visit.pattern(pattern);
}

/// Goes through an expression, with the patterns in it.
pub(crate) fn expression(expression: &mut Expression, visit: &mut impl Visit) {
    match expression {
        Expression::NamedNode(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Bound(_) => {}
        Expression::Exists(pattern) => self::pattern(pattern, visit),
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
        | Expression::Divide(a, b) => {
            self::expression(a, visit);
            self::expression(b, visit);
        }
        Expression::UnaryPlus(a) | Expression::UnaryMinus(a) | Expression::Not(a) => {
            self::expression(a, visit);
        }
        Expression::If(a, b, c) => {
            self::expression(a, visit);
            self::expression(b, visit);
            self::expression(c, visit);
        }
        Expression::In(a, list) => {
            self::expression(a, visit);
            list.iter_mut()
                .for_each(|item| self::expression(item, visit));
        }
        Expression::Coalesce(list) | Expression::FunctionCall(_, list) => {
            list.iter_mut()
                .for_each(|item| self::expression(item, visit));
        }
    }
    visit.expression(expression);
}
