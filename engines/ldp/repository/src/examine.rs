//! What a body says, found in one pass over its triples before the write lock is taken.

use crate::managed::is_managed;
use crate::vocabulary::{RDF_TYPE, ldp};
use crate::{Body, Constraint, Error};
use ldp_rdf::{Graph, NamedOrBlankNodeRef, TermRef, Triple, TripleRef, iri_of, parse, uid_of};
use ldp_store::{Content, Model};
use std::borrow::Cow;

/// A body, read and examined.
pub(crate) struct Examined {
    /// Its triples but those of `managed`; none for bytes.
    pub graph: Graph,
    /// The bytes of a binary.
    pub content: Option<Content>,
    /// What it says that only the server says: to be dropped where it is true, else refused.
    pub managed: Vec<Triple>,
    /// The paths of resources that it refers to, each once, without itself; empty unless asked for.
    pub references: Vec<String>,
    /// The interaction model that its triples speak of.
    pub model: Option<Model>,
    /// Whether it speaks of subjects that are no part of the resource.
    pub foreign: bool,
}

/// Which rules the pass applies.
#[derive(Clone, Copy)]
pub(crate) struct Scope {
    /// Whether other subjects may be spoken of.
    pub foreign_subjects: bool,
    /// Whether references are wanted.
    pub references: bool,
}

/// Reads the body that the resource at `uid` shall have.
pub(crate) fn examine(uid: &str, body: Body<'_>, scope: Scope) -> Result<Examined, Error> {
    let (graph, content) = match body {
        Body::Empty => (Graph::default(), None),
        Body::Text { format, text, root } => (parse(format, text, &root.url(uid), root)?, None),
        Body::Graph(graph) => (graph, None),
        Body::Binary(content) => (Graph::default(), Some(content)),
    };
    let mut examined = Examined {
        graph,
        content,
        managed: Vec::new(),
        references: Vec::new(),
        model: None,
        foreign: false,
    };
    let graph = examined.graph.clone();
    let reader = graph.reader();
    let iri = iri_of(uid);
    let mut last = None;
    let mut itself = false;
    let mut last_reference: Option<Cow<'_, str>> = None;
    for triple in reader.iter() {
        if last != Some(triple.subject) {
            last = Some(triple.subject);
            let relation = relation(&iri, triple.subject);
            itself = relation == Relation::Itself;
            examined.foreign |= relation == Relation::Foreign;
            if examined.foreign && !scope.foreign_subjects {
                return Err(Error::Constraint {
                    uid: uid.into(),
                    rule: Constraint::ForeignSubject,
                    what: format!("the body speaks of {}", triple.subject),
                });
            }
        }
        let predicate = triple.predicate.as_str();
        if itself && (predicate.starts_with(ldp::NAMESPACE) || predicate == RDF_TYPE) {
            examined.model = more_special(examined.model, claim(triple));
        }
        if itself && is_managed(predicate, triple.object) {
            examined.managed.push(triple.into_owned());
        } else if scope.references
            && let TermRef::NamedNode(object) = triple.object
            && let Some(target) = uid_of(object.as_str())
            && target != uid
            && last_reference.as_ref() != Some(&target)
        {
            examined.references.push(target.clone().into_owned());
            last_reference = Some(target);
        }
    }
    examined.references.sort_unstable();
    examined.references.dedup();
    if !examined.managed.is_empty() {
        examined.graph = without(&graph, |triple| {
            is_managed(triple.predicate.as_str(), triple.object)
                && relation(&iri, triple.subject) == Relation::Itself
        });
    }
    Ok(examined)
}

/// The graph but the triples that `drop` picks.
pub(crate) fn without(graph: &Graph, mut drop: impl FnMut(TripleRef<'_>) -> bool) -> Graph {
    let reader = graph.reader();
    Graph::encode(reader.iter().filter(|&triple| !drop(triple)))
}

/// What a subject is to the resource.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Itself,
    /// A fragment of it, or a blank node.
    Part,
    Foreign,
}

/// What a subject is to the resource of this IRI.
fn relation(iri: &str, subject: NamedOrBlankNodeRef<'_>) -> Relation {
    let NamedOrBlankNodeRef::NamedNode(subject) = subject else {
        return Relation::Part;
    };
    match subject.as_str().strip_prefix(iri) {
        Some("") => Relation::Itself,
        Some(rest) if rest.starts_with('#') => Relation::Part,
        _ => Relation::Foreign,
    }
}

/// What a triple of the resource itself says about its model.
fn claim(triple: TripleRef<'_>) -> Option<Model> {
    match triple.predicate.as_str() {
        RDF_TYPE => match triple.object {
            // Bytes make a binary, no triple does.
            TermRef::NamedNode(class) => {
                model_of_type(class.as_str()).filter(|&model| model != Model::Binary)
            }
            _ => None,
        },
        ldp::INSERTED_CONTENT_RELATION => Some(Model::IndirectContainer),
        ldp::MEMBERSHIP_RESOURCE | ldp::HAS_MEMBER_RELATION | ldp::IS_MEMBER_OF_RELATION => {
            Some(Model::DirectContainer)
        }
        _ => None,
    }
}

/// The interaction model that a type of LDP names, as in `Link: <…>; rel="type"`: none for
/// `ldp:Resource`, which all are, and for other vocabularies; a basic one for `ldp:Container`.
pub fn model_of_type(class: &str) -> Option<Model> {
    match class {
        ldp::RDF_SOURCE => Some(Model::RdfSource),
        ldp::CONTAINER | ldp::BASIC_CONTAINER => Some(Model::BasicContainer),
        ldp::DIRECT_CONTAINER => Some(Model::DirectContainer),
        ldp::INDIRECT_CONTAINER => Some(Model::IndirectContainer),
        ldp::NON_RDF_SOURCE => Some(Model::Binary),
        _ => None,
    }
}

/// The more special of two claims: a container is an RDF source, too.
fn more_special(a: Option<Model>, b: Option<Model>) -> Option<Model> {
    let rank = |model: &Model| match model {
        Model::RdfSource => 0,
        Model::BasicContainer => 1,
        Model::DirectContainer => 2,
        Model::IndirectContainer => 3,
        Model::Binary => 4,
    };
    a.into_iter().chain(b).max_by_key(rank)
}
