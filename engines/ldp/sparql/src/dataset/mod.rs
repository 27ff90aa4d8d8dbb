//! A view of a repository as the dataset of a query.
//!
//! Each live resource has three named graphs (see [`aspect`]); the default graph is the union of
//! all. A pattern is answered in two steps: which resources can have such triples, by the indexes or
//! a scan of the records; and which triples of each do match.

// What a value learns of its resource is neither compared nor hashed.
#![allow(clippy::mutable_key_type)]

mod aspect;
mod candidates;
mod members;
mod source;
mod star;
mod triples;
mod value;

use crate::Error;
use aspect::Aspect;
use ldp_rdf::Root;
use ldp_repository::View;
use oxrdf::Term;
use source::Source;
use spareval::{CancellationToken, InternalQuad, QueryableDataset};
use std::collections::HashSet;
use std::iter::once;
use std::rc::Rc;
use value::Value;

/// The dataset; lives on one thread, for one query.
pub(crate) struct Data(Rc<Source>);

type Quad = InternalQuad<Value>;
type Quads = Box<dyn Iterator<Item = Result<Quad, Error>>>;

/// A triple of values.
type Triple = [Value; 3];

/// A triple pattern: none stands for any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    pub subject: Option<Value>,
    pub predicate: Option<Value>,
    pub object: Option<Value>,
}

impl Pattern {
    fn matches(&self, triple: &Triple) -> bool {
        [&self.subject, &self.predicate, &self.object]
            .into_iter()
            .zip(triple)
            .all(|(wanted, found)| wanted.as_ref().is_none_or(|wanted| wanted == found))
    }

    /// The aspects that can say it. Blank nodes as objects are never the server's.
    fn aspects(&self) -> impl Iterator<Item = Aspect> + use<> {
        let predicate = self.predicate.as_ref().map(Value::as_iri);
        // No triple has such a predicate.
        let none = predicate == Some(None);
        let object = self.object.as_ref().map(|object| match object {
            Value::Literal(literal) => Some(literal.as_ref().as_ref().into()),
            other => other.as_iri().map(Into::into),
        });
        let blank = object == Some(None);
        Aspect::saying(self.subject.as_ref(), predicate.flatten(), object.flatten())
            .filter(move |aspect| !none && (!blank || *aspect == Aspect::User))
    }
}

impl Data {
    /// The dataset of a view, seen from outside at `root`; reading ends with an error when `token`
    /// is cancelled.
    pub fn new(view: &View, root: &Root, token: &CancellationToken) -> Result<Self, Error> {
        let source = Source::new(view.clone(), root.clone(), token.clone())?;
        Ok(Self(Rc::new(source)))
    }

    /// The value of a term as clients see it.
    pub fn value(&self, term: Term) -> Value {
        Value::from_outside(term, &self.0.root)
    }

    /// The triples of a pattern in the default graph, as clients see them.
    pub fn triples(
        &self,
        pattern: Pattern,
    ) -> impl Iterator<Item = Result<oxrdf::Triple, Error>> + use<> {
        let source = self.0.clone();
        self.scan(pattern, false).filter_map(move |quad| {
            let outside = |value: Value| value.to_outside(&source.root);
            let triple = quad.map(|quad| {
                oxrdf::Triple::from_terms(
                    outside(quad.subject),
                    outside(quad.predicate),
                    outside(quad.object),
                )
            });
            // The places of the terms are those that they had in a triple.
            triple.map(Result::ok).transpose()
        })
    }

    /// The quads of a pattern. They say in which graph they are if `named`, and else are merged.
    fn scan(&self, pattern: Pattern, named: bool) -> Quads {
        if pattern.subject.is_some() && !self.0.foreign {
            return match self.of_subject(&pattern, named) {
                Ok(quads) => Box::new(quads.into_iter().map(Ok)),
                Err(error) => Box::new(once(Err(error))),
            };
        }
        let source = self.0.clone();
        // Users may say anything of resources other than the one that they write.
        let user = self.0.foreign.then_some(Aspect::User);
        let others = pattern.aspects();
        let others = others.filter(move |aspect| user != Some(*aspect));
        let quads = user.into_iter().chain(others).flat_map(move |aspect| {
            let (source, pattern) = (source.clone(), pattern.clone());
            source.candidates(aspect, &pattern).flat_map(move |local| {
                let triples = local.and_then(|local| {
                    let triples = source.triples(aspect, &local, &pattern)?;
                    let graph = (named && !triples.is_empty()).then(|| aspect.graph(&local));
                    Ok((triples, graph))
                });
                quads(triples)
            })
        });
        if named || !self.0.foreign {
            return Box::new(quads);
        }
        // Two resources can say the same only if they may speak of each other.
        let mut seen = HashSet::new();
        Box::new(quads.filter(move |quad| match quad {
            Ok(quad) => seen.insert([
                quad.subject.clone(),
                quad.predicate.clone(),
                quad.object.clone(),
            ]),
            Err(_) => true,
        }))
    }

