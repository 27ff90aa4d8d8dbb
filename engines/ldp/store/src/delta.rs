//! What was written and is not in LMDB yet: persistent maps, so a snapshot is a copy of few words.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use imbl::{OrdMap, Vector};
use ldp_rdf::Graph;

use crate::batch::Version;
use crate::run::{self, Change, Pair, Side, Sides};
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
    /// What its batches take in memory, about: their bytes in the log, and the changes of the index that they may make.
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

/// The changes of the index by some batches in a row. Whoever asks first makes them, mostly the background work: those
/// of a large graph would keep other writers waiting.
pub(crate) struct Run {
    /// The last one of them.
    pub lsn: Lsn,
    batches: u64,
    /// So many changes at most.
    most: usize,
    parts: Mutex<Parts>,
    changes: OnceLock<Sides<Change>>,
}

/// What the changes of a run are made of, in order; empty once they are.
enum Parts {
    Graphs(Vec<Reindexed>),
    Runs(Vec<Arc<Run>>),
}

/// A resource whose graph in the index is another one.
pub(crate) struct Reindexed {
    pub rid: Rid,
    pub before: Option<Graph>,
    pub after: Option<Graph>,
}

/// So many runs of as many batches each become one, so that a look-up reads few of them.
const MERGE: usize = 8;
/// If they have so many changes at most: to merge large ones takes longer than to read them.
const MOST_MERGED: usize = 1 << 16;

impl Reindexed {
    /// At most so many changes of the index.
    pub fn most(&self) -> usize {
        let graphs = self.before.iter().chain(&self.after);
        2 * graphs.map(Graph::len).sum::<usize>()
    }

    /// What they and the graph that they replace take in memory; the other one is in the log.
    fn bytes(&self) -> usize {
        let before = self
            .before
            .as_ref()
            .map_or(0, |graph| graph.as_bytes().len());
        before + self.most() * size_of::<Change>()
    }

    fn changes(&self) -> Sides<Change> {
        let entries = |graph: &Option<Graph>| match graph {
            Some(graph) => run::entries(self.rid, graph),
            None => Sides::<Pair>::default(),
        };
        run::changes(&entries(&self.before), &entries(&self.after))
    }
}

impl Run {
    fn new(lsn: Lsn, batches: u64, most: usize, parts: Parts) -> Run {
        Run {
            lsn,
            batches,
            most,
            parts: Mutex::new(parts),
            changes: OnceLock::new(),
        }
    }

    pub fn changes(&self) -> &Sides<Change> {
        self.changes.get_or_init(|| {
            let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
            let mut changes = match &*parts {
                Parts::Graphs(graphs) => {
                    let mut all = Sides::default();
                    for mut changes in graphs.iter().map(Reindexed::changes) {
                        all.predicates.append(&mut changes.predicates);
                        all.objects.append(&mut changes.objects);
                    }
                    all
                }
                Parts::Runs(runs) => Sides {
                    predicates: of_side(runs, Side::Predicates),
                    objects: of_side(runs, Side::Objects),
                },
            };
            changes.keep_last();
            *parts = Parts::Runs(Vec::new()); // only now: after a panic, the next one makes them
            changes
        })
    }
}

impl Delta {
    /// Without any change.
    pub fn at(lsn: Lsn, next_rid: Rid) -> Delta {
        Delta {
            lsn,
            next_rid,
            ..Delta::default()
        }
    }

    /// Adds what the last batch changes in the index.
    pub fn push_run(&mut self, graphs: Vec<Reindexed>) {
        let most = graphs.iter().map(Reindexed::most).sum();
        self.bytes += graphs.iter().map(Reindexed::bytes).sum::<usize>() as u64;
        let run = Run::new(self.lsn, 1, most, Parts::Graphs(graphs));
        self.runs.push_back(Arc::new(run));
        while let Some(start) = self.runs.len().checked_sub(MERGE) {
            let batches = self.runs[start].batches;
            let mut last = self.runs.iter().skip(start);
            let most = last.clone().map(|run| run.most).sum();
            if last.any(|run| run.batches != batches) || most > MOST_MERGED {
                return;
            }
            let parts = Parts::Runs(self.runs.split_off(start).into_iter().collect());
            let run = Run::new(self.lsn, batches * MERGE as u64, most, parts);
            self.runs.push_back(Arc::new(run));
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
pub(crate) fn of_side<'a>(
    runs: impl IntoIterator<Item = &'a Arc<Run>, IntoIter: Clone>,
    side: Side,
) -> Vec<Change> {
    let sides = runs.into_iter().map(|run| run.changes().side(side));
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

#[cfg(test)]
mod tests {
    use super::*;
    use ldp_rdf::{NamedNode, Triple};

    fn graph(triples: usize) -> Graph {
        let iri = |i: usize| NamedNode::new_unchecked(format!("urn:{i}"));
        let triples = (0..triples).map(|i| Triple::new(iri(0), iri(0), iri(i)));
        Graph::encode(&triples.collect::<Vec<_>>())
    }

    fn made(rid: Rid, triples: usize) -> Vec<Reindexed> {
        let after = Some(graph(triples));
        vec![Reindexed {
            rid,
            before: None,
            after,
        }]
    }

    #[test]
    fn changes_are_made_when_they_are_asked_for() {
        let mut delta = Delta::default();
        for rid in 0..9 {
            delta.push_run(made(rid, 2));
        }
        assert_eq!(delta.runs.len(), 2); // eight of them are one
        assert!(delta.runs.iter().all(|run| run.changes.get().is_none()));
        for (run, resources) in delta.runs.iter().zip([8, 1]) {
            assert_eq!(run.changes().len(), resources * 2 * 2);
            let Parts::Runs(left) = &*run.parts.lock().unwrap() else {
                panic!("graphs that nobody needs any more");
            };
            assert!(left.is_empty());
        }
    }

    #[test]
    fn large_runs_stay_as_they_are() {
        let mut delta = Delta::default();
        for rid in 0..MERGE {
            delta.push_run(made(rid as Rid, MOST_MERGED / 2 / MERGE + 1));
        }
        assert_eq!(delta.runs.len(), MERGE);
    }

    #[test]
    fn a_graph_counts_as_long_as_its_changes_are_not_made() {
        let mut delta = Delta::default();
        let before = Some(graph(1000));
        delta.push_run(vec![Reindexed {
            rid: 1,
            before: before.clone(),
            after: None,
        }]);
        let bytes = before.map_or(0, |graph| graph.as_bytes().len());
        assert!(bytes > 0 && delta.bytes as usize > bytes);
    }
}
