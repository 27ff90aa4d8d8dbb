//! The rules that a body has to keep beside what is there.

use crate::change::Change;
use crate::examine::{Examined, without};
use crate::managed::types_of;
use crate::membership::Membership;
use crate::references::{refers_to_any, refuse};
use crate::view::FOREIGN_SUBJECTS;
use crate::vocabulary::{RDF_TYPE, fcrepo, ldp};
use crate::{Constraint, Error, References, View};
use ldp_rdf::{Graph, Term, Triple, iri_of, uid_of};
use ldp_store::{Model, Op, Resource};
use std::collections::HashSet;
use std::sync::Arc;

/// Which state of a resource a body replaces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// The resource's own: a binary's bytes.
    Resource,
    /// The triples, a binary's, too.
    Description,
}

/// Whether a body can replace the state of a resource.
pub(crate) fn check_kind(
    old: &Resource,
    examined: &Examined,
    model: Option<Model>,
    target: Target,
) -> Result<(), Error> {
    let binary = old.model == Model::Binary;
    let why = match (&examined.content, target) {
        (None, Target::Resource) if binary => "it is a binary; RDF is for its description",
        (Some(_), Target::Resource) if !binary => "it is an RDF source, and bytes came",
        (Some(_), Target::Description) => "its description is RDF, and bytes came",
        _ => match model {
            Some(model) if model != old.model && target == Target::Resource => {
                return Err(Error::Constraint {
                    uid: old.uid.clone(),
                    rule: Constraint::Model,
                    what: format!("it is {}, not {}", name_of(old.model), name_of(model)),
                });
            }
            _ => return Ok(()),
        },
    };
    Err(Error::Kind {
        uid: old.uid.clone(),
        why: why.into(),
    })
}

pub(crate) fn name_of(model: Model) -> &'static str {
    match model {
        Model::RdfSource => "an ldp:RDFSource that is no container",
        Model::BasicContainer => "an ldp:BasicContainer",
        Model::DirectContainer => "an ldp:DirectContainer",
        Model::IndirectContainer => "an ldp:IndirectContainer",
        Model::Binary => "an ldp:NonRDFSource",
    }
}

/// The graph that is stored for a body, once it keeps all rules that need the present state.
pub(crate) fn settle(
    references: References,
    change: &mut Change<'_>,
    new: &Resource,
    old: Option<&Arc<Resource>>,
    examined: Examined,
    lenient: bool,
) -> Result<Graph, Error> {
    if !lenient {
        for triple in &examined.managed {
            if !is_true(&change.view, new, old, triple)? {
                return Err(Error::Constraint {
                    uid: new.uid.clone(),
                    rule: Constraint::ServerManaged,
                    what: format!("the body says {triple}"),
                });
            }
        }
    }
    let mut graph = examined.graph;
    let mut lost = HashSet::new();
    for target in examined.references {
        if !change.will_be(&target)? {
            lost.insert(target);
        }
    }
    if !lost.is_empty() {
        if references == References::Strict {
            return Err(refuse(&new.uid, &lost));
        }
        graph = without(&graph, |triple| refers_to_any(triple, &lost));
    }
    // A client that sends back what it got sends membership triples, too. They stay computed.
    if let Some(old) = old {
        let containers = change.view.membership_containers(old)?;
        if !containers.is_empty() {
            let mut failure = None;
            graph = without(&graph, |triple| {
                change
                    .view
                    .is_membership(&containers, triple)
                    .unwrap_or_else(|error| {
                        failure = Some(error);
                        false
                    })
            });
            if let Some(failure) = failure {
                return Err(failure);
            }
        }
    }
    Membership::of(new, &graph)?;
    if examined.foreign && !change.view.has_foreign_subjects()? {
        change
            .ops
            .push(Op::SetMeta(FOREIGN_SUBJECTS.into(), Vec::new()));
    }
    Ok(graph)
}

/// Whether a triple that only the server says is what it says, now or of the new record.
fn is_true(
    view: &View,
    new: &Resource,
    old: Option<&Arc<Resource>>,
    triple: &Triple,
) -> Result<bool, Error> {
    let Term::NamedNode(object) = &triple.object else {
        return is_record_triple(view, old, triple);
    };
    match triple.predicate.as_str() {
        RDF_TYPE => Ok(types_of(new.model).contains(&object.as_str())
            || new.uid == "/" && object == fcrepo::REPOSITORY_ROOT),
        ldp::CONTAINS => match (uid_of(object.as_str()), old) {
            (Some(child), Some(old)) if object.as_str() == iri_of(&child) => {
                let child = view.snapshot().resource(&child)?;
                match child {
                    Some(child) if child.parent == Some(old.rid) => {
                        Ok(view.live(child.rid)?.is_some())
                    }
                    _ => Ok(false),
                }
            }
            _ => Ok(false),
        },
        _ => is_record_triple(view, old, triple),
    }
}

fn is_record_triple(
    view: &View,
    old: Option<&Arc<Resource>>,
    triple: &Triple,
) -> Result<bool, Error> {
    let Some(old) = old else {
        return Ok(false);
    };
    let mut found = false;
    view.managed(old, &mut |managed| {
        found |= managed == triple.as_ref();
        Ok::<_, Error>(())
    })?;
    Ok(found)
}

/// An indirect container's members change with what its children say.
pub(crate) fn touch_members(change: &mut Change<'_>, child: &Resource) -> Result<(), Error> {
    if let Some(parent) = change.view.parent(child)?
        && parent.model == Model::IndirectContainer
    {
        change.touched.insert(parent.rid);
    }
    Ok(())
}
