//! A dataset whose evaluation can be ended anywhere.
//!
//! spareval looks at its token for each quad, but where it builds a side of a join it keeps an error
//! for each that is left: so a quad of a cancelled query unwinds the thread of the query, which
//! `limits` runs and whose end it takes as the limit's error. Products and aggregates can run for
//! hours between two quads, but they do copy terms: the copy of a term looks at the token as well.

use crate::boolean;
use oxrdf::vocab::xsd;
use spareval::{CancellationToken, ExpressionTerm, InternalQuad, QueryableDataset};
use std::cell::RefCell;
use std::hash::Hash;

thread_local! {
    static TOKEN: RefCell<CancellationToken> = RefCell::new(CancellationToken::new());
}

/// A dataset of which copies of terms are watched.
pub(crate) struct Watched<D>(D);

/// A term whose copy ends a cancelled query.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Term<T>(T);

impl<T: Clone> Clone for Term<T> {
    fn clone(&self) -> Self {
        go_on();
        Self(self.0.clone())
    }
}

/// Unwinds if the query of this thread is cancelled.
fn go_on() {
    if TOKEN.with_borrow(CancellationToken::is_cancelled) {
        // Unlike a panic, this prints nothing.
        std::panic::resume_unwind(Box::new("cancelled"));
    }
}

impl<D> Watched<D> {
    /// Watches for `token` on this thread.
    pub fn new(dataset: D, token: &CancellationToken) -> Self {
        TOKEN.set(token.clone());
        Self(dataset)
    }
}

impl<'a, D: QueryableDataset<'a>> QueryableDataset<'a> for Watched<D> {
    type InternalTerm = Term<D::InternalTerm>;
    type Error = D::Error;

    fn internal_quads_for_pattern(
        &self,
        subject: Option<&Self::InternalTerm>,
        predicate: Option<&Self::InternalTerm>,
        object: Option<&Self::InternalTerm>,
        graph_name: Option<Option<&Self::InternalTerm>>,
    ) -> impl Iterator<Item = Result<InternalQuad<Self::InternalTerm>, D::Error>> + use<'a, D> {
        let quads = self.0.internal_quads_for_pattern(
            subject.map(|term| &term.0),
            predicate.map(|term| &term.0),
            object.map(|term| &term.0),
            graph_name.map(|name| name.map(|term| &term.0)),
        );
        quads.map(|quad| {
            go_on();
            let quad = quad?;
            Ok(InternalQuad {
                subject: Term(quad.subject),
                predicate: Term(quad.predicate),
                object: Term(quad.object),
                graph_name: quad.graph_name.map(Term),
            })
        })
    }

    fn internal_named_graphs(
        &self,
    ) -> impl Iterator<Item = Result<Self::InternalTerm, D::Error>> + use<'a, D> {
        self.0.internal_named_graphs().map(|name| {
            go_on();
            name.map(Term)
        })
    }

    fn contains_internal_graph_name(&self, name: &Self::InternalTerm) -> Result<bool, D::Error> {
        self.0.contains_internal_graph_name(&name.0)
    }

    fn internalize_term(&self, term: oxrdf::Term) -> Result<Self::InternalTerm, D::Error> {
        self.0.internalize_term(term).map(Term)
    }

    fn externalize_term(&self, term: Self::InternalTerm) -> Result<oxrdf::Term, D::Error> {
        self.0.externalize_term(term.0)
    }

    fn externalize_expression_term(
        &self,
        term: Self::InternalTerm,
    ) -> Result<ExpressionTerm, D::Error> {
        Ok(match self.0.externalize_term(term.0)? {
            // spareval takes it for an integer.
            oxrdf::Term::Literal(literal) if boolean::is_out_of_range(&literal) => {
                let (value, datatype, _) = literal.destruct();
                ExpressionTerm::OtherTypedLiteral {
                    value,
                    datatype: datatype.unwrap_or_else(|| xsd::INTEGER.into()),
                }
            }
            term => term.into(),
        })
    }

    fn internalize_expression_term(
        &self,
        term: ExpressionTerm,
    ) -> Result<Self::InternalTerm, D::Error> {
        self.0.internalize_expression_term(term).map(Term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxrdf::{Dataset, GraphName, NamedNode, Quad};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_cancelled_query_reads_no_further_quad_or_name() {
        let node = |text: &str| NamedNode::new_unchecked(text);
        let graphs = [
            GraphName::DefaultGraph,
            node("urn:g").into(),
            node("urn:h").into(),
        ];
        let quads = graphs.iter().flat_map(|graph| {
            ["urn:a", "urn:b"]
                .map(|s| Quad::new(node(s), node("urn:p"), node("urn:o"), graph.clone()))
        });
        let dataset: Dataset = quads.collect();
        let token = CancellationToken::new();
        let watched = Watched::new(&dataset, &token);
        let mut quads = watched.internal_quads_for_pattern(None, None, None, Some(None));
        let mut names = watched.internal_named_graphs();
        assert!(quads.next().is_some_and(|quad| quad.is_ok()));
        assert!(names.next().is_some_and(|name| name.is_ok()));
        token.cancel();
        assert!(catch_unwind(AssertUnwindSafe(|| quads.next())).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| names.next())).is_err());
    }
}
