//! The index entries of graphs: what leads from a predicate or an object to the resources.
//!
//! A key is a hash; an entry is the number of the resource and 16 bits of the other hash, so a
//! look-up by both reads few graphs that do not match. Entries are candidates: the graph decides.

use ldp_rdf::Graph;

use crate::Rid;

/// Bits of an entry below the number of the resource.
const FINGERPRINT_BITS: u32 = 16;

/// A key and an entry.
pub(crate) type Pair = (u64, u64);

/// The entries of one graph, or what one batch changes: sorted by key, then entry; each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sides<T> {
    /// By predicate; the fingerprint is of the object.
    pub predicates: Vec<T>,
    /// By object, IRIs only; the fingerprint is of the predicate.
    pub objects: Vec<T>,
}

/// An entry that appears or goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Change {
    pub pair: Pair,
    pub present: bool,
}

/// Which of the two indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Predicates,
    Objects,
}

impl<T> Default for Sides<T> {
    fn default() -> Self {
        Sides {
            predicates: Vec::new(),
            objects: Vec::new(),
        }
    }
}

impl<T> Sides<T> {
    pub fn len(&self) -> usize {
        self.predicates.len() + self.objects.len()
    }

    pub fn side(&self, side: Side) -> &Vec<T> {
        match side {
            Side::Predicates => &self.predicates,
            Side::Objects => &self.objects,
        }
    }
}

impl Sides<Change> {
    /// Sorts changes that stand in the order of time: of those of one entry the last one counts.
    pub fn keep_last(&mut self) {
        for side in [&mut self.predicates, &mut self.objects] {
            side.sort_by_key(|change| change.pair);
            side.dedup_by(|later, kept| {
                let same = later.pair == kept.pair;
                if same {
                    kept.present = later.present;
                }
                same
            });
        }
    }
}

pub(crate) fn entry(rid: Rid, fingerprint: u16) -> u64 {
    rid << FINGERPRINT_BITS | u64::from(fingerprint)
}

pub(crate) fn rid_of(entry: u64) -> Rid {
    entry >> FINGERPRINT_BITS
}

pub(crate) fn fingerprint_of(entry: u64) -> u16 {
    entry as u16
}

/// The entries of a graph.
pub(crate) fn entries(rid: Rid, graph: &Graph) -> Sides<Pair> {
    let mut sides = Sides {
        predicates: Vec::with_capacity(graph.len()),
        objects: Vec::new(),
    };
    for triple in graph.index_entries() {
        sides
            .predicates
            .push((triple.predicate, entry(rid, triple.object as u16)));
        if triple.object_is_iri {
            sides
                .objects
                .push((triple.object, entry(rid, triple.predicate as u16)));
        }
    }
    for side in [&mut sides.predicates, &mut sides.objects] {
        side.sort_unstable();
        side.dedup();
    }
    sides
}

/// What leads from one set of entries to another.
pub(crate) fn changes(old: &Sides<Pair>, new: &Sides<Pair>) -> Sides<Change> {
    Sides {
        predicates: difference(&old.predicates, &new.predicates),
        objects: difference(&old.objects, &new.objects),
    }
}

fn difference(mut old: &[Pair], mut new: &[Pair]) -> Vec<Change> {
    let mut out = Vec::new();
    loop {
        let (pair, present) = match (old.first(), new.first()) {
            (None, None) => return out,
            (Some(a), Some(b)) if a == b => {
                (old, new) = (&old[1..], &new[1..]);
                continue;
            }
            (Some(a), Some(b)) if a < b => (a, false),
            (Some(a), None) => (a, false),
            (_, Some(b)) => (b, true),
        };
        out.push(Change {
            pair: *pair,
            present,
        });
        if present {
            new = &new[1..]
        } else {
            old = &old[1..]
        }
    }
}

/// The changes of one key.
pub(crate) fn of_key(changes: &[Change], key: u64) -> &[Change] {
    let start = changes.partition_point(|c| c.pair.0 < key);
    let len = changes[start..].partition_point(|c| c.pair.0 == key);
    &changes[start..start + len]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_leads_from_one_set_to_the_other() {
        let old = [(1, 1), (1, 2), (3, 1), (9, 9)];
        let new = [(0, 5), (1, 2), (3, 2)];
        let mut set: std::collections::BTreeSet<Pair> = old.into_iter().collect();
        let changes = difference(&old, &new);
        assert!(changes.is_sorted_by_key(|c| c.pair));
        for change in &changes {
            let changed = if change.present {
                set.insert(change.pair)
            } else {
                set.remove(&change.pair)
            };
            assert!(changed, "{change:?} changes nothing");
        }
        assert_eq!(set.into_iter().collect::<Vec<_>>(), new);
        assert_eq!(of_key(&changes, 3).len(), 2);
        assert_eq!(of_key(&changes, 2).len(), 0);
    }
}
