//! What the benches of the Rust peers share: the input, the workloads, the counters, the checks.
//!
//! A peer implements [`Trie`] over one crate. Its `main` is [`run`].

mod bench;
mod check;
pub mod count;
mod input;
mod process;

use std::path::Path;

use sha2::{Digest, Sha256};

pub use bench::run;
pub use input::{Input, Pair, Stream};
pub use process::resident_bytes;

/// A key, a value, or a digest.
pub type Bytes32 = [u8; 32];
pub type Error = Box<dyn std::error::Error + Send + Sync>;
pub type Result<T> = std::result::Result<T, Error>;

/// An authenticated map from keys to values of 32 bytes, as a crate offers it.
///
/// Hashing a key to its path, and a value where the crate does not do so itself, is the work of the
/// methods: it is timed in all engines.
pub trait Trie: Sized {
    type Proof;

    /// Whether a commit is on disk when it returns.
    const DURABLE: bool;
    /// Whether the crate can prove that a key is absent.
    const PROVES_ABSENCE: bool;

    /// An empty trie, or what was committed to `dir` before. About `keys` keys are to come.
    fn open(dir: &Path, keys: usize) -> Result<Self>;

    /// Sets the pairs, whose keys are distinct, and makes them a version. Returns its root.
    fn commit(&mut self, pairs: &[Pair]) -> Result<Bytes32>;

    /// What the trie keeps for `key`: [`Trie::kept`] of its value, or nothing when it is absent.
    fn get(&mut self, key: &Bytes32) -> Result<Option<Bytes32>>;

    fn prove(&mut self, key: &Bytes32) -> Result<Self::Proof>;

    /// Whether `proof` shows that `key` has `value`, or with `None` that it is absent.
    fn verify(root: &Bytes32, key: &Bytes32, value: Option<&Bytes32>, proof: &Self::Proof) -> bool;

    /// Changes a bit of a proof, so that it must not hold any more.
    fn tamper(proof: &mut Self::Proof);

    /// What the trie keeps of a value: itself, or its hash.
    fn kept(value: &Bytes32) -> Bytes32 {
        *value
    }

    /// Bytes of memory in use. The growth from before `open` is that of the trie.
    fn memory() -> u64 {
        count::total(count::Kind::AllocatedBytes) - count::total(count::Kind::FreedBytes)
    }
}

pub fn sha256(bytes: &[u8]) -> Bytes32 {
    Sha256::digest(bytes).into()
}
