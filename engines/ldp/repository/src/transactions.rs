//! Open transactions: what each will change, and which paths they hold until they end.

use crate::uid::ancestors_of;
use crate::{Error, View};
use ldp_store::{Op, Resource, Rid, Snapshot, State, Time};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// How many may be open at once.
const MOST_OPEN: usize = 1000;

/// All together hold at most what so many full ones do.
const MOST_FULL: usize = 4;

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
    /// How many were opened.
    count: u32,
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
    /// Containers whose children change: how often, and when last.
    touched: BTreeMap<Rid, (u64, Time)>,
    /// What one change adds to a revision, as the transaction sees it. It is its own, so that its
    /// entity tags are no one else's: others may change the children of the same container.
    step: u64,
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
            count: 0,
        }
    }

    /// Opens one.
    pub fn begin(&mut self) -> Result<Arc<str>, Error> {
        self.expire();
        if self.open.len() >= MOST_OPEN {
            let why = format!("{MOST_OPEN} transactions are open, as many as may be");
            return Err(Error::Busy { why });
        }
        self.count = self.count.wrapping_add(1);
        let id: Arc<str> = Uuid::new_v4().to_string().into();
        let transaction = Transaction {
            ends: Instant::now() + self.life,
            ops: Vec::new(),
            bytes: 0,
            touched: BTreeMap::new(),
            step: 1 + (u64::from(self.count) << 32),
            state: None,
        };
        self.open.insert(id.clone(), transaction);
        Ok(id)
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
                let state = base.with(&transaction.on(&base, transaction.step, 0)?)?;
                transaction.state = Some((base.lsn(), state.clone()));
                Ok(View::new(state))
            }
        }
    }

    /// What one change adds to a revision: 1, but within a transaction.
    pub fn step(&self, own: Option<&str>) -> u64 {
        own.and_then(|id| self.open.get(id))
            .map_or(1, |transaction| transaction.step)
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
        let more = ops.iter().map(size).sum::<usize>();
        let bytes = self.used(id)?.bytes + more;
        if bytes > most {
            return Err(Error::Full {
                transaction: id.into(),
                most,
            });
        }
        let all = self.open.values().map(|open| open.bytes).sum::<usize>();
        if all + more > most.saturating_mul(MOST_FULL) {
            let why = format!("the open transactions hold {all} bytes, nearly as many as they may");
            return Err(Error::Busy { why });
        }
        let transaction = self.used(id)?;
        let mut state = view.snapshot().with(&ops)?;
        state = state.with(&touch(&state, touched, transaction.step, now)?)?;
        if let Some((_, cached)) = &mut transaction.state {
            *cached = state;
        }
        for &rid in touched {
            let (count, last) = transaction.touched.entry(rid).or_default();
            *count += 1;
            *last = now;
        }
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
        self.used(id)?.on(head, 1, now)
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

impl Transaction {
    /// The changes, made for the state `base`: each adds `step` to the revision of a record. The time
    /// of a container is that of the last change of its children, or `now` if that is later.
    fn on(&self, base: &Snapshot, step: u64, now: Time) -> Result<Vec<Op>, Error> {
        let mut ops = self.ops.clone();
        let mut records: HashMap<Rid, Resource> = HashMap::new();
        for op in &mut ops {
            if let Op::Put(resource, _) = op {
                let before = match records.get(&resource.rid) {
                    Some(before) => Some((before.revision, before.modified)),
                    None => (base.resource_by_rid(resource.rid)?).map(|r| (r.revision, r.modified)),
                };
                if let Some((revision, modified)) = before {
                    resource.revision = revision + step;
                    resource.modified = resource.modified.max(modified);
                }
                records.insert(resource.rid, resource.clone());
            }
        }
        let forgotten: HashSet<Rid> = (ops.iter())
            .filter_map(|op| match op {
                Op::Forget(rid) => Some(*rid),
                _ => None,
            })
            .collect();
        for (&rid, &(count, last)) in &self.touched {
            let record = match records.remove(&rid) {
                Some(record) => Some(record),
                None => (base.resource_by_rid(rid)?).map(|record| (*record).clone()),
            };
            if let Some(record) =
                record.filter(|r| r.state == State::Live && !forgotten.contains(&rid))
            {
                ops.push(Op::Put(touched(record, step * count, now.max(last)), None));
            }
        }
        Ok(ops)
    }
}

fn not_open(id: &str) -> Error {
    Error::NotOpen {
        transaction: id.into(),
    }
}

/// The records of resources with one more change of their children; of live ones only.
pub(crate) fn touch(
    state: &Snapshot,
    rids: &BTreeSet<Rid>,
    step: u64,
    now: Time,
) -> Result<Vec<Op>, Error> {
    let mut ops = Vec::with_capacity(rids.len());
    for &rid in rids {
        if let Some(record) = state.resource_by_rid(rid)?
            && record.state == State::Live
        {
            ops.push(Op::Put(touched((*record).clone(), step, now), None));
        }
    }
    Ok(ops)
}

fn touched(mut record: Resource, steps: u64, now: Time) -> Resource {
    record.revision += steps;
    record.modified = record.modified.max(now);
    record
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

/// What the state of a transaction takes for the index of a triple: 24 bytes by predicate and by object.
const INDEX: usize = 2 * 24;

/// About how many bytes a change takes in memory.
fn size(op: &Op) -> usize {
    let record = |resource: &Resource| size_of::<Resource>() + resource.uid.len();
    match op {
        Op::Put(resource, None) => record(resource),
        Op::Put(resource, Some(graph)) => {
            record(resource) + graph.as_bytes().len() + INDEX * graph.len()
        }
        Op::PutVersion(_, version) => record(&version.resource) + version.graph.as_bytes().len(),
        _ => size_of::<Op>(),
    }
}
