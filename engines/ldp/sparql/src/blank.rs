//! `BNODE(text)`: one node for a text within a solution, and another in each other solution.

use crate::functions::{self, call};
use crate::walk::{self, Visit};
use oxrdf::{BlankNode, Literal, Term, vocab::xsd};
use spargebra::algebra::{Expression, Function, GraphPattern};
use spargebra::term::Variable;
use std::fmt::Write as _;

/// Names the variables that hold a node of each solution; a query cannot write it.
const SCOPE: &str = "solution-";

/// Has the nodes that a pattern binds made for the solution: from a new node of it and the text.
pub(crate) fn in_pattern(pattern: &mut GraphPattern) {
    let GraphPattern::Extend {
        inner, expression, ..
    } = pattern
    else {
        return;
    };
    let mut labelled = Labelled { scope: None, inner };
    walk::expression(expression, &mut labelled);
}

struct Labelled<'a> {
    scope: Option<Variable>,
    inner: &'a mut GraphPattern,
}

impl Visit for Labelled<'_> {
    fn expression(&mut self, expression: &mut Expression) {
        if let Expression::FunctionCall(Function::BNode, arguments) = expression
            && let [_] = arguments[..]
        {
            let inner = &mut *self.inner;
            let scope = self.scope.get_or_insert_with(|| scope_of(inner)).clone();
            let mut arguments = std::mem::take(arguments);
            arguments.insert(0, Expression::Variable(scope));
            *expression = call(functions::NODE, arguments);
        }
    }
}

/// The variable of the solutions that a row of assignments extends; makes it where there is none.
fn scope_of(pattern: &mut GraphPattern) -> Variable {
    match pattern {
        GraphPattern::Extend { variable, .. } if variable.as_str().starts_with(SCOPE) => {
            variable.clone()
        }
        GraphPattern::Extend { inner, .. } => scope_of(inner),
        solutions => {
            let node = BlankNode::default();
            let scope = Variable::new_unchecked(format!("{SCOPE}{}", node.as_str()));
            *solutions = GraphPattern::Extend {
                inner: Box::new(std::mem::take(solutions)),
                variable: scope.clone(),
                expression: Expression::FunctionCall(Function::BNode, Vec::new()),
            };
            scope
        }
    }
}

/// The node for a text in the solution that has a node of its own.
pub(crate) fn node(terms: &[Term]) -> Option<Term> {
    let [Term::BlankNode(solution), Term::Literal(text)] = terms else {
        return None;
    };
    (text.datatype() == xsd::STRING).then(|| {
        let mut name = format!("{}x", solution.as_str());
        for byte in Literal::value(text).bytes() {
            _ = write!(name, "{byte:02x}");
        }
        BlankNode::new_unchecked(name).into()
    })
}
