//! The workloads. One process runs one of them and prints its numbers as JSON lines, or checks the trie.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use crate::count::{Kind, total};
use crate::process::{cpu_seconds, written_bytes};
use crate::{Bytes32, Input, Pair, Result, Stream, Trie, check};

// How many operations there are, at most one for each key of the trie: as in package `triebench`.
const GETS: usize = 200_000;
const PROOFS: usize = 50_000;
/// So many keys are updated, in commits of a batch.
fn updates(batch: usize, durable: bool) -> usize {
    match (batch, durable) {
        (..1000, true) => 200,
        (..100, false) => 2000,
        (100..1000, false) => 20_000,
        _ => 50_000,
    }
}
const CHECKS: usize = 200;

const USAGE: &str = "usage: bench fill|get_hit|get_miss|prove_hit|prove_miss KEYS SEED
       bench update_commit|durable_commit KEYS SEED BATCH
       bench check";

/// The `main` of a peer: runs the workload that the arguments name, in the current directory, or checks
/// the trie, in a temporary one.
///
/// # Errors
/// Wrong arguments, a failure of the trie, and a result that is not the expected one.
///
/// # Panics
/// When a check fails.
pub fn run<T: Trie>() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [workload, numbers @ ..] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    if workload == "check" && numbers.is_empty() {
        check::all::<T>();
        return Ok(());
    }
    let numbers: Vec<u64> = numbers
        .iter()
        .map(|text| text.parse())
        .collect::<std::result::Result<_, _>>()?;
    for (metric, value) in measure::<T>(workload, &numbers, Path::new("."))? {
        println!("{{\"metric\": \"{metric}\", \"value\": {value}}}");
    }
    Ok(())
}

