//! Membership triples of direct and indirect containers. They are not stored, but computed.

use crate::child_iris::ChildIris;
use crate::managed::is_managed_predicate;
use crate::vocabulary::{RDF_TYPE, ldp};
use crate::{Constraint, Error, View};
use ldp_rdf::{
    Graph, NamedNode, NamedNodeRef, NamedOrBlankNodeRef, Term, TermRef, TripleRef, hash_term,
    iri_of, uid_of,
};
use ldp_store::{Model, Resource, Rid};
use std::sync::Arc;

/// The name of the mark in the store that there are, or once were, direct or indirect containers.
/// Without it no description needs a look for membership triples.
pub(crate) const MEMBERSHIP: &str = "membership-containers";

/// Whether the resources in a container of the model are members of something.
pub(crate) fn has_members(model: Model) -> bool {
    matches!(model, Model::DirectContainer | Model::IndirectContainer)
}

/// What a direct or indirect container says about membership.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Membership {
    /// Whose members the children are: an inside IRI, perhaps with a fragment, or a foreign one.
    pub resource: NamedNode,
    /// The predicate.
    pub relation: NamedNode,
    /// Whether it leads from the member to the resource.
    pub inverse: bool,
    /// The predicate by which a child names the member; none if the child itself is the member.
    pub inserted: Option<NamedNode>,
}

impl Membership {
    /// What a container's graph says. Where it says nothing, the container itself is the resource,
    /// `ldp:member` the relation, and a child the member.
    pub fn of(container: &Resource, graph: &Graph) -> Result<Option<Membership>, Error> {
        if !has_members(container.model) {
            return Ok(None);
        }
        let indirect = container.model == Model::IndirectContainer;
        let iri = iri_of(&container.uid);
        let reader = graph.reader();
        let one = |predicate: &'static str| {
            let mut found = reader
                .matching(
                    Some(NamedNodeRef::new_unchecked(&iri).into()),
                    Some(NamedNodeRef::new_unchecked(predicate)),
                    None,
                )
                .map(|triple| triple.object);
            let refuse = |what: String| {
                Err(Error::Constraint {
                    uid: container.uid.clone(),
                    rule: Constraint::Membership,
                    what,
                })
            };
            match (found.next(), found.next()) {
                (None, _) => Ok(None),
                (Some(TermRef::NamedNode(iri)), None) => Ok(Some(iri.into_owned())),
                (Some(other), None) => refuse(format!("<{predicate}> is {other}, not an IRI")),
                (Some(_), Some(_)) => refuse(format!("<{predicate}> is said more than once")),
            }
        };
        let inverse = one(ldp::IS_MEMBER_OF_RELATION)?;
        let forward = one(ldp::HAS_MEMBER_RELATION)?;
        if inverse.is_some() && forward.is_some() {
            return Err(Error::Constraint {
                uid: container.uid.clone(),
                rule: Constraint::Membership,
                what: "ldp:hasMemberRelation and ldp:isMemberOfRelation are both said".into(),
            });
        }
        if let Some(relation) = inverse.as_ref().or(forward.as_ref())
            && has_meaning(relation.as_str())
        {
            return Err(Error::Constraint {
                uid: container.uid.clone(),
                rule: Constraint::Membership,
                what: format!(
                    "<{}> is no relation to members: it says something else of a resource",
                    relation.as_str()
                ),
            });
        }
        let inserted = one(ldp::INSERTED_CONTENT_RELATION)?
            .filter(|relation| indirect && relation.as_str() != ldp::MEMBER_SUBJECT);
        Ok(Some(Membership {
            resource: one(ldp::MEMBERSHIP_RESOURCE)?
                .unwrap_or_else(|| NamedNode::new_unchecked(iri.clone())),
            inverse: inverse.is_some(),
            relation: inverse
                .or(forward)
                .unwrap_or_else(|| NamedNode::new_unchecked(ldp::MEMBER)),
            inserted,
        }))
    }

    /// The membership triple of a member.
    fn triple<'a>(&'a self, member: NamedNodeRef<'a>) -> TripleRef<'a> {
        let resource = self.resource.as_ref();
        let (subject, object) = if self.inverse {
            (member, resource)
        } else {
            (resource, member)
        };
        TripleRef::new(subject, self.relation.as_ref(), object)
    }
}

/// Whether the repository says or reads something by a predicate: as membership it would be a false
/// statement, such as a second date of a resource.
fn has_meaning(predicate: &str) -> bool {
    is_managed_predicate(predicate)
        || [
            RDF_TYPE,
            ldp::MEMBERSHIP_RESOURCE,
            ldp::HAS_MEMBER_RELATION,
            ldp::IS_MEMBER_OF_RELATION,
            ldp::INSERTED_CONTENT_RELATION,
        ]
        .contains(&predicate)
}

impl View {
    /// The membership of a container; none for other resources.
    pub(crate) fn membership(&self, container: &Resource) -> Result<Option<Membership>, Error> {
        if !has_members(container.model) {
            return Ok(None);
        }
        Membership::of(container, &self.graph(container.rid)?)
    }

    /// Whether there are, or once were, direct or indirect containers. If not, there are no
    /// membership triples.
    pub fn has_membership_containers(&self) -> Result<bool, Error> {
        Ok(self.snapshot().meta(MEMBERSHIP)?.is_some())
    }

