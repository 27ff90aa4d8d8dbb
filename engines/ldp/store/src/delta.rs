//! What was written and is not in LMDB yet: persistent maps, so a snapshot is a copy of few words.

use std::sync::Arc;

use imbl::{OrdMap, Vector};
use ldp_rdf::Graph;

use crate::batch::Version;
use crate::run::{Change, Side, Sides};
use crate::{Resource, Rid, Time};

/// The number of a batch: 1, 2, 3 and so on, in the order of the log.
pub(crate) type Lsn = u64;

/// A value that stands above the one in LMDB, and the batch that wrote it.
pub(crate) type Slots<K, V> = OrdMap<K, (Lsn, V)>;

/// What was written and is not in LMDB yet. `None` and `false` mean "not there any more".
#[derive(Clone, Default)]
pub(crate) struct Delta {
    /// The last batch.
    pub lsn: Lsn,
    /// What its batches take in memory, about: their bytes in the log, and the changes of the index by them.
    pub bytes: u64,
    /// The first number that was never given.
    pub next_rid: Rid,
    pub records: Slots<Rid, Option<Arc<Resource>>>,
    pub uids: Slots<Arc<str>, Option<Rid>>,
    pub graphs: Slots<Rid, Option<Graph>>,
    /// By parent and segment.
    pub children: Slots<(Rid, Arc<str>), Option<Rid>>,
    /// How many children.
    pub counts: Slots<Rid, u64>,
    /// By the resource whose tombstone stands for it, and number.
    pub gone: Slots<(Rid, Rid), bool>,
    pub versions: Slots<(Rid, Time), Option<Arc<Version>>>,
    pub meta: Slots<Arc<str>, Arc<[u8]>>,
    /// Changes of the index, in order.
    pub runs: Vector<Arc<Run>>,
}

/// The changes of the index by some batches in a row.
pub(crate) struct Run {
    /// The last one of them.
    pub lsn: Lsn,
    batches: u64,
    pub changes: Sides<Change>,
}

/// So many runs of as many batches each become one, so that a look-up reads few of them.
const MERGE: usize = 8;

impl Delta {
    /// Without any change.
    pub fn at(lsn: Lsn, next_rid: Rid) -> Delta {
        Delta {
            lsn,
            next_rid,
            ..Delta::default()
        }
    }

    /// Adds the changes of the index by the last batch.
    pub fn push_run(&mut self, changes: Sides<Change>) {
        self.bytes += (changes.len() * size_of::<Change>()) as u64;
        self.runs.push_back(Arc::new(Run {
            lsn: self.lsn,
            batches: 1,
            changes,
        }));
        while let Some(start) = self.runs.len().checked_sub(MERGE) {
            let batches = self.runs[start].batches;
            if self
                .runs
                .iter()
                .skip(start)
                .any(|run| run.batches != batches)
            {
                return;
            }
            let last = self.runs.split_off(start);
            let mut changes = Sides {
                predicates: of_side(&last, Side::Predicates),
                objects: of_side(&last, Side::Objects),
            };
            changes.keep_last();
            let batches = batches * MERGE as u64;
            self.runs.push_back(Arc::new(Run {
                lsn: self.lsn,
                batches,
                changes,
            }));
        }
    }

    /// Drops what `applied` brought to LMDB: an earlier state of this delta.
    pub fn trim(&mut self, applied: &Delta) {
        let through = applied.lsn;
        if self.lsn == through {
            *self = Delta::at(self.lsn, self.next_rid);
            return;
        }
        self.bytes = self.bytes.saturating_sub(applied.bytes);
        trim(&mut self.records, &applied.records, through);
        trim(&mut self.uids, &applied.uids, through);
        trim(&mut self.graphs, &applied.graphs, through);
        trim(&mut self.children, &applied.children, through);
        trim(&mut self.counts, &applied.counts, through);
        trim(&mut self.gone, &applied.gone, through);
        trim(&mut self.versions, &applied.versions, through);
        trim(&mut self.meta, &applied.meta, through);
        // A run with later batches stays as a whole; LMDB gets its earlier changes again, as they are.
        while self.runs.front().is_some_and(|run| run.lsn <= through) {
            self.runs.pop_front();
        }
    }
}

/// The changes of one side by some runs, in their order; a vector without room for more.
pub(crate) fn of_side(runs: &Vector<Arc<Run>>, side: Side) -> Vec<Change> {
    let sides = runs.iter().map(|run| run.changes.side(side));
    let mut all = Vec::with_capacity(sides.clone().map(Vec::len).sum());
    sides.for_each(|changes| all.extend_from_slice(changes));
    all
}

fn trim<K: Ord + Clone, V: Clone>(map: &mut Slots<K, V>, applied: &Slots<K, V>, through: Lsn) {
    for key in applied.keys() {
        if map.get(key).is_some_and(|(lsn, _)| *lsn <= through) {
            map.remove(key);
        }
    }
}
