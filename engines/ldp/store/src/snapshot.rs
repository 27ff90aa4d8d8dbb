//! One state of the store: LMDB as of one transaction, and the delta above it.

use std::sync::Arc;

use ldp_rdf::Graph;

use crate::base::Base;
use crate::delta::Delta;
use crate::run::{Side, fingerprint_of, of_key, rid_of};
use crate::{Children, Op, Resource, Resources, Result, Rid, Time, Version};

/// One state of the store. Cheap to clone; any thread may read it.
///
/// A snapshot keeps LMDB from reusing what it may still read, so one that is held for long makes the
/// store grow while others write.
#[derive(Clone)]
pub struct Snapshot {
    pub(crate) base: Arc<Base>,
    pub(crate) delta: Arc<Delta>,
}

impl Snapshot {
    /// LMDB without a delta.
    pub(crate) fn at(base: Arc<Base>) -> Snapshot {
        let delta = Arc::new(Delta::at(base.checkpoint, base.next_rid));
        Snapshot { base, delta }
    }

    /// The number of the last batch in it; grows by 1 with each.
    pub fn lsn(&self) -> u64 {
        self.delta.lsn
    }

    /// The first number that was never given, to a resource that was forgotten neither.
    pub fn next_rid(&self) -> Rid {
        self.delta.next_rid
    }

    /// Makes what the last writes left to do for the index, which else the first look-up does, on its thread and in its
    /// memory.
    pub fn make_index(&self) {
        self.delta.runs.iter().for_each(|run| _ = run.changes());
    }

    /// The resource at a path, in whatever state.
    pub fn resource(&self, uid: &str) -> Result<Option<Arc<Resource>>> {
        match self.rid(uid)? {
            Some(rid) => self.resource_by_rid(rid),
            None => Ok(None),
        }
    }

    /// The number of the resource at a path, in whatever state.
    pub fn rid(&self, uid: &str) -> Result<Option<Rid>> {
        match self.delta.uids.get(uid) {
            Some((_, rid)) => Ok(*rid),
            None => self.base.rid_of(uid),
        }
    }

    /// The resource of a number, in whatever state.
    pub fn resource_by_rid(&self, rid: Rid) -> Result<Option<Arc<Resource>>> {
        match self.delta.records.get(&rid) {
            Some((_, record)) => Ok(record.clone()),
            None => Ok(self.base.record(rid)?.map(Arc::new)),
        }
    }

    /// The graph of a resource, in whatever state.
    pub fn graph(&self, rid: Rid) -> Result<Option<Graph>> {
        match self.delta.graphs.get(&rid) {
            Some((_, graph)) => Ok(graph.clone()),
            None => self.base.graph(rid),
        }
    }

    /// The resources that a container lists, in the order of the bytes of their segments, from the
    /// first one behind `after`.
    pub fn children(&self, rid: Rid, after: Option<&str>) -> Children {
        Children::new(self.clone(), rid, after)
    }

    /// The child of this segment.
    pub fn child(&self, rid: Rid, segment: &str) -> Result<Option<Rid>> {
        match self.delta.children.get(&(rid, Arc::from(segment))) {
            Some((_, child)) => Ok(*child),
            None => self.base.child(rid, segment),
        }
    }

    /// How many resources a container lists.
    pub fn children_count(&self, rid: Rid) -> Result<u64> {
        match self.delta.counts.get(&rid) {
            Some((_, count)) => Ok(*count),
            None => self.base.count(rid),
        }
    }

    /// The live resources, in the order of their numbers.
    pub fn resources(&self) -> Resources {
        Resources::new(self.clone(), false)
    }

    /// All resources, those that were deleted too, in the order of their numbers.
    pub fn records(&self) -> Resources {
        Resources::new(self.clone(), true)
    }

    /// The resources that went with the one whose tombstone stands for them, ascending.
    pub fn gone(&self, top: Rid) -> Result<Vec<Rid>> {
        let mut found = self.base.gone(top)?;
        for ((_, rid), (_, present)) in self.delta.gone.range((top, 0)..(top + 1, 0)) {
            set(&mut found, *rid, *present);
        }
        Ok(found)
    }

