//! The triples of one resource that match a pattern.

use super::aspect::Aspect;
use super::source::Source;
use super::value::{Known, Local, Value};
use super::{Pattern, Triple, is};
use crate::Error;
use ldp_rdf::TripleRef;
use ldp_repository::types_of;
use ldp_repository::vocabulary::{RDF_TYPE, fcrepo, ldp};
use std::rc::Rc;

impl Source {
    /// The triples of an aspect of a resource; none if the IRI names no live one.
    pub fn triples(
        &self,
        aspect: Aspect,
        local: &Rc<Local>,
        pattern: &Pattern,
    ) -> Result<Vec<Triple>, Error> {
        let Some(known) = self.known(local)? else {
            return Ok(Vec::new());
        };
        match aspect {
            Aspect::User => self.user(known, pattern),
            Aspect::Admin => self.admin(local, known, pattern),
            Aspect::Structure => {
                let mut found = self.contained(local, known, pattern)?;
                self.push_members(known, pattern, &mut found)?;
                Ok(found)
            }
        }
    }

    /// Whether a resource has the graph of an aspect: a graph without triples is none.
    pub fn has_graph(&self, aspect: Aspect, local: &Rc<Local>) -> Result<bool, Error> {
        let Some(known) = self.known(local)? else {
            return Ok(false);
        };
        Ok(match aspect {
            Aspect::User => !self.graph(known.rid)?.is_empty(),
            Aspect::Admin => true,
            Aspect::Structure => {
                self.view.children_count(known.rid)? > 0
                    || !self.triples(aspect, local, &Pattern::default())?.is_empty()
            }
        })
    }

    fn user(&self, known: Known, pattern: &Pattern) -> Result<Vec<Triple>, Error> {
        let rid = known.rid;
        let (mut subject, mut predicate, mut object) = (None, None, None);
        if let Some(value) = &pattern.subject {
            subject = value.node_within(rid);
            if subject.is_none() {
                return Ok(Vec::new());
            }
        }
        if let Some(value) = &pattern.predicate {
            predicate = value.as_iri();
            if predicate.is_none() {
                return Ok(Vec::new());
            }
        }
        if let Some(value) = &pattern.object {
            object = value.within(rid);
            if object.is_none() {
                return Ok(Vec::new());
            }
        }
        let graph = self.graph(rid)?;
        let mut found: Vec<Triple> = Vec::new();
        let mut last = None;
        for triple in graph.reader().matching(subject, predicate, object) {
            // Triples of one subject, and of one predicate, follow each other: values are shared.
            let (same_subject, same_predicate) = match last {
                Some((subject, predicate)) => {
                    (subject == triple.subject, predicate == triple.predicate)
                }
                None => (false, false),
            };
            let value = |place: usize, same: bool, term| match found.last() {
                Some(last) if same => last[place].clone(),
                _ => Value::of(term, rid),
            };
            let subject = value(0, same_subject, triple.subject.into());
            let predicate = value(1, same_predicate, triple.predicate.into());
            last = Some((triple.subject, triple.predicate));
            found.push([subject, predicate, Value::of(triple.object, rid)]);
        }
        Ok(found)
    }

    fn admin(
        &self,
        local: &Rc<Local>,
        known: Known,
        pattern: &Pattern,
    ) -> Result<Vec<Triple>, Error> {
        let itself = Value::Local(local.clone());
        if pattern
            .subject
            .as_ref()
            .is_some_and(|subject| *subject != itself)
        {
            return Ok(Vec::new());
        }
        // Types follow from what is known already.
        if let Some(predicate) = &pattern.predicate
            && is(predicate, RDF_TYPE)
        {
            let root = known.is_root.then_some(fcrepo::REPOSITORY_ROOT);
            let types = types_of(known.model).iter().copied().chain(root);
            return Ok(match &pattern.object {
                Some(object) => types
                    .filter(|class| object.as_iri().is_some_and(|iri| iri.as_str() == *class))
                    .map(|_| [itself.clone(), predicate.clone(), object.clone()])
                    .collect(),
                None => types
                    .map(|class| [itself.clone(), predicate.clone(), Value::Iri(class.into())])
                    .collect(),
            });
        }
        let mut found = Vec::new();
        let resource = self.resource(known)?;
        self.view.managed(&resource, &mut |triple: TripleRef<'_>| {
            let triple = [
                itself.clone(),
                Value::of(triple.predicate.into(), known.rid),
                Value::of(triple.object, known.rid),
            ];
            if pattern.matches(&triple) {
                found.push(triple);
            }
            Ok::<_, Error>(())
        })?;
        Ok(found)
    }

    fn contained(
        &self,
        local: &Rc<Local>,
        known: Known,
        pattern: &Pattern,
    ) -> Result<Vec<Triple>, Error> {
        let itself = Value::Local(local.clone());
        let contains = match &pattern.predicate {
            None => Value::Iri(ldp::CONTAINS.into()),
            Some(predicate) if is(predicate, ldp::CONTAINS) => predicate.clone(),
            Some(_) => return Ok(Vec::new()),
        };
        if pattern
            .subject
            .as_ref()
            .is_some_and(|subject| *subject != itself)
        {
            return Ok(Vec::new());
        }
        if let Some(object) = &pattern.object {
            let is_child = match self.whole(object)? {
                Some(child) => self.resource(child)?.parent == Some(known.rid),
                None => false,
            };
            return Ok(match is_child {
                true => vec![[itself, contains, object.clone()]],
                false => Vec::new(),
            });
        }
        let resource = self.resource(known)?;
        let mut found = Vec::new();
        self.view
            .containment(&resource, &mut |triple: TripleRef<'_>| {
                let child = Value::of(triple.object, known.rid);
                found.push([itself.clone(), contains.clone(), child]);
                self.go_on()
            })?;
        Ok(found)
    }

    /// Appends the membership triples whose subject is a resource or a fragment of it.
    fn push_members(
        &self,
        known: Known,
        pattern: &Pattern,
        found: &mut Vec<Triple>,
    ) -> Result<(), Error> {
        let members = self.members()?;
        if let Some(subject) = &pattern.subject {
            let triples = members.of(subject).iter();
            found.extend(triples.filter(|triple| pattern.matches(triple)).cloned());
            return Ok(());
        }
        for (subject, triples) in members.subjects() {
            let owner = match subject.as_local() {
                Some(local) => self.known(local)?,
                None => None,
            };
            if owner.is_some_and(|owner| owner.rid == known.rid) {
                let triples = triples.iter();
                found.extend(triples.filter(|triple| pattern.matches(triple)).cloned());
            }
        }
        Ok(())
    }
}
