//! One change under the write lock: the state that it is checked against, and what it will do.

use crate::transactions::{Transactions, touch};
use crate::uid::parent_of;
use crate::{Constraint, Error, Found, View};
use ldp_rdf::Graph;
use ldp_store::{Model, Op, Resource, Rid, State, Time};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What one request does. Nothing happens before it is whole.
pub(crate) struct Change<'a> {
    /// All accepted writes, and those of the transaction.
    pub view: View,
    /// When this happens.
    pub now: Time,
    pub ops: Vec<Op>,
    /// Containers whose children, or members, change.
    pub touched: BTreeSet<Rid>,
    /// The first number that was never given.
    pub numbers: &'a AtomicU64,
    pub transactions: &'a Transactions,
    /// The transaction that this is a part of.
    pub own: Option<&'a str>,
}

impl Change<'_> {
    /// A record for a new resource; nothing of it is written yet.
    pub fn new_resource(&self, parent: Option<Rid>, uid: &str, model: Model) -> Resource {
        Resource {
            rid: self.numbers.fetch_add(1, Ordering::Relaxed),
            uid: uid.into(),
            parent,
            model,
            state: State::Live,
            created: self.now,
            modified: self.now,
            revision: 1,
            content: None,
        }
    }

    /// The record of a resource that changes now.
    pub fn next(&self, resource: &Resource) -> Resource {
        Resource {
            modified: self.now.max(resource.modified),
            revision: resource.revision + self.transactions.step(self.own),
            ..resource.clone()
        }
    }

    /// Writes a record; with no graph, the stored one stays.
    pub fn put(&mut self, resource: Resource, graph: Option<Graph>) {
        self.ops.push(Op::Put(resource, graph));
    }

    /// The number of the container that the resource at `uid` shall lie in. Missing containers are
    /// made. The container counts a change.
    pub fn container_for(&mut self, uid: &str) -> Result<Option<Rid>, Error> {
        let Some(mut at) = parent_of(uid) else {
            return Ok(None);
        };
        let mut missing = Vec::new();
        let found = loop {
            match (self.view.find(at)?, parent_of(at)) {
                (Found::Live(found), _) => break found,
                (Found::Dead { tombstone, .. }, _) => {
                    return Err(Error::Gone {
                        uid: at.into(),
                        tombstone,
                    });
                }
                (Found::Missing, Some(above)) => {
                    missing.push(at);
                    at = above;
                }
                (Found::Missing, None) => return Err(Error::NotFound { uid: at.into() }),
            }
        };
        if !is_container(&found) {
            return Err(Error::Constraint {
                uid: uid.into(),
                rule: Constraint::Parent,
                what: format!("{} contains nothing", found.uid),
            });
        }
        self.touched.insert(found.rid);
        let mut parent = found.rid;
        for uid in missing.into_iter().rev() {
            let made = self.new_resource(Some(parent), uid, Model::BasicContainer);
            parent = made.rid;
            self.put(made, Some(Graph::default()));
        }
        Ok(Some(parent))
    }

    /// Whether there is a live resource at a path, or will be by this change.
    pub fn will_be(&self, uid: &str) -> Result<bool, Error> {
        if matches!(self.view.find(uid)?, Found::Live(_)) {
            return Ok(true);
        }
        let made = |op: &Op| matches!(op, Op::Put(r, _) if r.uid == uid && r.state == State::Live);
        Ok(self.ops.iter().any(made))
    }

    /// Whether a new resource may have the path.
    pub fn is_free(&self, uid: &str) -> Result<bool, Error> {
        Ok(self.transactions.holder(uid, self.own).is_none()
            && matches!(self.view.find(uid)?, Found::Missing))
    }

    /// The live resources below one, not itself, each before those below it.
    pub fn descendants(&self, top: &Resource) -> Result<Vec<Arc<Resource>>, Error> {
        let mut found = Vec::new();
        let mut containers = vec![top.rid];
        while let Some(rid) = containers.pop() {
            let mut children = self.view.children(rid, None);
            while let Some(child) = children.next_ref() {
                let (_, rid) = child?;
                let Some(resource) = self.view.live(rid)? else {
                    continue;
                };
                if is_container(&resource) {
                    containers.push(rid);
                }
                found.push(resource);
            }
        }
        Ok(found)
    }

    /// All changes in one batch, those of the touched containers with them.
    pub fn batch(mut self) -> Result<Vec<Op>, Error> {
        for op in &self.ops {
            if let Op::Put(resource, _) = op {
                self.touched.remove(&resource.rid);
            }
        }
        let touched = touch(self.view.snapshot(), &self.touched, 1, self.now)?;
        self.ops.extend(touched);
        Ok(self.ops)
    }
}

/// Whether resources can lie in it.
pub(crate) fn is_container(resource: &Resource) -> bool {
    use Model::{BasicContainer, DirectContainer, IndirectContainer};
    matches!(
        resource.model,
        BasicContainer | DirectContainer | IndirectContainer
    )
}
