//! The Jellyfish Merkle tree of crate `jmt` behind the benches of the subsystem.

use std::collections::HashMap;
use std::path::Path;

use jmt::proof::SparseMerkleProof;
use jmt::storage::{LeafNode, Node, NodeKey, TreeReader, TreeUpdateBatch};
use jmt::{JellyfishMerkleTree, KeyHash, OwnedValue, RootHash, SimpleHasher, Version};
use rustbench::count::{self, Kind};
use rustbench::{Bytes32, Pair, Result, Trie, sha256};
use sha2::{Digest, Sha256};

/// SHA-256. Nodes, which are hashed in parts, are counted; values, hashed by `hash`, are not.
struct Counted(Sha256);

impl SimpleHasher for Counted {
    fn new() -> Self {
        Counted(Digest::new())
    }

    fn update(&mut self, data: &[u8]) {
        Digest::update(&mut self.0, data);
    }

    fn finalize(self) -> Bytes32 {
        count::add(Kind::Hashes, 1);
        Digest::finalize(self.0).into()
    }

    fn hash(data: impl AsRef<[u8]>) -> Bytes32 {
        sha256(data.as_ref())
    }
}

/// The nodes and values of the newest version. The crate leaves storing to its users.
#[derive(Default)]
struct Store {
    nodes: HashMap<NodeKey, Node>,
    values: HashMap<KeyHash, OwnedValue>,
}

impl Store {
    fn apply(&mut self, changes: TreeUpdateBatch) {
        for stale in &changes.stale_node_index_batch {
            self.nodes.remove(&stale.node_key);
        }
        for (key, node) in changes.node_batch.nodes() {
            self.nodes.insert(key.clone(), node.clone());
        }
        for ((_, key), value) in changes.node_batch.values() {
            match value {
                Some(value) => self.values.insert(*key, value.clone()),
                None => self.values.remove(key),
            };
        }
    }
}

impl TreeReader for Store {
    fn get_node_option(&self, key: &NodeKey) -> anyhow::Result<Option<Node>> {
        Ok(self.nodes.get(key).cloned())
    }

    fn get_value_option(&self, _: Version, key: KeyHash) -> anyhow::Result<Option<OwnedValue>> {
        Ok(self.values.get(&key).cloned())
    }

    fn get_rightmost_leaf(&self) -> anyhow::Result<Option<(NodeKey, LeafNode)>> {
        anyhow::bail!("asked for only when a tree is restored")
    }
}

#[derive(Default)]
struct Tree {
    store: Store,
    versions: Version,
}

impl Tree {
    fn view(&self) -> JellyfishMerkleTree<'_, Store, Counted> {
        JellyfishMerkleTree::new(&self.store)
    }

    fn newest(&self) -> Result<Version> {
        self.versions
            .checked_sub(1)
            .ok_or_else(|| "nothing is committed yet".into())
    }
}

impl Trie for Tree {
    type Proof = SparseMerkleProof<Counted>;
    const DURABLE: bool = false;
    const PROVES_ABSENCE: bool = true;

    fn open(_: &Path, _: usize) -> Result<Self> {
        Ok(Tree::default())
    }

    fn commit(&mut self, pairs: &[Pair]) -> Result<Bytes32> {
        let values = pairs
            .iter()
            .map(|(key, value)| (KeyHash(sha256(key)), Some(value.to_vec())));
        let (root, changes) = self.view().put_value_set(values, self.versions)?;
        self.store.apply(changes);
        self.versions += 1;
        Ok(root.0)
    }

    fn get(&mut self, key: &Bytes32) -> Result<Option<Bytes32>> {
        let value = self.view().get(KeyHash(sha256(key)), self.newest()?)?;
        Ok(value
            .map(Bytes32::try_from)
            .transpose()
            .map_err(|_| "a value of another length")?)
    }

    fn prove(&mut self, key: &Bytes32) -> Result<Self::Proof> {
        Ok(self
            .view()
            .get_with_proof(KeyHash(sha256(key)), self.newest()?)?
            .1)
    }

    fn verify(root: &Bytes32, key: &Bytes32, value: Option<&Bytes32>, proof: &Self::Proof) -> bool {
        proof
            .verify(RootHash(*root), KeyHash(sha256(key)), value)
            .is_ok()
    }

    /// Changes the last byte: of the sibling next to the root.
    fn tamper(proof: &mut SparseMerkleProof<Counted>) {
        let mut bytes = borsh::to_vec(proof).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        *proof = borsh::from_slice(&bytes).unwrap();
    }
}

fn main() -> Result<()> {
    rustbench::run::<Tree>()
}
