//! Referential integrity: references between resources of the repository.

use crate::change::Change;
use crate::examine::without;
use crate::rules::touch_members;
use crate::{Constraint, Error, References, View};
use ldp_rdf::{Graph, TermRef, TripleRef, uid_of};
use ldp_store::{Op, Resource, Rid, State};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Whether the object of a triple is one of the resources, or a fragment of one.
pub(crate) fn refers_to_any(triple: TripleRef<'_>, uids: &HashSet<String>) -> bool {
    match triple.object {
        TermRef::NamedNode(object) => {
            uid_of(object.as_str()).is_some_and(|target| uids.contains(&*target))
        }
        _ => false,
    }
}

/// The paths that a graph refers to where nothing is, nor will be by the change, nor is in `back`.
pub(crate) fn dangling(
    change: &Change<'_>,
    graph: &Graph,
    back: &HashSet<String>,
) -> Result<HashSet<String>, Error> {
    let mut lost = HashSet::new();
    for triple in graph.reader().iter() {
        if let TermRef::NamedNode(object) = triple.object
            && let Some(target) = uid_of(object.as_str())
            && !back.contains(&*target)
            && !lost.contains(&*target)
            && !change.will_be(&target)?
        {
            lost.insert(target.into_owned());
        }
    }
    Ok(lost)
}

/// The graph without references to where nothing is; none if it has no such references.
pub(crate) fn without_dangling(
    change: &Change<'_>,
    graph: &Graph,
    back: &HashSet<String>,
) -> Result<Option<Graph>, Error> {
    let lost = dangling(change, graph, back)?;
    let cleaned = || without(graph, |triple| refers_to_any(triple, &lost));
    Ok((!lost.is_empty()).then(cleaned))
}

/// That a body refers to where nothing is.
pub(crate) fn refuse(uid: &str, lost: &HashSet<String>) -> Error {
    let mut uids: Vec<&str> = lost.iter().map(String::as_str).collect();
    uids.sort_unstable();
    let more = uids.len().saturating_sub(5);
    uids.truncate(5);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    Error::Constraint {
        uid: uid.into(),
        rule: Constraint::DanglingReference,
        what: format!(
            "the body refers to {}{more}, which are not there",
            uids.join(", ")
        ),
    }
}

/// Takes the references to what is deleted out of the graphs of what stays.
pub(crate) fn drop_references(
    change: &mut Change<'_>,
    deleted: &[Arc<Resource>],
) -> Result<(), Error> {
    let uids: HashSet<String> = deleted
        .iter()
        .map(|resource| resource.uid.clone())
        .collect();
    let rids: BTreeSet<Rid> = deleted.iter().map(|resource| resource.rid).collect();
    let mut referrers = BTreeSet::new();
    for resource in deleted {
        referrers.extend(change.view.referrers(resource)?);
    }
    for &rid in referrers.difference(&rids) {
        let Some(referrer) = change.view.live(rid)? else {
            continue;
        };
        let graph = change.view.graph(rid)?;
        let cleaned = without(&graph, |triple| refers_to_any(triple, &uids));
        if cleaned != graph {
            touch_members(change, &referrer)?;
            change.put(change.next(&referrer), Some(cleaned));
        }
    }
    Ok(())
}

/// Adds what a transaction needs at its end: `batch` is what it does, `change` sees the state with
/// it, `before` the one without. While it was open, others may have deleted what it refers to, and
/// referred to what it deletes.
pub(crate) fn settle(
    change: &mut Change<'_>,
    before: &View,
    batch: &[Op],
    references: References,
) -> Result<(), Error> {
    let mut deleted = Vec::new();
    for op in batch {
        let rid = match op {
            Op::Put(resource, _) if resource.state != State::Live => resource.rid,
            Op::Forget(rid) => *rid,
            _ => continue,
        };
        if let Some(resource) = before.snapshot().resource_by_rid(rid)?
            && !change.will_be(&resource.uid)?
        {
            deleted.push(resource);
        }
    }
    drop_references(change, &deleted)?;
    for op in batch {
        let Op::Put(Resource { rid, .. }, Some(_)) = op else {
            continue;
        };
        let done = change
            .ops
            .iter()
            .any(|op| matches!(op, Op::Put(r, _) if r.rid == *rid));
        let Some(resource) = change.view.live(*rid)?.filter(|_| !done) else {
            continue;
        };
        let graph = change.view.graph(*rid)?;
        let lost = dangling(change, &graph, &HashSet::new())?;
        if lost.is_empty() {
            continue;
        }
        if references == References::Strict {
            return Err(refuse(&resource.uid, &lost));
        }
        let cleaned = without(&graph, |triple| refers_to_any(triple, &lost));
        touch_members(change, &resource)?;
        change.put(change.next(&resource), Some(cleaned));
    }
    Ok(())
}
