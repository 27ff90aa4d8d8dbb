use super::members::Members;
use super::value::{Known, Local, Value, blank_node};
use crate::Error;
use ldp_rdf::{Graph, Root, iri_of};
use ldp_repository::View;
use ldp_store::{Resource, Rid};
use spareval::CancellationToken;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// What a query reads from, and what it has read.
pub struct Source {
    pub view: View,
    pub root: Root,
    /// Whether graphs can speak of other resources, so that a subject does not lead to its graph.
    pub foreign: bool,
    token: CancellationToken,
    members: OnceCell<Members>,
    /// The last graph: patterns that share a subject ask for it one after the other.
    graph: RefCell<Option<(Rid, Graph)>>,
}

impl Source {
    pub fn new(view: View, root: Root, token: CancellationToken) -> Result<Self, Error> {
        Ok(Self {
            foreign: view.has_foreign_subjects()?,
            view,
            root,
            token,
            members: OnceCell::new(),
            graph: RefCell::new(None),
        })
    }

    /// An error if the query was cancelled, for loops that may find nothing for long.
    pub fn go_on(&self) -> Result<(), Error> {
        match self.token.is_cancelled() {
            true => Err(Error::Store("the query was cancelled".to_owned())),
            false => Ok(()),
        }
    }

    /// The live resource that an IRI names.
    pub fn known(&self, local: &Local) -> Result<Option<Known>, Error> {
        if let Some(known) = local.resource.get() {
            return Ok(*known);
        }
        let found = match local.uid() {
            Some(uid) => self.view.snapshot().resource(&uid)?,
            None => None,
        };
        let known = found
            .filter(|resource| resource.state == ldp_store::State::Live)
            .map(|resource| Known {
                itself: *local.iri == *iri_of(&resource.uid),
                ..Known::of(&resource)
            });
        Ok(*local.resource.get_or_init(|| known))
    }

    /// The IRI of the live resource in whose graph a subject is, unless graphs speak of others.
    pub fn owner(&self, subject: &Value) -> Result<Option<Rc<Local>>, Error> {
        let rid = match subject {
            Value::Local(local) => match self.known(local)? {
                Some(known) if known.itself => return Ok(Some(local.clone())),
                known => known.map(|known| known.rid),
            },
            Value::Blank(label) => blank_node(label).map(|(rid, _)| rid),
            Value::Iri(_) | Value::Literal(_) => None,
        };
        rid.map_or(Ok(None), |rid| self.local(rid))
    }

    /// The live resource that a value names, not a fragment of one.
    pub fn whole(&self, value: &Value) -> Result<Option<Known>, Error> {
        match value {
            Value::Local(local) => Ok(self.known(local)?.filter(|known| known.itself)),
            _ => Ok(None),
        }
    }

    /// The IRI of the live resource of a number.
    pub fn local(&self, rid: Rid) -> Result<Option<Rc<Local>>, Error> {
        Ok(self.view.live(rid)?.map(|resource| Local::of(&resource)))
    }

    /// The record of a resource that is there.
    pub fn resource(&self, known: Known) -> Result<Arc<Resource>, Error> {
        let found = self.view.snapshot().resource_by_rid(known.rid)?;
        found.ok_or_else(|| Error::Store(format!("resource {} has no record", known.rid)))
    }

    /// What users wrote of a resource.
    pub fn graph(&self, rid: Rid) -> Result<Graph, Error> {
        if let Some((last, graph)) = &*self.graph.borrow()
            && *last == rid
        {
            return Ok(graph.clone());
        }
        let graph = self.view.graph(rid)?;
        *self.graph.borrow_mut() = Some((rid, graph.clone()));
        Ok(graph)
    }

    /// All membership triples.
    pub fn members(&self) -> Result<&Members, Error> {
        if self.members.get().is_none() {
            let members = Members::read(self)?;
            return Ok(self.members.get_or_init(|| members));
        }
        Ok(self.members.get_or_init(Members::default))
    }

    /// All live resources.
    pub fn all(self: &Rc<Self>) -> impl Iterator<Item = Result<Rc<Local>, Error>> + use<> {
        let source = self.clone();
        let mut resources = self.view.snapshot().resources();
        std::iter::from_fn(move || {
            let resource = resources.next_ref()?;
            Some(source.go_on().and_then(|()| {
                let resource = resource?;
                let known = Known {
                    rid: resource.rid,
                    model: resource.model,
                    is_root: resource.parent.is_none(),
                    itself: true,
                };
                Ok(Local::with(resource.uid, known))
            }))
        })
    }
}

impl Known {
    /// What is known of a resource by its own IRI.
    pub fn of(resource: &Resource) -> Self {
        Self {
            rid: resource.rid,
            model: resource.model,
            is_root: resource.parent.is_none(),
            itself: true,
        }
    }
}

impl Local {
    /// The IRI of a live resource.
    pub fn of(resource: &Resource) -> Rc<Self> {
        Self::with(&resource.uid, Known::of(resource))
    }

    /// The IRI of a path, and what is known of it.
    pub fn with(uid: &str, known: Known) -> Rc<Self> {
        Rc::new(Self {
            iri: iri_of(uid).into(),
            resource: OnceCell::from(Some(known)),
        })
    }
}

impl Value {
    /// The IRI, if it is an inside one.
    pub fn as_local(&self) -> Option<&Rc<Local>> {
        match self {
            Self::Local(local) => Some(local),
            _ => None,
        }
    }
}
