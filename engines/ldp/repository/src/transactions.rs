//! Open transactions: what each will change, and which paths they hold until they end.

use crate::uid::ancestors_of;
use crate::{Error, View};
use ldp_store::{Op, Resource, Rid, Snapshot, State, Time};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// All open transactions of a repository.
///
/// A transaction sees the present state with its own changes. Whatever it changes it holds: others
/// that would change it are refused, so that its changes fit when they are applied. A container is
/// not held by who adds to it, but it cannot be deleted.
pub(crate) struct Transactions {
    life: Duration,
    most: usize,
    open: HashMap<Arc<str>, Transaction>,
    held: BTreeMap<String, Hold>,
}

struct Hold {
    holder: Arc<str>,
    /// Whether the transaction deletes it: nothing may be made below.
    deleted: bool,
}

struct Transaction {
    ends: Instant,
    ops: Vec<Op>,
    /// About how many bytes those are.
    bytes: usize,
    /// Containers whose children change: they count the change when it is applied.
    touched: BTreeSet<Rid>,
    /// The state with the changes, and the number of the batch that it was built on.
    state: Option<(u64, Snapshot)>,
}

impl Transactions {
    /// None open. Each lives so long after its last use, and holds at most so many bytes.
    pub fn new(life: Duration, most: usize) -> Transactions {
        Transactions {
            life,
            most,
            open: HashMap::new(),
            held: BTreeMap::new(),
        }
    }

    /// Opens one.
    pub fn begin(&mut self) -> Arc<str> {
        self.expire();
        let id: Arc<str> = Uuid::new_v4().to_string().into();
        let transaction = Transaction {
            ends: Instant::now() + self.life,
            ops: Vec::new(),
            bytes: 0,
            touched: BTreeSet::new(),
            state: None,
        };
        self.open.insert(id.clone(), transaction);
        id
    }

    /// How long one will live; with `renew`, as if used now.
    pub fn remaining(&mut self, id: &str, renew: bool) -> Result<Duration, Error> {
        if renew {
            self.used(id)?;
        }
        self.expire();
        let transaction = self.open.get(id).ok_or_else(|| not_open(id))?;
        Ok(transaction.ends.saturating_duration_since(Instant::now()))
    }

    /// The state that a transaction sees, on top of `base`.
    pub fn view(&mut self, id: &str, base: Snapshot) -> Result<View, Error> {
        let transaction = self.used(id)?;
        match &transaction.state {
            Some((lsn, state)) if *lsn == base.lsn() => Ok(View::new(state.clone())),
            _ => {
                let mut state = base.with(&transaction.ops)?;
                let touched = touch(&state, &transaction.touched, 0)?;
                state = state.with(&touched)?;
                transaction.state = Some((base.lsn(), state.clone()));
                Ok(View::new(state))
            }
        }
    }

    /// The transaction but `own` that holds a path.
    pub fn holder(&self, uid: &str, own: Option<&str>) -> Option<&str> {
        let hold = self.held.get(uid)?;
        (own != Some(&*hold.holder)).then_some(&*hold.holder)
    }

    /// Whether changes touch what another transaction holds.
    pub fn check(&self, own: Option<&str>, view: &View, ops: &[Op]) -> Result<(), Error> {
        if self.held.is_empty() {
            return Ok(());
        }
        for (uid, deletes) in paths(view, ops) {
            let ancestors = ancestors_of(&uid)
                .filter_map(|uid| self.held.get_key_value(uid))
                .filter(|(_, hold)| hold.deleted);
            let below = [uid.trim_end_matches('/'), "/"].concat();
            let inside = self
                .held
                .range(below.clone()..)
                .take_while(|(held, _)| deletes && held.starts_with(&below));
            let itself = self.held.get_key_value(&uid).into_iter();
            if let Some((held, hold)) = itself
                .chain(ancestors)
                .chain(inside)
                .find(|(_, hold)| own != Some(&*hold.holder))
            {
                return Err(Error::Held {
                    uid: held.clone(),
                    transaction: hold.holder.to_string(),
                });
            }
        }
        Ok(())
    }