    /// The quads of a pattern with a subject, which leads to the one resource that has them. Joins
    /// ask it for each row, so there are no layers of iterators.
    fn of_subject(&self, pattern: &Pattern, named: bool) -> Result<Vec<Quad>, Error> {
        let mut found = Vec::new();
        let owner = pattern.subject.as_ref().map(|node| self.0.owner(node));
        let Some(local) = owner.transpose()?.flatten() else {
            return Ok(found);
        };
        for aspect in pattern.aspects() {
            let triples = self.0.triples(aspect, &local, pattern)?;
            let graph = (named && !triples.is_empty()).then(|| aspect.graph(&local));
            found.extend(triples.into_iter().map(|triple| quad(triple, &graph)));
        }
        Ok(found)
    }

    /// The quads of a pattern in one named graph.
    fn one_graph(&self, pattern: Pattern, name: &Value) -> Quads {
        let Some((aspect, local)) = Aspect::of_graph(name) else {
            return Box::new(std::iter::empty());
        };
        let triples = self
            .0
            .triples(aspect, &Rc::new(local), &pattern)
            .map(|triples| (triples, Some(name.clone())));
        Box::new(quads(triples))
    }
}

/// Whether a value is an outside IRI.
fn is(value: &Value, iri: &str) -> bool {
    matches!(value, Value::Iri(value) if **value == *iri)
}

fn quads(
    triples: Result<(Vec<Triple>, Option<Value>), Error>,
) -> impl Iterator<Item = Result<Quad, Error>> {
    let (found, error) = match triples {
        Ok(found) => (Some(found), None),
        Err(error) => (None, Some(error)),
    };
    let found = found.into_iter().flat_map(|(triples, graph_name)| {
        triples
            .into_iter()
            .map(move |triple| Ok(quad(triple, &graph_name)))
    });
    found.chain(error.into_iter().map(Err))
}

fn quad([subject, predicate, object]: Triple, graph_name: &Option<Value>) -> Quad {
    Quad {
        subject,
        predicate,
        object,
        graph_name: graph_name.clone(),
    }
}

impl QueryableDataset<'static> for Data {
    type InternalTerm = Value;
    type Error = Error;

    fn internal_quads_for_pattern(
        &self,
        subject: Option<&Value>,
        predicate: Option<&Value>,
        object: Option<&Value>,
        graph_name: Option<Option<&Value>>,
    ) -> impl Iterator<Item = Result<Quad, Error>> + use<> {
        let pattern = Pattern {
            subject: subject.cloned(),
            predicate: predicate.cloned(),
            object: object.cloned(),
        };
        match graph_name {
            Some(Some(name)) => self.one_graph(pattern, name),
            Some(None) => self.scan(pattern, false),
            None => self.scan(pattern, true),
        }
    }

    fn internal_named_graphs(&self) -> impl Iterator<Item = Result<Value, Error>> + use<> {
        let source = self.0.clone();
        self.0
            .all()
            .flat_map(move |local| -> Box<dyn Iterator<Item = _>> {
                match local {
                    Err(error) => Box::new(once(Err(error))),
                    Ok(local) => {
                        let source = source.clone();
                        Box::new(Aspect::ALL.into_iter().filter_map(move |aspect| {
                            match source.has_graph(aspect, &local) {
                                Ok(true) => Some(Ok(aspect.graph(&local))),
                                Ok(false) => None,
                                Err(error) => Some(Err(error)),
                            }
                        }))
                    }
                }
            })
    }

    fn contains_internal_graph_name(&self, graph_name: &Value) -> Result<bool, Error> {
        match Aspect::of_graph(graph_name) {
            Some((aspect, local)) => self.0.has_graph(aspect, &Rc::new(local)),
            None => Ok(false),
        }
    }

    fn internalize_term(&self, term: Term) -> Result<Value, Error> {
        Ok(self.value(term))
    }

    fn externalize_term(&self, term: Value) -> Result<Term, Error> {
        Ok(term.to_outside(&self.0.root))
    }
}
