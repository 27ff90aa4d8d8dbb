//! Functions that are put in the place of the evaluator's own.

use crate::{Error, blank, boolean, replace};
use oxrdf::{NamedNode, Term, Variable};
use spareval::{CancellationToken, QueryEvaluator};
use spargebra::algebra::{Expression, Function};
use std::sync::{Arc, OnceLock};

/// The effective boolean value of a term.
pub(crate) const BOOLEAN: &str = "info:fcsystem/function/boolean";
/// `REGEX`
pub(crate) const MATCHES: &str = "info:fcsystem/function/matches";
/// `REPLACE`
pub(crate) const REPLACE: &str = "info:fcsystem/function/replace";

/// `BNODE` of a text
pub(crate) const NODE: &str = "info:fcsystem/function/node";

/// The call of one of them.
pub(crate) fn call(name: &str, arguments: Vec<Expression>) -> Expression {
    let name = NamedNode::new_unchecked(name);
    Expression::FunctionCall(Function::Custom(name), arguments)
}

/// What stands in an expression while another is taken out of it.
pub(crate) fn no_variable() -> Variable {
    Variable::new_unchecked("none")
}

/// What a function had to do and cannot: it ends the evaluation, for a missing value would be a wrong
/// answer.
#[derive(Clone, Default)]
pub(crate) struct Refusal(Arc<OnceLock<String>>);

impl Refusal {
    /// The error of an evaluation that was refused, or else its own result.
    pub fn or<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        match self.0.get() {
            Some(what) => Err(Error::Unsupported(what.clone())),
            None => result,
        }
    }

    /// An evaluator with the functions; it reaches nothing but the dataset: a `SERVICE` is an error.
    pub fn evaluator(&self, token: CancellationToken) -> QueryEvaluator {
        let function =
            |compute: fn(&replace::Patterns, &[Term]) -> Result<Option<Term>, String>| {
                let (refusal, token) = (self.clone(), token.clone());
                let patterns = replace::Patterns::default();
                move |terms: &[Term]| {
                    compute(&patterns, terms).unwrap_or_else(|what| {
                        _ = refusal.0.set(what);
                        token.cancel();
                        None
                    })
                }
            };
        QueryEvaluator::new()
            .with_custom_function(NamedNode::new_unchecked(BOOLEAN), boolean::value)
            .with_custom_function(NamedNode::new_unchecked(NODE), blank::node)
            .with_custom_function(
                NamedNode::new_unchecked(MATCHES),
                function(replace::matches),
            )
            .with_custom_function(
                NamedNode::new_unchecked(REPLACE),
                function(replace::replace),
            )
            .with_cancellation_token(token)
    }
}