    /// Adds changes to a transaction, which were checked; `view` is what they were made for.
    pub fn add(
        &mut self,
        id: &str,
        view: &View,
        ops: Vec<Op>,
        touched: &BTreeSet<Rid>,
        now: Time,
    ) -> Result<(), Error> {
        let most = self.most;
        let transaction = self.used(id)?;
        let bytes = transaction.bytes + ops.iter().map(size).sum::<usize>();
        if bytes > most {
            let why = format!("it would hold more than {most} bytes");
            return Err(Error::Transaction { id: id.into(), why });
        }
        let mut state = view.snapshot().with(&ops)?;
        state = state.with(&touch(&state, touched, now)?)?;
        if let Some((_, cached)) = &mut transaction.state {
            *cached = state;
        }
        transaction.touched.extend(touched);
        let paths = paths(view, &ops);
        transaction.bytes = bytes;
        transaction.ops.extend(ops);
        for (uid, deleted) in paths {
            self.held.insert(
                uid,
                Hold {
                    holder: id.into(),
                    deleted,
                },
            );
        }
        Ok(())
    }

    /// What a transaction changes, as one batch for the state `head`. It stays open until
    /// [`Transactions::end`].
    pub fn batch(&mut self, id: &str, head: &Snapshot, now: Time) -> Result<Vec<Op>, Error> {
        let transaction = self.used(id)?;
        let mut ops = transaction.ops.clone();
        let mut revisions: HashMap<Rid, u64> = HashMap::new();
        for op in &mut ops {
            if let Op::Put(resource, _) = op {
                let present = head.resource_by_rid(resource.rid)?;
                let (revision, modified) = present.map_or((0, 0), |r| (r.revision, r.modified));
                let last = revisions.entry(resource.rid).or_insert(revision);
                *last += 1;
                resource.revision = *last;
                resource.modified = resource.modified.max(modified);
            }
        }
        let touched: BTreeSet<Rid> = transaction
            .touched
            .iter()
            .copied()
            .filter(|rid| !revisions.contains_key(rid))
            .collect();
        ops.extend(touch(head, &touched, now)?);
        Ok(ops)
    }

    /// Closes a transaction; what it held is free.
    pub fn end(&mut self, id: &str) -> Result<(), Error> {
        self.used(id)?;
        self.open.remove(id);
        self.release();
        Ok(())
    }

    fn used(&mut self, id: &str) -> Result<&mut Transaction, Error> {
        self.expire();
        let transaction = self.open.get_mut(id).ok_or_else(|| not_open(id))?;
        transaction.ends = Instant::now() + self.life;
        Ok(transaction)
    }

    /// Ends transactions that were not used for too long.
    pub fn expire(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let now = Instant::now();
        let before = self.open.len();
        self.open.retain(|_, transaction| transaction.ends > now);
        if self.open.len() < before {
            self.release();
        }
    }

    fn release(&mut self) {
        let open = &self.open;
        self.held.retain(|_, hold| open.contains_key(&hold.holder));
    }
}

fn not_open(id: &str) -> Error {
    Error::Transaction {
        id: id.into(),
        why: "it is not open: never begun, ended, or expired".into(),
    }
}

/// The records of resources with one more change of their children; of live ones only.
pub(crate) fn touch(
    state: &Snapshot,
    touched: &BTreeSet<Rid>,
    now: Time,
) -> Result<Vec<Op>, Error> {
    let mut ops = Vec::with_capacity(touched.len());
    for &rid in touched {
        if let Some(resource) = state.resource_by_rid(rid)?
            && resource.state == State::Live
        {
            let modified = now.max(resource.modified);
            let revision = resource.revision + 1;
            ops.push(Op::Put(
                Resource {
                    modified,
                    revision,
                    ..(*resource).clone()
                },
                None,
            ));
        }
    }
    Ok(ops)
}

/// The paths that changes are about, and whether they delete them.
fn paths(view: &View, ops: &[Op]) -> Vec<(String, bool)> {
    let of = |rid: &Rid| {
        let resource = view.snapshot().resource_by_rid(*rid).ok().flatten();
        resource.map(|resource| resource.uid.clone())
    };
    ops.iter()
        .filter_map(|op| match op {
            Op::Put(resource, _) => Some((resource.uid.clone(), resource.state != State::Live)),
            Op::PutVersion(_, version) => Some((version.resource.uid.clone(), false)),
            Op::ForgetVersion(rid, _) => Some((of(rid)?, false)),
            Op::Forget(rid) => Some((of(rid)?, true)),
            Op::SetMeta(..) => None,
        })
        .collect()
}

/// About how many bytes a change takes in memory.
fn size(op: &Op) -> usize {
    let record = |resource: &Resource| size_of::<Resource>() + resource.uid.len();
    match op {
        Op::Put(resource, None) => record(resource),
        Op::Put(resource, Some(graph)) => record(resource) + graph.as_bytes().len(),
        Op::PutVersion(_, version) => record(&version.resource) + version.graph.as_bytes().len(),
        _ => size_of::<Op>(),
    }
}
