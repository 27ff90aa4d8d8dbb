//! The repository at one moment, for reading.

use crate::child_iris::ChildIris;
use crate::managed::managed_triples;
use crate::uid::check_uid;
use crate::vocabulary::ldp;
use crate::{Error, Preferences};
use ldp_rdf::{
    Graph, NamedNodeRef, TermRef, Triple, TripleRef, hash_iri, hash_term, iri_of, uid_of,
};
use ldp_store::{Children, Resource, Rid, Snapshot, State};
use std::sync::Arc;

/// The repository at one moment. Cheap to make and to clone; what is written later does not show.
#[derive(Clone)]
pub struct View {
    snapshot: Snapshot,
}

/// The name of the mark in the store that graphs speak of foreign subjects.
pub const FOREIGN_SUBJECTS: &str = "foreign-subjects";

/// What is at a path.
#[derive(Clone, Debug)]
pub enum Found {
    /// A resource.
    Live(Arc<Resource>),
    /// A deleted one.
    Dead {
        /// Its record as it was when it was deleted.
        resource: Arc<Resource>,
        /// The path of the tombstone that stands for it: its own or an ancestor's.
        tombstone: String,
    },
    /// Nothing, and nothing was.
    Missing,
}

impl View {
    /// The state of the store as a view.
    pub fn new(snapshot: Snapshot) -> View {
        View { snapshot }
    }

    /// The state that this looks at.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// What is at a path.
    pub fn find(&self, uid: &str) -> Result<Found, Error> {
        let Some(resource) = self.snapshot.resource(uid)? else {
            return Ok(Found::Missing);
        };
        let tombstone = match resource.state {
            State::Live => return Ok(Found::Live(resource)),
            State::Tombstone => resource.uid.clone(),
            State::Gone(top) => match self.snapshot.resource_by_rid(top)? {
                Some(top) => top.uid.clone(),
                None => resource.uid.clone(),
            },
        };
        Ok(Found::Dead {
            resource,
            tombstone,
        })
    }

    /// The live resource at a path; [`Error::NotFound`], [`Error::Gone`] or [`Error::Path`].
    pub fn get(&self, uid: &str) -> Result<Arc<Resource>, Error> {
        match self.find(uid)? {
            Found::Live(resource) => Ok(resource),
            Found::Dead { tombstone, .. } => Err(Error::Gone {
                uid: uid.into(),
                tombstone,
            }),
            Found::Missing => {
                check_uid(uid)?;
                Err(Error::NotFound { uid: uid.into() })
            }
        }
    }

    /// The live resource of a number.
    pub fn live(&self, rid: Rid) -> Result<Option<Arc<Resource>>, Error> {
        let found = self.snapshot.resource_by_rid(rid)?;
        Ok(found.filter(|resource| resource.state == State::Live))
    }

    /// The triples that users wrote; empty if there are none.
    pub fn graph(&self, rid: Rid) -> Result<Graph, Error> {
        Ok(self.snapshot.graph(rid)?.unwrap_or_default())
    }

    /// The children of a container in the order of the bytes of their last path segments, from the
    /// first one behind `after` on: (segment, number). Read as they are asked for.
    pub fn children(&self, rid: Rid, after: Option<&str>) -> Children {
        self.snapshot.children(rid, after)
    }

    /// How many children a container has.
    pub fn children_count(&self, rid: Rid) -> Result<u64, Error> {
        Ok(self.snapshot.children_count(rid)?)
    }

    /// The path of the container that a resource lies in.
    pub fn parent(&self, resource: &Resource) -> Result<Option<Arc<Resource>>, Error> {
        match resource.parent {
            Some(rid) => Ok(self.snapshot.resource_by_rid(rid)?),
            None => Ok(None),
        }
    }