    /// Whether the description of a resource shows membership triples, which come and go without a
    /// change of the resource.
    pub fn shows_membership(&self, resource: &Resource) -> Result<bool, Error> {
        Ok(!self.membership_containers(resource)?.is_empty())
    }

    /// The containers whose membership triples have a place in the description of a resource: those
    /// that name it, or a fragment of it, as membership resource, and the one that it lies in.
    pub(crate) fn membership_containers(
        &self,
        resource: &Resource,
    ) -> Result<Vec<(Arc<Resource>, Membership)>, Error> {
        let mut found: Vec<(Arc<Resource>, Membership)> = Vec::new();
        if !self.has_membership_containers()? {
            return Ok(found);
        }
        let iri = iri_of(&resource.uid);
        let named = self.by_predicate_and_object(
            ldp::MEMBERSHIP_RESOURCE,
            hash_term(NamedNodeRef::new_unchecked(&iri).into()),
        )?;
        // The container itself is its own membership resource where it names none.
        for rid in named.into_iter().chain([resource.rid]) {
            self.push_membership(&mut found, rid, |membership| {
                !membership.inverse
                    && uid_of(membership.resource.as_str()).is_some_and(|uid| uid == resource.uid)
            })?;
        }
        if let Some(parent) = resource.parent {
            self.push_membership(&mut found, parent, |membership| membership.inverse)?;
        }
        Ok(found)
    }

    fn push_membership(
        &self,
        found: &mut Vec<(Arc<Resource>, Membership)>,
        rid: Rid,
        fits: impl FnOnce(&Membership) -> bool,
    ) -> Result<(), Error> {
        if found.iter().all(|(known, _)| known.rid != rid)
            && let Some(container) = self.live(rid)?
            && let Some(membership) = self.membership(&container)?
            && fits(&membership)
        {
            found.push((container, membership));
        }
        Ok(())
    }

    /// Gives each membership triple that a container brings to `each`; for other resources, none.
    pub fn members<E: From<Error>>(
        &self,
        container: &Resource,
        each: &mut dyn FnMut(TripleRef<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.membership(container)? {
            Some(membership) => self.members_of(container, &membership, each),
            None => Ok(()),
        }
    }

    /// Gives each membership triple that belongs to the description of a resource to `each`.
    pub(crate) fn membership_triples<E: From<Error>>(
        &self,
        resource: &Resource,
        each: &mut dyn FnMut(TripleRef<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for (container, membership) in self.membership_containers(resource)? {
            if membership.inverse {
                let iri = iri_of(&resource.uid);
                let child = NamedNodeRef::new_unchecked(&iri);
                self.members_of_child(&membership, child, resource.rid, each)?;
            } else {
                self.members_of(&container, &membership, each)?;
            }
        }
        Ok(())
    }

    fn members_of<E: From<Error>>(
        &self,
        container: &Resource,
        membership: &Membership,
        each: &mut dyn FnMut(TripleRef<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut children = self.children(container.rid, None);
        let mut iris = ChildIris::new(&container.uid);
        while let Some(child) = children.next_ref() {
            let (segment, rid) = child.map_err(Error::from)?;
            self.members_of_child(membership, iris.of(segment), rid, each)?;
        }
        Ok(())
    }

    /// The membership triples that one child brings: one, or as many as it names members.
    fn members_of_child<E: From<Error>>(
        &self,
        membership: &Membership,
        child: NamedNodeRef<'_>,
        rid: Rid,
        each: &mut dyn FnMut(TripleRef<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(inserted) = &membership.inserted else {
            return each(membership.triple(child));
        };
        let graph = self.graph(rid)?;
        let reader = graph.reader();
        for named in reader.matching(Some(child.into()), Some(inserted.as_ref()), None) {
            if let TermRef::NamedNode(member) = named.object {
                each(membership.triple(member))?;
            }
        }
        Ok(())
    }

    /// Whether a triple of the description of a resource is a membership triple at present.
    pub(crate) fn is_membership(
        &self,
        containers: &[(Arc<Resource>, Membership)],
        triple: TripleRef<'_>,
    ) -> Result<bool, Error> {
        let (NamedOrBlankNodeRef::NamedNode(subject), TermRef::NamedNode(object)) =
            (triple.subject, triple.object)
        else {
            return Ok(false);
        };
        for (container, membership) in containers {
            let (resource, member) = if membership.inverse {
                (object, subject)
            } else {
                (subject, object)
            };
            if triple.predicate != membership.relation.as_ref()
                || resource != membership.resource.as_ref()
            {
                continue;
            }
            let is_child = |rid: Rid| -> Result<bool, Error> {
                Ok(self
                    .live(rid)?
                    .is_some_and(|child| child.parent == Some(container.rid)))
            };
            match &membership.inserted {
                None => {
                    if let Some(uid) = uid_of(member.as_str())
                        && let Some(child) = self.snapshot().resource(&uid)?
                        && is_child(child.rid)?
                    {
                        return Ok(true);
                    }
                }
                Some(inserted) => {
                    for rid in
                        self.by_predicate_and_object(inserted.as_str(), hash_term(member.into()))?
                    {
                        let named = Term::from(member.into_owned());
                        if is_child(rid)?
                            && self.graph(rid)?.triples().any(|triple| {
                                triple.predicate == *inserted && triple.object == named
                            })
                        {
                            return Ok(true);
                        }
                    }
                }
            }
        }
        Ok(false)
    }
}
