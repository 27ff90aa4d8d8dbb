//! What every trie must do before it is measured.

use std::path::{Path, PathBuf};

use crate::{Bytes32, Input, Pair, Stream, Trie};

const KEYS: usize = 2000;
const INPUT: Input = Input { seed: 20 };

/// A directory that is removed when it goes out of scope.
pub struct Scratch(PathBuf);

impl Scratch {
    /// # Panics
    /// When the directory cannot be made.
    pub fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("rustbench-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        Scratch(dir)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Checks a trie of some thousand keys.
///
/// # Panics
/// When the trie fails, or does something else than it must.
pub fn all<T: Trie>() {
    gets_and_proofs::<T>();
    root_depends_on_contents_only::<T>();
    if T::DURABLE {
        commits_are_found_after_reopening::<T>();
    }
}

/// Present keys are found and proved, absent ones are not found and, where it can be, proved absent.
/// No proof holds for another value, key or root, nor after it was tampered with.
fn gets_and_proofs<T: Trie>() {
    let dir = Scratch::new("proofs");
    let mut trie = T::open(dir.path(), KEYS).unwrap();
    let (present, absent) = (
        INPUT.pairs(Stream::Present, KEYS),
        INPUT.pairs(Stream::Absent, KEYS),
    );
    let other_root = trie.commit(&present[..KEYS / 2]).unwrap();
    let root = trie.commit(&present[KEYS / 2..]).unwrap();
    for ((key, value), (absent_key, other_value)) in present.iter().zip(&absent) {
        assert_eq!(trie.get(key).unwrap(), Some(T::kept(value)));
        let mut proof = trie.prove(key).unwrap();
        let holds = |root, key, value| T::verify(root, key, value, &proof);
        assert!(holds(&root, key, Some(value)), "a present key");
        assert!(!holds(&root, key, Some(other_value)), "another value");
        assert!(!holds(&root, absent_key, Some(other_value)), "another key");
        assert!(!holds(&other_root, key, Some(value)), "another root");
        assert!(!holds(&root, key, None), "present, not absent");
        T::tamper(&mut proof);
        assert!(!T::verify(&root, key, Some(value), &proof), "tampered with");
    }
    for (key, value) in &absent {
        assert_eq!(trie.get(key).unwrap(), None);
        let mut proof = trie.prove(key).unwrap();
        assert!(
            !T::verify(&root, key, Some(value), &proof),
            "absent, not present"
        );
        assert_eq!(
            T::verify(&root, key, None, &proof),
            T::PROVES_ABSENCE,
            "an absent key"
        );
        T::tamper(&mut proof);
        assert!(
            !T::verify(&root, key, None, &proof),
            "absence, tampered with"
        );
    }
}

/// The root depends on the contents only: not on the order of insertion, nor on the batches, nor on
/// what a value was before.
fn root_depends_on_contents_only<T: Trie>() {
    let built = |commits: &[&[Pair]]| -> Bytes32 {
        let dir = Scratch::new("roots");
        let mut trie = T::open(dir.path(), KEYS).unwrap();
        let mut root = [0; 32];
        for pairs in commits {
            root = trie.commit(pairs).unwrap();
        }
        root
    };
    let first = INPUT.pairs(Stream::Present, KEYS);
    let new_values = INPUT.pairs(Stream::Changed, KEYS).into_iter();
    let mut last: Vec<Pair> = first
        .iter()
        .zip(new_values)
        .map(|((key, _), (_, value))| (*key, value))
        .collect();
    let fresh = built(&[&last]);
    assert_eq!(
        built(&[&first, &last[KEYS / 2..], &last[..KEYS / 2]]),
        fresh
    );
    last.reverse();
    assert_eq!(built(&last.chunks(50).collect::<Vec<_>>()), fresh);
    assert_eq!(
        built(&last[..100].chunks(1).collect::<Vec<_>>()),
        built(&[&last[..100]])
    );
    last[7].1[0] ^= 1;
    assert_ne!(built(&[&last]), fresh);
}

/// A durable trie has its last commit when it is opened again.
fn commits_are_found_after_reopening<T: Trie>() {
    let dir = Scratch::new("reopened");
    let pairs = INPUT.pairs(Stream::Present, KEYS);
    let mut roots = Vec::new();
    for half in pairs.chunks(KEYS / 2) {
        roots.push(T::open(dir.path(), KEYS).unwrap().commit(half).unwrap());
    }
    let mut trie = T::open(dir.path(), KEYS).unwrap();
    for (key, value) in &pairs {
        assert_eq!(trie.get(key).unwrap(), Some(T::kept(value)));
        let proof = trie.prove(key).unwrap();
        assert!(T::verify(&roots[1], key, Some(value), &proof));
    }
}
