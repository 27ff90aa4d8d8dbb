//! Logs that are cut, flipped and torn: what was whole is there, what was not leaves nothing.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::*;
use ldp_rdf::{Graph, NamedNode, Triple};
use ldp_store::{Error, Op, Options, Store};

const HEADER: usize = 4096;

fn held() -> Options {
    Options {
        apply: false,
        ..options()
    }
}

/// A store whose log holds `count` + 1 records, none of them in LMDB; what the last but one and the
/// last showed.
fn logged(dir: &Dir, count: u64) -> (String, String) {
    let store = Store::open(dir.path(), held()).unwrap();
    fill(&store, count - 1);
    let before = dump(&store.snapshot());
    // Short, for each of its bytes is tried.
    let iri = NamedNode::new_unchecked("a:b");
    let graph = Graph::encode(&[Triple::new(iri.clone(), iri.clone(), iri)]);
    put(&store, &[Op::Put(resource(count, "/last"), Some(graph))]);
    let after = dump(&store.snapshot());
    store.close().unwrap();
    (before, after)
}

fn segment(dir: &Path) -> PathBuf {
    let mut found: Vec<_> = fs::read_dir(dir.join("log"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "log"))
        .collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

/// Where the records of a segment begin, and where the last one ends.
fn records(bytes: &[u8]) -> Vec<usize> {
    let mut ends = vec![HEADER];
    loop {
        let at = *ends.last().unwrap();
        let len = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        if len == 0 {
            return ends;
        }
        ends.push(at + 16 + len);
    }
}

/// Opens the store with another log, and gives what it shows.
fn opened(dir: &Dir, log: &Path, bytes: &[u8]) -> Result<String, Error> {
    fs::write(log, bytes).unwrap();
    let store = Store::open(dir.path(), held())?;
    let shown = dump(&store.snapshot());
    store.close()?;
    Ok(shown)
}

#[test]
fn a_last_record_that_is_cut_or_flipped_anywhere_is_gone_as_a_whole() {
    let dir = Dir::new("cut");
    let (before, after) = logged(&dir, 3);
    let log = segment(dir.path());
    let whole = fs::read(&log).unwrap();
    let ends = records(&whole);
    assert_eq!(ends.len(), 5);
    let (start, end) = (ends[3], ends[4]);
    let used = &whole[..end + 64];
    assert_eq!(opened(&dir, &log, used).unwrap(), after);
    for at in start..end {
        let cut = opened(&dir, &log, &used[..at]).unwrap();
        assert_eq!(cut, before, "cut at {at}");
        let mut flipped = used.to_vec();
        flipped[at] ^= 1 << (at % 8);
        assert_eq!(
            opened(&dir, &log, &flipped).unwrap(),
            before,
            "flipped at {at}"
        );
        let mut torn = used.to_vec();
        torn[at..end].fill(0);
        // A tail of zeros changes nothing if the record ends with zeros.
        let expected = if torn[..end] == used[..end] {
            &after
        } else {
            &before
        };
        assert_eq!(
            &opened(&dir, &log, &torn).unwrap(),
            expected,
            "zeros from {at}"
        );
    }
    for at in (0..28).chain([HEADER - 1]) {
        let mut flipped = used.to_vec();
        flipped[at] ^= 1;
        let opened = opened(&dir, &log, &flipped);
        match at {
            0..28 => assert!(
                matches!(opened, Err(Error::Damaged { .. })),
                "header at {at}"
            ),
            _ => assert_eq!(opened.unwrap(), after),
        }
    }
}

#[test]
fn after_a_cut_nothing_of_the_old_tail_comes_back() {
    let dir = Dir::new("tail");
    let (before, _) = logged(&dir, 3);
    let log = segment(dir.path());
    let mut bytes = fs::read(&log).unwrap();
    let ends = records(&bytes);
    // The last but one is torn, the last one is whole: both go, for good.
    bytes[ends[2] + 20] ^= 1;
    fs::write(&log, &bytes).unwrap();
    let store = Store::open(dir.path(), held()).unwrap();
    assert_eq!(store.snapshot().children_count(0).unwrap(), 1);
    put(&store, &[child(2)]);
    assert_eq!(dump(&store.snapshot()), before);
    store.close().unwrap();
    for apply in [false, true] {
        let store = Store::open(dir.path(), Options { apply, ..options() }).unwrap();
        assert_eq!(dump(&store.snapshot()), before);
        store.close().unwrap();
    }
}

#[test]
fn damage_that_shows_that_more_was_there_is_an_error() {
    let dir = Dir::new("before");
    let store = Store::open(dir.path(), held()).unwrap();
    fill(&store, 2);
    store.checkpoint().unwrap();
    let all = dump(&store.snapshot());
    put(&store, &[child(3)]);
    store.close().unwrap();
    // A flip in a record that is in LMDB hides the one behind it that is not.
    let log = segment(dir.path());
    let mut bytes = fs::read(&log).unwrap();
    bytes[HEADER + 20] ^= 1;
    fs::write(&log, &bytes).unwrap();
    let refused = Store::open(dir.path(), held()).err();
    assert!(
        matches!(refused, Some(Error::Damaged { .. })),
        "{refused:?}"
    );
    // Told to, it keeps what stands before the damage, and what LMDB has.
    let cut = Options {
        cut_damaged_log: true,
        ..options()
    };
    let store = Store::open(dir.path(), cut).unwrap();
    assert_eq!(dump(&store.snapshot()), all);
    put(&store, &[child(3)]);
    store.close().unwrap();
    let store = Store::open(dir.path(), options()).unwrap();
    assert_eq!(store.snapshot().children_count(0).unwrap(), 3);
    assert_eq!(store.check().unwrap().damages, [""; 0]);
}

#[test]
fn a_missing_segment_is_an_error() {
    let dir = Dir::new("missing");
    logged(&dir, 3);
    let first = segment(dir.path());
    // A second segment, for each opening begins one.
    let store = Store::open(dir.path(), held()).unwrap();
    put(&store, &[child(4)]);
    store.close().unwrap();
    let bytes = fs::read(&first).unwrap();
    fs::remove_file(&first).unwrap();
    let refused = Store::open(dir.path(), held()).err();
    assert!(
        matches!(refused, Some(Error::Damaged { .. })),
        "{refused:?}"
    );
    fs::write(&first, &bytes[..records(&bytes)[3]]).unwrap();
    let refused = Store::open(dir.path(), held()).err();
    assert!(
        matches!(refused, Some(Error::Damaged { .. })),
        "a record short: {refused:?}"
    );
    fs::write(&first, &bytes).unwrap();
    let store = Store::open(dir.path(), held()).unwrap();
    assert_eq!(store.snapshot().children_count(0).unwrap(), 4);
}
