//! Which resources can have triples of a pattern.

use super::aspect::Aspect;
use super::source::Source;
use super::value::{Local, Value};
use super::{Pattern, is};
use crate::Error;
use ldp_rdf::{hash_iri, hash_term};
use ldp_repository::vocabulary::{fcrepo, ldp};
use ldp_store::Rid;
use std::collections::BTreeSet;
use std::iter::once;
use std::rc::Rc;

type Locals = Box<dyn Iterator<Item = Result<Rc<Local>, Error>>>;

/// Up to how many entries of two indexes are counted to choose the shorter one.
const COUNTED: usize = 1 << 16;

/// The resources of a pattern.
enum Candidates {
    All,
    One(Option<Rc<Local>>),
    Some(Vec<Rid>),
}

impl Source {
    /// The resources that can have triples of a pattern in an aspect, each once.
    pub fn candidates(self: &Rc<Self>, aspect: Aspect, pattern: &Pattern) -> Locals {
        let found = match aspect {
            Aspect::User => self.user_candidates(pattern),
            Aspect::Admin => self.admin_candidates(pattern),
            Aspect::Structure => self.structure_candidates(pattern),
        };
        match found {
            Ok(Candidates::All) => Box::new(self.all()),
            Ok(Candidates::One(local)) => Box::new(local.into_iter().map(Ok)),
            Ok(Candidates::Some(rids)) => {
                let source = self.clone();
                Box::new(rids.into_iter().filter_map(move |rid| {
                    let local = source.go_on().and_then(|()| source.local(rid));
                    local.transpose()
                }))
            }
            Err(error) => Box::new(once(Err(error))),
        }
    }

    fn user_candidates(&self, pattern: &Pattern) -> Result<Candidates, Error> {
        for place in [&pattern.subject, &pattern.object] {
            if let Some(node @ Value::Blank(_)) = place {
                return Ok(Candidates::One(self.owner(node)?));
            }
        }
        let snapshot = self.view.snapshot();
        let predicate = pattern.predicate.as_ref().and_then(Value::as_iri);
        let predicate = predicate.map(|iri| hash_iri(iri.as_str()));
        // Hashes of terms that are no blank nodes are the same in all graphs.
        let object = pattern.object.as_ref().and_then(|object| object.within(0));
        let is_iri = pattern
            .object
            .as_ref()
            .is_some_and(|object| object.as_iri().is_some());
        let object = object.map(hash_term);
        Ok(match (predicate, object) {
            (Some(predicate), Some(object)) if is_iri => {
                let by_predicate = snapshot.estimate_predicate(predicate, COUNTED)?;
                let by_object = snapshot.estimate_object(object, by_predicate)?;
                // The low bits of the other hash thin the entries out.
                Candidates::Some(if by_object < by_predicate {
                    snapshot.by_object(object, Some(predicate as u16))?
                } else {
                    snapshot.by_predicate(predicate, Some(object as u16))?
                })
            }
            (Some(predicate), object) => {
                Candidates::Some(snapshot.by_predicate(predicate, object.map(|hash| hash as u16))?)
            }
            (None, Some(object)) if is_iri => Candidates::Some(snapshot.by_object(object, None)?),
            (None, _) => Candidates::All,
        })
    }

    fn admin_candidates(&self, pattern: &Pattern) -> Result<Candidates, Error> {
        if let Some(subject) = &pattern.subject {
            return Ok(Candidates::One(self.owner(subject)?));
        }
        if let (Some(predicate), Some(parent)) = (&pattern.predicate, &pattern.object)
            && is(predicate, fcrepo::HAS_PARENT)
        {
            let mut found = Vec::new();
            if let Some(parent) = self.whole(parent)? {
                let mut children = self.view.children(parent.rid, None);
                while let Some(child) = children.next_ref() {
                    self.go_on()?;
                    found.push(child?.1);
                }
            }
            return Ok(Candidates::Some(found));
        }
        Ok(Candidates::All)
    }

    fn structure_candidates(&self, pattern: &Pattern) -> Result<Candidates, Error> {
        if let Some(subject) = &pattern.subject {
            return Ok(Candidates::One(self.owner(subject)?));
        }
        let mut found = BTreeSet::new();
        let predicate = pattern.predicate.as_ref();
        if predicate.is_none_or(|predicate| is(predicate, ldp::CONTAINS)) {
            let Some(object) = &pattern.object else {
                return Ok(Candidates::All);
            };
            if let Some(child) = self.whole(object)? {
                found.extend(self.resource(child)?.parent);
            }
        }
        for (subject, triples) in self.members()?.subjects() {
            if triples.iter().any(|triple| pattern.matches(triple))
                && let Value::Local(subject) = subject
            {
                found.extend(self.known(subject)?.map(|known| known.rid));
            }
        }
        Ok(Candidates::Some(found.into_iter().collect()))
    }
}
