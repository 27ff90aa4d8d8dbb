//! What a batch does to a state.

use std::sync::Arc;

use ldp_rdf::Graph;

use crate::batch::Version;
use crate::delta::{Delta, Reindexed};
use crate::{Error, MAX_SEGMENT, Op, Resource, Result, Rid, Snapshot, State};

impl Snapshot {
    /// The state after a batch; an error leaves nothing behind.
    pub(crate) fn applied(&self, ops: &[Op]) -> Result<Snapshot> {
        self.changed(ops, true)
    }

    /// The same for records that a store had: they may come before their parents.
    pub(crate) fn restored(&self, ops: &[Op]) -> Result<Snapshot> {
        self.changed(ops, false)
    }

    fn changed(&self, ops: &[Op], check: bool) -> Result<Snapshot> {
        let delta = Delta {
            lsn: self.delta.lsn + 1,
            ..Delta::clone(&self.delta)
        };
        let state = Snapshot {
            base: self.base.clone(),
            delta: Arc::new(delta),
        };
        let mut next = Next {
            state,
            reindexed: Vec::new(),
        };
        for op in ops {
            match op {
                Op::Put(resource, graph) => next.put(resource, graph.as_ref(), check)?,
                Op::Forget(rid) => next.forget(*rid)?,
                Op::PutVersion(rid, version) => next.set_version(*rid, version.at, Some(version)),
                Op::ForgetVersion(rid, at) => next.set_version(*rid, *at, None),
                Op::SetMeta(name, value) => {
                    let delta = next.delta();
                    delta
                        .meta
                        .insert(Arc::from(&**name), (delta.lsn, Arc::from(&**value)));
                }
            }
        }
        Ok(next.finish())
    }
}

/// A state in the making.
struct Next {
    state: Snapshot,
    /// In the order of the changes.
    reindexed: Vec<Reindexed>,
}

impl Next {
    /// The delta, which nobody else has yet, so it is changed in place.
    fn delta(&mut self) -> &mut Delta {
        Arc::make_mut(&mut self.state.delta)
    }

    fn finish(mut self) -> Snapshot {
        let reindexed = std::mem::take(&mut self.reindexed);
        if !reindexed.is_empty() {
            self.delta().push_run(reindexed);
        }
        self.state
    }

    fn put(&mut self, resource: &Resource, graph: Option<&Graph>, check: bool) -> Result<()> {
        let rid = resource.rid;
        let old = self.state.resource_by_rid(rid)?;
        if check {
            self.check(resource, old.as_deref())?;
        }
        self.reindex(rid, old.as_deref(), Some(resource), graph)?;
        self.relink(old.as_deref(), Some(resource))?;
        let delta = self.delta();
        let lsn = delta.lsn;
        if old.as_ref().is_none_or(|old| old.uid != resource.uid) {
            if let Some(old) = &old {
                delta.uids.insert(Arc::from(&*old.uid), (lsn, None));
            }
            delta
                .uids
                .insert(Arc::from(&*resource.uid), (lsn, Some(rid)));
        }
        delta
            .records
            .insert(rid, (lsn, Some(Arc::new(resource.clone()))));
        if let Some(graph) = graph {
            delta.graphs.insert(rid, (lsn, Some(graph.clone())));
        }
        delta.next_rid = delta.next_rid.max(rid + 1);
        Ok(())
    }

    fn forget(&mut self, rid: Rid) -> Result<()> {
        let Some(old) = self.state.resource_by_rid(rid)? else {
            return Ok(());
        };
        self.reindex(rid, Some(&old), None, None)?;
        self.relink(Some(&old), None)?;
        for (at, _) in self.state.versions(rid)? {
            self.set_version(rid, at, None);
        }
        let delta = self.delta();
        delta.uids.insert(Arc::from(&*old.uid), (delta.lsn, None));
        delta.records.insert(rid, (delta.lsn, None));
        delta.graphs.insert(rid, (delta.lsn, None));
        Ok(())
    }

    fn set_version(&mut self, rid: Rid, at: u64, version: Option<&Version>) {
        let delta = self.delta();
        delta
            .versions
            .insert((rid, at), (delta.lsn, version.cloned().map(Arc::new)));
    }

    /// The rules that the layout of the store depends on.
    fn check(&self, new: &Resource, old: Option<&Resource>) -> Result<()> {
        let refuse = |why: String| Err(Error::Invalid(format!("resource {}: {why}", new.uid)));
        if new.rid >> 48 != 0 {
            return refuse(format!("the number {} is not below 2^48", new.rid));
        }
        if old.is_some_and(|old| old.uid == new.uid && old.parent == new.parent) {
            return Ok(());
        }
        let uid = &new.uid;
        let root = uid == "/" && new.parent.is_none();
        let below = uid.starts_with('/') && !uid.ends_with('/') && new.parent.is_some();
        if !root && !below {
            return refuse(format!(
                "no path, or one that does not fit its parent {:?}",
                new.parent
            ));
        }
        if crate::resource::segment(uid).len() > MAX_SEGMENT {
            return refuse(format!(
                "its last segment has more than {MAX_SEGMENT} bytes"
            ));
        }
        if let Some(parent) = new.parent
            && self.state.resource_by_rid(parent)?.is_none()
        {
            return refuse(format!("its parent {parent} is not known"));
        }
        match self.state.rid(uid)? {
            Some(other) if other != new.rid => refuse(format!("{other} has this path already")),
            _ => Ok(()),
        }
    }

    /// Keeps the index: entries of live resources only.
    fn reindex(
        &mut self,
        rid: Rid,
        old: Option<&Resource>,
        new: Option<&Resource>,
        graph: Option<&Graph>,
    ) -> Result<()> {
        let live = |r: Option<&Resource>| r.is_some_and(|r| r.state == State::Live);
        let (was, is) = (live(old), live(new));
        if graph.is_none() && was == is {
            return Ok(());
        }
        let stored = if old.is_some() {
            self.state.graph(rid)?
        } else {
            None
        };
        let after = graph.or(stored.as_ref()).filter(|_| is).cloned();
        let before = stored.filter(|_| was);
        let reindexed = Reindexed { rid, before, after };
        if reindexed.most() > 0 {
            self.reindexed.push(reindexed);
        }
        Ok(())
    }

    /// Keeps the child links, their counts, and the list of those that went with an ancestor.
    fn relink(&mut self, old: Option<&Resource>, new: Option<&Resource>) -> Result<()> {
        let (was, is) = (old.and_then(Resource::link), new.and_then(Resource::link));
        if was != is {
            for (link, child) in [(was, None), (is, new.map(|r| r.rid))] {
                let Some((parent, segment)) = link else {
                    continue;
                };
                let count = self.state.children_count(parent)?;
                let count = if child.is_some() {
                    count + 1
                } else {
                    count.saturating_sub(1)
                };
                let delta = self.delta();
                delta
                    .children
                    .insert((parent, Arc::from(segment)), (delta.lsn, child));
                delta.counts.insert(parent, (delta.lsn, count));
            }
        }
        let top = |r: Option<&Resource>| match r?.state {
            State::Gone(top) => Some((top, r?.rid)),
            _ => None,
        };
        let (was, is) = (top(old), top(new));
        if was != is {
            let delta = self.delta();
            was.into_iter()
                .for_each(|key| _ = delta.gone.insert(key, (delta.lsn, false)));
            is.into_iter()
                .for_each(|key| _ = delta.gone.insert(key, (delta.lsn, true)));
        }
        Ok(())
    }
}
