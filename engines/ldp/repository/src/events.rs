//! What is told of changes: which resources a batch made, changed and deleted, once it is durable.

use crate::Error;
use ldp_store::{Model, Op, Resource, Rid, Snapshot, State, Time};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A change of one resource. Versions and tombstones have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// When.
    pub at: Time,
    /// The number of the batch. Those of a batch happened at once.
    pub batch: u64,
    /// The path of the resource.
    pub uid: String,
    /// What it is, or was.
    pub model: Model,
}

/// What happened to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// It is there now, and was not before: made, or brought back.
    Created,
    /// Its triples or its bytes were written, or its children have changed.
    Updated,
    /// It is not there any more.
    Deleted,
}

type Listener = Box<dyn Fn(&[Event]) + Send>;

/// Who listens, and what happened but is not durable yet.
#[derive(Default)]
pub(crate) struct Events {
    heard: AtomicBool,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    listeners: Vec<Listener>,
    waiting: VecDeque<(u64, Vec<Event>)>,
}

impl Events {
    pub fn listen(&self, listener: Listener) {
        self.lock().listeners.push(listener);
        self.heard.store(true, Ordering::Release);
    }

    /// Whether anybody listens: else no events need to be made.
    pub fn heard(&self) -> bool {
        self.heard.load(Ordering::Acquire)
    }

    /// Keeps the events of an accepted batch; to be called in the order of batches.
    pub fn expect(&self, batch: u64, events: Vec<Event>) {
        self.lock().waiting.push_back((batch, events));
    }

    /// Tells the events of all batches up to `batch`: they are durable.
    pub fn tell(&self, batch: u64) {
        let mut inner = self.lock();
        while inner.waiting.front().is_some_and(|(of, _)| *of <= batch) {
            let Some((_, events)) = inner.waiting.pop_front() else {
                break;
            };
            for listener in &inner.listeners {
                listener(&events);
            }
        }
    }

    /// Drops what waits.
    pub fn forget(&self) {
        self.lock().waiting.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a batch does to the resources of the state `before`, in the order of its first changes.
pub(crate) fn events_of(before: &Snapshot, batch: &[Op], at: Time) -> Result<Vec<Event>, Error> {
    let mut changed: Vec<(Rid, Option<&Resource>)> = Vec::with_capacity(batch.len());
    let mut places: HashMap<Rid, usize> = HashMap::with_capacity(batch.len());
    for op in batch {
        let (rid, after) = match op {
            Op::Put(resource, _) => (resource.rid, Some(resource)),
            Op::Forget(rid) => (*rid, None),
            Op::PutVersion(..) | Op::ForgetVersion(..) | Op::SetMeta(..) => continue,
        };
        match places.entry(rid) {
            Entry::Occupied(place) => changed[*place.get()].1 = after,
            Entry::Vacant(place) => {
                place.insert(changed.len());
                changed.push((rid, after));
            }
        }
    }
    let mut events = Vec::with_capacity(changed.len());
    for (rid, after) in changed {
        let old = before.resource_by_rid(rid)?;
        let (kind, of) = match (old.as_deref().filter(live), after.filter(live)) {
            (None, Some(new)) => (EventKind::Created, new),
            (Some(_), Some(new)) => (EventKind::Updated, new),
            (Some(old), None) => (EventKind::Deleted, old),
            (None, None) => continue,
        };
        events.push(Event {
            kind,
            at,
            batch: before.lsn() + 1,
            uid: of.uid.clone(),
            model: of.model,
        });
    }
    Ok(events)
}

fn live(resource: &&Resource) -> bool {
    resource.state == State::Live
}