type Metrics = Vec<(&'static str, f64)>;

fn measure<T: Trie>(workload: &str, numbers: &[u64], dir: &Path) -> Result<Metrics> {
    let [keys, seed, batch @ ..] = numbers else {
        return Err(USAGE.into());
    };
    if *keys == 0 || batch == [0] {
        return Err("keys and batch must not be 0".into());
    }
    let mut bench = Bench::<T>::new(*keys as usize, *seed, dir)?;
    match (workload, batch) {
        ("fill", []) => bench.fill()?,
        ("get_hit" | "get_miss", []) => bench.get(workload == "get_hit")?,
        ("prove_hit" | "prove_miss", []) => bench.prove(workload == "prove_hit")?,
        ("update_commit", &[batch]) => bench.update(batch as usize, false)?,
        ("durable_commit", &[batch]) if T::DURABLE => bench.update(batch as usize, true)?,
        ("durable_commit", _) => return Err("a commit of this trie is not on disk".into()),
        _ => return Err(USAGE.into()),
    }
    bench.after();
    if T::DURABLE {
        bench = bench.reopened(dir)?;
    }
    bench.check()?;
    Ok(bench.metrics)
}

struct Bench<T: Trie> {
    input: Input,
    trie: T,
    root: Bytes32,
    pairs: Vec<Pair>,
    memory_before: u64,
    metrics: Metrics,
}

impl<T: Trie> Bench<T> {
    fn new(keys: usize, seed: u64, dir: &Path) -> Result<Self> {
        let input = Input { seed };
        let pairs = input.pairs(Stream::Present, keys);
        let memory_before = T::memory();
        let trie = T::open(dir, keys)?;
        Ok(Bench {
            input,
            trie,
            root: [0; 32],
            pairs,
            memory_before,
            metrics: Vec::new(),
        })
    }

    fn fill(&mut self) -> Result<()> {
        self.timed(|bench| {
            bench.root = bench.trie.commit(&bench.pairs)?;
            Ok(bench.pairs.len())
        })
    }

    fn get(&mut self, hit: bool) -> Result<()> {
        self.root = self.trie.commit(&self.pairs)?;
        let asked = self.asked(hit, GETS);
        let expected: Vec<_> = asked
            .iter()
            .map(|(_, value)| value.as_ref().map(T::kept))
            .collect();
        self.timed(|bench| {
            for ((key, _), expected) in asked.iter().zip(&expected) {
                if bench.trie.get(key)? != *expected {
                    return Err("a get found something else than was set".into());
                }
            }
            Ok(asked.len())
        })
    }

    fn prove(&mut self, hit: bool) -> Result<()> {
        self.root = self.trie.commit(&self.pairs)?;
        let asked = self.asked(hit, PROOFS);
        self.timed(|bench| {
            for (key, _) in &asked {
                black_box(bench.trie.prove(key)?);
            }
            Ok(asked.len())
        })?;
        asked
            .iter()
            .take(CHECKS)
            .try_for_each(|(key, value)| self.check_proof(key, value.as_ref()))
    }

    fn update(&mut self, batch: usize, durable: bool) -> Result<()> {
        self.root = self.trie.commit(&self.pairs)?;
        let count = updates(batch, durable).min(self.pairs.len());
        let values = self.input.pairs(Stream::Changed, count);
        let mut updates = Vec::with_capacity(count);
        for (i, (_, value)) in self.input.order(self.pairs.len()).into_iter().zip(values) {
            self.pairs[i].1 = value;
            updates.push(self.pairs[i]);
        }
        self.timed(|bench| {
            for pairs in updates.chunks(batch) {
                bench.root = bench.trie.commit(pairs)?;
            }
            Ok(count)
        })
    }

    /// Keys in random order with their values, or absent keys.
    fn asked(&self, hit: bool, most: usize) -> Vec<(Bytes32, Option<Bytes32>)> {
        let count = self.pairs.len().min(most);
        if !hit {
            let absent = self.input.pairs(Stream::Absent, count).into_iter();
            return absent.map(|(key, _)| (key, None)).collect();
        }
        let order = self.input.order(self.pairs.len()).into_iter().take(count);
        order
            .map(|i| (self.pairs[i].0, Some(self.pairs[i].1)))
            .collect()
    }

    /// Runs `work`, which returns the number of its operations, and keeps its numbers.
    fn timed(&mut self, work: impl FnOnce(&mut Self) -> Result<usize>) -> Result<()> {
        const COUNTERS: [(&str, Kind); 3] = [
            ("allocs_per_op", Kind::Allocations),
            ("heap_bytes_per_op", Kind::AllocatedBytes),
            ("hashes_per_op", Kind::Hashes),
        ];
        let counted = COUNTERS.map(|(_, kind)| total(kind));
        let written = written_bytes()?;
        let (cpu, start) = (cpu_seconds(), Instant::now());
        let operations = work(self)? as f64;
        let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        let written = if T::DURABLE {
            written_bytes()? - written
        } else {
            0
        };

        let mut metrics = vec![
            ("seconds", seconds / operations),
            ("cpu_seconds", cpu / operations),
        ];
        for ((name, kind), before) in COUNTERS.into_iter().zip(counted) {
            metrics.push((name, (total(kind) - before) as f64 / operations));
        }
        metrics.push(("written_bytes_per_op", written as f64 / operations));
        self.metrics = metrics;
        Ok(())
    }

    /// The numbers that are taken when the input of the timed work is gone.
    fn after(&mut self) {
        let memory = T::memory().saturating_sub(self.memory_before);
        self.metrics
            .push(("memory_per_key", memory as f64 / self.pairs.len() as f64));
        let mut prefix = [0; 8];
        prefix[2..].copy_from_slice(&self.root[..6]);
        self.metrics
            .push(("root_prefix", u64::from_be_bytes(prefix) as f64));
    }

    /// The same with the trie closed and opened again.
    fn reopened(self, dir: &Path) -> Result<Self> {
        let Bench {
            input,
            trie,
            root,
            pairs,
            memory_before,
            metrics,
        } = self;
        drop(trie);
        let trie = T::open(dir, pairs.len())?;
        Ok(Bench {
            input,
            trie,
            root,
            pairs,
            memory_before,
            metrics,
        })
    }

    /// Sampled keys have the values that were set last, and proofs that verify against the root.
    fn check(&mut self) -> Result<()> {
        for i in self.input.order(self.pairs.len()).into_iter().take(CHECKS) {
            let (key, value) = self.pairs[i];
            if self.trie.get(&key)? != Some(T::kept(&value)) {
                return Err("a key does not have the value that was set last".into());
            }
            self.check_proof(&key, Some(&value))?;
        }
        Ok(())
    }

    fn check_proof(&mut self, key: &Bytes32, value: Option<&Bytes32>) -> Result<()> {
        let proof = self.trie.prove(key)?;
        if !T::verify(&self.root, key, value, &proof) {
            return Err("a proof does not verify".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use crate::check::Scratch;
    use crate::{Error, sha256};

    /// A sorted map. Its root is a hash over all pairs, and its proofs are all pairs.
    struct Map(BTreeMap<Bytes32, Bytes32>);

    impl Map {
        fn root(pairs: &BTreeMap<Bytes32, Bytes32>) -> Bytes32 {
            sha256(
                &pairs
                    .iter()
                    .flat_map(|(key, value)| [*key, *value].concat())
                    .collect::<Vec<_>>(),
            )
        }
    }

    impl Trie for Map {
        type Proof = BTreeMap<Bytes32, Bytes32>;
        const DURABLE: bool = false;
        const PROVES_ABSENCE: bool = true;

        fn open(_: &Path, _: usize) -> Result<Self> {
            Ok(Map(BTreeMap::new()))
        }

        fn commit(&mut self, pairs: &[Pair]) -> Result<Bytes32> {
            self.0.extend(pairs.iter().copied());
            Ok(Map::root(&self.0))
        }

        fn get(&mut self, key: &Bytes32) -> Result<Option<Bytes32>> {
            Ok(self.0.get(key).copied())
        }

        fn prove(&mut self, _: &Bytes32) -> Result<Self::Proof> {
            Ok(self.0.clone())
        }

        fn verify(
            root: &Bytes32,
            key: &Bytes32,
            value: Option<&Bytes32>,
            proof: &Self::Proof,
        ) -> bool {
            Map::root(proof) == *root && proof.get(key) == value
        }

        fn tamper(proof: &mut Self::Proof) {
            proof.clear();
        }
    }

    fn measured(workload: &str, numbers: &[u64]) -> Result<BTreeMap<&'static str, f64>> {
        let dir = Scratch::new("bench");
        Ok(measure::<Map>(workload, numbers, dir.path())?
            .into_iter()
            .collect())
    }

    #[test]
    fn every_workload_has_the_same_metrics() {
        let names = |workload, numbers: &[u64]| -> Vec<&str> {
            measured(workload, numbers).unwrap().into_keys().collect()
        };
        let fill = names("fill", &[50, 1]);
        assert_eq!(fill.len(), 8);
        for workload in ["get_hit", "get_miss", "prove_hit", "prove_miss"] {
            assert_eq!(names(workload, &[50, 1]), fill);
        }
        assert_eq!(names("update_commit", &[50, 1, 7]), fill);
    }

    #[test]
    fn the_root_is_that_of_the_updated_keys() {
        let root = |workload, numbers: &[u64]| measured(workload, numbers).unwrap()["root_prefix"];
        assert_eq!(root("fill", &[50, 1]), root("get_miss", &[50, 1]));
        assert_ne!(root("fill", &[50, 1]), root("fill", &[50, 2]));
        assert_ne!(root("fill", &[50, 1]), root("update_commit", &[50, 1, 50]));
        assert_eq!(
            root("update_commit", &[50, 1, 1]),
            root("update_commit", &[50, 1, 50])
        );
    }

    #[test]
    fn wrong_arguments_are_refused() {
        let told = |result: Result<_>| -> String {
            result
                .map(|_: BTreeMap<_, _>| ())
                .map_err(|e: Error| e.to_string())
                .unwrap_err()
        };
        assert_eq!(told(measured("fill", &[50])), USAGE);
        assert_eq!(told(measured("sort", &[50, 1])), USAGE);
        assert_eq!(told(measured("update_commit", &[50, 1])), USAGE);
        assert_eq!(
            told(measured("update_commit", &[50, 1, 0])),
            "keys and batch must not be 0"
        );
        assert_eq!(
            told(measured("durable_commit", &[50, 1, 7])),
            "a commit of this trie is not on disk"
        );
    }
}