    /// Gives each triple of a resource to `each`, with inside IRIs: what the server says, what users
    /// wrote, membership, inbound references, embedded children, and containment last. A triple may
    /// come twice. An error of `each` ends it.
    pub fn describe<E: From<Error>>(
        &self,
        resource: &Resource,
        preferences: &Preferences,
        each: &mut dyn FnMut(TripleRef<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if preferences.managed {
            self.managed(resource, each)?;
        }
        if preferences.user {
            for triple in self.graph(resource.rid)?.reader().iter() {
                each(triple)?;
            }
        }
        if preferences.membership {
            self.membership_triples(resource, each)?;
        }
        if preferences.inbound {
            self.inbound_triples(resource, each)?;
        }
        if preferences.embedded {
            let mut children = self.children(resource.rid, None);
            while let Some(child) = children.next_ref() {
                let (_, rid) = child.map_err(Error::from)?;
                if let Some(child) = self.live(rid)? {
                    self.managed(&child, each)?;
                    self.embedded_graph(&child, each)?;
                }
            }
        }
        if preferences.containment {
            self.containment(resource, each)?;
        }
        Ok(())
    }

    /// As [`View::describe`], without containment and what users wrote: few triples, mostly.
    pub fn server_triples(
        &self,
        resource: &Resource,
        preferences: &Preferences,
    ) -> Result<Vec<Triple>, Error> {
        let mut triples = Vec::new();
        let preferences = Preferences {
            user: false,
            containment: false,
            ..*preferences
        };
        self.describe(resource, &preferences, &mut |triple| {
            triples.push(triple.into_owned());
            Ok::<_, Error>(())
        })?;
        Ok(triples)
    }

    /// The triples that follow from the record: types, dates, parent, facts of the content.
    pub fn managed<E: From<Error>>(
        &self,
        resource: &Resource,
        each: &mut dyn FnMut(TripleRef<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let parent = self.parent(resource)?;
        managed_triples(
            resource,
            parent.as_ref().map(|parent| parent.uid.as_str()),
            each,
        )
    }

    /// The `ldp:contains` triples of a container.
    pub fn containment<E: From<Error>>(
        &self,
        container: &Resource,
        each: &mut dyn FnMut(TripleRef<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let subject = iri_of(&container.uid);
        let mut iris = ChildIris::new(&container.uid);
        let mut children = self.children(container.rid, None);
        while let Some(found) = children.next_ref() {
            let (segment, _) = found.map_err(Error::from)?;
            each(TripleRef::new(
                NamedNodeRef::new_unchecked(&subject),
                NamedNodeRef::new_unchecked(ldp::CONTAINS),
                iris.of(segment),
            ))?;
        }
        Ok(())
    }

    /// Whether a graph speaks, or once spoke, of subjects that are no part of its resource. If not,
    /// a subject leads to the graph that it is in.
    pub fn has_foreign_subjects(&self) -> Result<bool, Error> {
        Ok(self.snapshot.meta(FOREIGN_SUBJECTS)?.is_some())
    }

    /// The triples of other live resources whose object is this one or a fragment of it.
    pub fn inbound_triples<E: From<Error>>(
        &self,
        resource: &Resource,
        each: &mut dyn FnMut(TripleRef<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for rid in self.referrers(resource)? {
            if self.live(rid)?.is_none() {
                continue;
            }
            for triple in (self.graph(rid)?.reader().iter())
                .filter(|&triple| refers_to(triple, &resource.uid))
            {
                each(triple)?;
            }
        }
        Ok(())
    }

    /// The other resources that refer, perhaps, to a resource or a fragment of it. They may be many:
    /// look at one graph at a time.
    pub(crate) fn referrers(&self, resource: &Resource) -> Result<Vec<Rid>, Error> {
        let iri = iri_of(&resource.uid);
        let hash = hash_term(NamedNodeRef::new_unchecked(&iri).into());
        let mut found = self.snapshot.by_object(hash, None)?;
        found.retain(|&rid| rid != resource.rid);
        Ok(found)
    }

    /// Resources that have, perhaps, a triple of this predicate and object, an IRI of this hash.
    pub(crate) fn by_predicate_and_object(
        &self,
        predicate: &str,
        object: u64,
    ) -> Result<Vec<Rid>, Error> {
        // Either index answers; the one with fewer entries is read. Mostly there are none.
        const MOST: usize = 256;
        let predicate = hash_iri(predicate);
        let by_predicate = self.snapshot.estimate_predicate(predicate, MOST)?;
        if by_predicate == 0 {
            return Ok(Vec::new());
        }
        Ok(
            if by_predicate < self.snapshot.estimate_object(object, MOST)? {
                self.snapshot.by_predicate(predicate, Some(object as u16))?
            } else {
                self.snapshot.by_object(object, Some(predicate as u16))?
            },
        )
    }

    /// What users wrote of an embedded child; its blank nodes are named apart from others'.
    fn embedded_graph<E: From<Error>>(
        &self,
        child: &Resource,
        each: &mut dyn FnMut(TripleRef<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for triple in self.graph(child.rid)?.reader().iter() {
            each(scope_blank_nodes(triple, child.rid).as_ref())?;
        }
        Ok(())
    }
}

/// Whether the object of a triple is a resource of the repository or a fragment of it.
pub(crate) fn refers_to(triple: TripleRef<'_>, uid: &str) -> bool {
    match triple.object {
        TermRef::NamedNode(object) => uid_of(object.as_str()).is_some_and(|target| target == uid),
        _ => false,
    }
}

/// A triple whose blank nodes carry the number of their resource in their names, so that several
/// graphs can be shown together.
pub fn scope_blank_nodes(triple: TripleRef<'_>, rid: Rid) -> Triple {
    use ldp_rdf::{BlankNode, NamedOrBlankNode, Term};
    let scoped = |node: &BlankNode| BlankNode::new_unchecked(format!("r{rid}{}", node.as_str()));
    let mut triple = triple.into_owned();
    if let NamedOrBlankNode::BlankNode(node) = &triple.subject {
        triple.subject = scoped(node).into();
    }
    if let Term::BlankNode(node) = &triple.object {
        triple.object = scoped(node).into();
    }
    triple
}