    /// Live resources whose graph has, perhaps, a triple of this predicate: ascending.
    ///
    /// `predicate` is [`IndexEntry::predicate`](ldp_rdf::IndexEntry); `object` the low 16 bits of
    /// [`IndexEntry::object`](ldp_rdf::IndexEntry), for fewer candidates. The graph decides.
    pub fn by_predicate(&self, predicate: u64, object: Option<u16>) -> Result<Vec<Rid>> {
        self.candidates(Side::Predicates, predicate, object)
    }

    /// Live resources whose graph has, perhaps, a triple of this object, an IRI: ascending.
    ///
    /// `object` is [`IndexEntry::object`](ldp_rdf::IndexEntry); `predicate` the low 16 bits of
    /// [`IndexEntry::predicate`](ldp_rdf::IndexEntry), for fewer candidates. The graph decides.
    pub fn by_object(&self, object: u64, predicate: Option<u16>) -> Result<Vec<Rid>> {
        self.candidates(Side::Objects, object, predicate)
    }

    /// About how many triples have this predicate: exact in what is in LMDB, up to `most`.
    pub fn estimate_predicate(&self, predicate: u64, most: usize) -> Result<usize> {
        self.estimate(Side::Predicates, predicate, most)
    }

    /// About how many triples have this object, an IRI: exact in what is in LMDB, up to `most`.
    pub fn estimate_object(&self, object: u64, most: usize) -> Result<usize> {
        self.estimate(Side::Objects, object, most)
    }

    fn candidates(&self, side: Side, key: u64, fingerprint: Option<u16>) -> Result<Vec<Rid>> {
        let mut found = self.base.entries(side, key, usize::MAX)?;
        for run in &self.delta.runs {
            for change in of_key(run.changes().side(side), key) {
                set(&mut found, change.pair.1, change.present);
            }
        }
        if let Some(wanted) = fingerprint {
            found.retain(|entry| fingerprint_of(*entry) == wanted);
        }
        found.iter_mut().for_each(|entry| *entry = rid_of(*entry));
        found.dedup();
        Ok(found)
    }

    fn estimate(&self, side: Side, key: u64, most: usize) -> Result<usize> {
        let runs = self
            .delta
            .runs
            .iter()
            .map(|run| of_key(run.changes().side(side), key).len());
        Ok((self.base.entries(side, key, most)?.len() + runs.sum::<usize>()).min(most))
    }

    /// The versions of a resource in the order of time: time and label.
    pub fn versions(&self, rid: Rid) -> Result<Vec<(Time, String)>> {
        let mut found = self.base.versions(rid)?;
        for ((_, at), (_, version)) in self.delta.versions.range((rid, 0)..(rid + 1, 0)) {
            let place = found.binary_search_by_key(at, |(at, _)| *at);
            match (place, version) {
                (Ok(i), None) => _ = found.remove(i),
                (Ok(i), Some(version)) => found[i].1.clone_from(&version.label),
                (Err(i), Some(version)) => found.insert(i, (*at, version.label.clone())),
                (Err(_), None) => {}
            }
        }
        Ok(found)
    }

    /// One version.
    pub fn version(&self, rid: Rid, at: Time) -> Result<Option<Arc<Version>>> {
        match self.delta.versions.get(&(rid, at)) {
            Some((_, version)) => Ok(version.clone()),
            None => Ok(self.base.version(rid, at)?.map(Arc::new)),
        }
    }

    /// What [`Op::SetMeta`] set.
    pub fn meta(&self, name: &str) -> Result<Option<Vec<u8>>> {
        match self.delta.meta.get(name) {
            Some((_, value)) => Ok(Some(value.to_vec())),
            None => self.base.meta(name),
        }
    }

    /// A private state: this one and some changes, seen by nobody else.
    pub fn with(&self, ops: &[Op]) -> Result<Snapshot> {
        self.applied(ops)
    }
}

/// Adds to or takes from a sorted set.
fn set(sorted: &mut Vec<u64>, value: u64, present: bool) {
    // New entries are of new resources, mostly: above all others.
    if present && sorted.last().is_none_or(|last| *last < value) {
        sorted.push(value);
        return;
    }
    match (sorted.binary_search(&value), present) {
        (Ok(i), false) => _ = sorted.remove(i),
        (Err(i), true) => sorted.insert(i, value),
        _ => {}
    }
}
