//! Monotree behind the benches of the subsystem.

use std::path::Path;

use monotree::database::MemoryDB;
use monotree::hasher::Sha2;
use monotree::{Hasher, Monotree, Proof, verify_proof};
use rustbench::count::{self, Kind};
use rustbench::{Bytes32, Pair, Result, Trie, sha256};

/// Monotree's own SHA-256 hasher, counted. It hashes nodes only.
struct Counted(Sha2);

impl Hasher for Counted {
    fn new() -> Self {
        Counted(Sha2::new())
    }

    fn digest(&self, bytes: &[u8]) -> Bytes32 {
        count::add(Kind::Hashes, 1);
        self.0.digest(bytes)
    }
}

struct Tree {
    tree: Monotree<MemoryDB, Counted>,
    root: Option<Bytes32>,
}

impl Trie for Tree {
    type Proof = Option<Proof>;
    const DURABLE: bool = false;
    const PROVES_ABSENCE: bool = false;

    fn open(_: &Path, _: usize) -> Result<Self> {
        Ok(Tree {
            tree: Monotree::new(""),
            root: None,
        })
    }

    fn commit(&mut self, pairs: &[Pair]) -> Result<Bytes32> {
        let (paths, leaves): (Vec<_>, Vec<_>) = pairs
            .iter()
            .map(|(key, value)| (sha256(key), sha256(value)))
            .unzip();
        self.root = self.tree.inserts(self.root.as_ref(), &paths, &leaves)?;
        Ok(self.root.ok_or("the tree is empty")?)
    }

    fn get(&mut self, key: &Bytes32) -> Result<Option<Bytes32>> {
        Ok(self.tree.get(self.root.as_ref(), &sha256(key))?)
    }

    fn prove(&mut self, key: &Bytes32) -> Result<Self::Proof> {
        Ok(self
            .tree
            .get_merkle_proof(self.root.as_ref(), &sha256(key))?)
    }

    fn verify(root: &Bytes32, _: &Bytes32, value: Option<&Bytes32>, proof: &Self::Proof) -> bool {
        value.is_some_and(|value| {
            verify_proof(&Counted::new(), Some(root), &sha256(value), proof.as_ref())
        })
    }

    fn tamper(proof: &mut Option<Proof>) {
        if let Some(steps) = proof {
            steps[0].1[0] ^= 1;
        }
    }

    fn kept(value: &Bytes32) -> Bytes32 {
        sha256(value)
    }
}

fn main() -> Result<()> {
    rustbench::run::<Tree>()
}
