//! NOMT behind the benches of the subsystem.

use std::path::Path;
use std::thread::available_parallelism;

use bitvec::view::BitView;
use nomt::hasher::{NodeHasher, Sha2Hasher, ValueHasher};
use nomt::proof::PathProof;
use nomt::trie::{InternalData, LeafData, Node, NodeKind};
use nomt::{IoUringPermission, KeyReadWrite, Nomt, Options, Session, SessionParams};
use rustbench::count::{self, Kind};
use rustbench::{Bytes32, Pair, Result, Trie, sha256};

/// NOMT's own SHA-256 hasher; nodes are counted, values are not.
struct Counted;

impl NodeHasher for Counted {
    fn hash_leaf(data: &LeafData) -> Node {
        count::add(Kind::Hashes, 1);
        Sha2Hasher::hash_leaf(data)
    }

    fn hash_internal(data: &InternalData) -> Node {
        count::add(Kind::Hashes, 1);
        Sha2Hasher::hash_internal(data)
    }

    fn node_kind(node: &Node) -> NodeKind {
        Sha2Hasher::node_kind(node)
    }
}

impl ValueHasher for Counted {
    fn hash_value(value: &[u8]) -> Bytes32 {
        Sha2Hasher::hash_value(value)
    }
}

struct Database {
    /// Reads and proves, and becomes the next commit. None only while a commit is under way.
    session: Option<Session<Counted>>,
    nomt: Nomt<Counted>,
}

impl Database {
    fn session(&self) -> Result<&Session<Counted>> {
        self.session
            .as_ref()
            .ok_or_else(|| "an earlier commit failed".into())
    }
}

impl Trie for Database {
    type Proof = PathProof;
    const DURABLE: bool = true;
    const PROVES_ABSENCE: bool = true;

    fn open(dir: &Path, keys: usize) -> Result<Self> {
        match nomt::check_iou_permissions() {
            IoUringPermission::Allowed => {}
            IoUringPermission::Denied => return Err("io_uring is forbidden here".into()),
            IoUringPermission::NotSupported => {
                return Err("io_uring needs Linux 6.0 or newer".into());
            }
        }
        let mut options = Options::new();
        options.path(dir.join("nomt"));
        options.bitbox_seed([0; 16]);
        options.commit_concurrency(available_parallelism()?.get());
        // A page of 4 KiB holds six levels. Below 20 leaves it is not stored, so that there is a page
        // for 40 keys or more; a bucket for 8 keys keeps the table from growing. The default,
        // 64,000, would write 256 MiB of zeros at every start.
        options.hashtable_buckets((keys / 8).max(1000) as u32);
        let nomt = Nomt::open(options)?;
        let session = Some(nomt.begin_session(SessionParams::default()));
        Ok(Database { session, nomt })
    }

    fn commit(&mut self, pairs: &[Pair]) -> Result<Bytes32> {
        let mut writes: Vec<_> = pairs
            .iter()
            .map(|(key, value)| (sha256(key), KeyReadWrite::Write(Some(value.to_vec()))))
            .collect();
        writes.sort_unstable_by_key(|(path, _)| *path);
        let session = self.session.take().ok_or("an earlier commit failed")?;
        let finished = session.finish(writes)?;
        let root = finished.root().into_inner();
        finished.commit(&self.nomt)?;
        self.session = Some(self.nomt.begin_session(SessionParams::default()));
        Ok(root)
    }

    fn get(&mut self, key: &Bytes32) -> Result<Option<Bytes32>> {
        let value = self.session()?.read(sha256(key))?;
        Ok(value
            .map(Bytes32::try_from)
            .transpose()
            .map_err(|_| "a value of another length")?)
    }

    fn prove(&mut self, key: &Bytes32) -> Result<PathProof> {
        Ok(self.session()?.prove(sha256(key))?)
    }

    fn verify(root: &Bytes32, key: &Bytes32, value: Option<&Bytes32>, proof: &PathProof) -> bool {
        let path = sha256(key);
        let Ok(proved) = proof.verify::<Counted>(path.view_bits(), *root) else {
            return false;
        };
        let shown = match value {
            Some(value) => {
                let value_hash = Counted::hash_value(value);
                proved.confirm_value(&LeafData {
                    key_path: path,
                    value_hash,
                })
            }
            None => proved.confirm_nonexistence(&path),
        };
        shown.unwrap_or(false)
    }

    fn tamper(proof: &mut PathProof) {
        proof.siblings[0][0] ^= 1;
    }

    /// Pages are mapped beside the heap.
    fn memory() -> u64 {
        rustbench::resident_bytes()
    }
}

fn main() -> Result<()> {
    rustbench::run::<Database>()
}
