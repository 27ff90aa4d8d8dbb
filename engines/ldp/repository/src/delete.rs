//! Deleting, bringing back, and forgetting.

use crate::change::Change;
use crate::references::{drop_references, without_dangling};
use crate::uid::check_uid;
use crate::{Error, Found, Outcome, Pending, References, Repository, WriteOptions};
use ldp_store::{Op, Resource, State};
use std::collections::HashSet;
use std::sync::Arc;

impl Repository {
    /// Deletes a resource and all below it. A tombstone is left, unless `tombstone` is false: then
    /// the paths are free at once, and versions are gone.
    pub fn delete(
        &self,
        uid: &str,
        tombstone: bool,
        options: &WriteOptions,
    ) -> Result<Pending<()>, Error> {
        self.write(options.transaction.as_deref(), |change| {
            let top = change.view.get(uid)?;
            change.view.check(&top, &options.conditions)?;
            let Some(parent) = top.parent else {
                let why = "it is the root, which cannot be deleted".into();
                return Err(Error::NotAllowed {
                    uid: uid.into(),
                    why,
                });
            };
            change.touched.insert(parent);
            let mut deleted = vec![top.clone()];
            deleted.extend(change.descendants(&top)?);
            if self.options.references != References::Off {
                drop_references(change, &deleted)?;
            }
            for resource in &deleted {
                let itself = resource.rid == top.rid;
                let state = if itself {
                    State::Tombstone
                } else {
                    State::Gone(top.rid)
                };
                match tombstone {
                    true => change.put(
                        Resource {
                            state,
                            ..change.next(resource)
                        },
                        None,
                    ),
                    false => change.ops.push(Op::Forget(resource.rid)),
                }
            }
            Ok(())
        })
    }

    /// Brings back what the tombstone at `uid` stands for.
    pub fn resurrect(
        &self,
        uid: &str,
        transaction: Option<&str>,
    ) -> Result<Pending<Outcome>, Error> {
        self.write(transaction, |change| {
            let top = tombstone(change, uid)?;
            let parent = change.container_for(uid)?;
            let mut resources = vec![top.clone()];
            for rid in change.view.snapshot().gone(top.rid)? {
                resources.extend(change.view.snapshot().resource_by_rid(rid)?);
            }
            let back: HashSet<String> = resources.iter().map(|r| r.uid.clone()).collect();
            let mut outcome = None;
            for resource in &resources {
                let mut live = Resource {
                    state: State::Live,
                    ..change.next(resource)
                };
                let mut graph = None;
                if self.options.references != References::Off {
                    let stored = change.view.graph(resource.rid)?;
                    graph = without_dangling(change, &stored, &back)?;
                }
                if outcome.is_none() {
                    live.parent = parent;
                    outcome = Some(Outcome {
                        resource: live.clone(),
                        created: true,
                    });
                }
                change.put(live, graph);
            }
            outcome.ok_or_else(|| Error::NotFound { uid: uid.into() })
        })
    }

    /// Deletes the tombstone at `uid` and all that it stands for, so that the paths are free again.
    pub fn forget(&self, uid: &str, transaction: Option<&str>) -> Result<Pending<()>, Error> {
        self.write(transaction, |change| {
            let top = tombstone(change, uid)?;
            for rid in change.view.snapshot().gone(top.rid)? {
                change.ops.push(Op::Forget(rid));
            }
            change.ops.push(Op::Forget(top.rid));
            Ok(())
        })
    }
}

/// The record of the tombstone at a path.
fn tombstone(change: &Change<'_>, uid: &str) -> Result<Arc<Resource>, Error> {
    match change.view.find(uid)? {
        Found::Dead {
            resource,
            tombstone,
        } if tombstone == uid => Ok(resource),
        Found::Dead { tombstone, .. } => Err(Error::Gone {
            uid: uid.into(),
            tombstone,
        }),
        Found::Live(_) => {
            let why = "it is there, so it has no tombstone".into();
            Err(Error::NotAllowed {
                uid: uid.into(),
                why,
            })
        }
        Found::Missing => {
            check_uid(uid)?;
            Err(Error::NotFound { uid: uid.into() })
        }
    }
}
