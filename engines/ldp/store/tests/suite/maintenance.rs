//! Check, compact, reindex, backup.

use std::io::Read;
use std::time::Duration;

use crate::common::*;
use heed::types::Bytes;
use heed::{CommitOrAbort, EnvOpenOptions};
use ldp_store::{Model, Op, Options, State, Store, Version};

/// A store with something of each kind.
fn store(dir: &Dir) -> Store {
    let store = Store::open(dir.path(), options()).unwrap();
    fill(&store, 40);
    let content = store
        .put_content(&b"some bytes"[..], "text/plain", Some("a.txt"))
        .unwrap();
    let mut binary = resource(41, "/binary");
    binary.model = Model::Binary;
    binary.content = Some(content);
    let (mut dead, mut gone) = (resource(5, "/child 0005"), resource(6, "/child 0006"));
    dead.state = State::Tombstone;
    gone.state = State::Gone(5);
    let version = Version {
        at: 3,
        label: "v".to_owned(),
        resource: resource(7, "/child 0007"),
        graph: graph(70),
    };
    put(
        &store,
        &[
            Op::Put(binary, Some(graph(41))),
            Op::Put(dead, None),
            Op::Put(gone, None),
            Op::PutVersion(7, version),
            Op::Forget(8),
            Op::SetMeta("name".to_owned(), b"value".to_vec()),
        ],
    );
    store
}

fn damages(store: &Store) -> Vec<String> {
    store.check().unwrap().damages
}

#[test]
fn a_rebuilt_index_shows_the_same() {
    let dir = Dir::new("rebuild");
    let store = store(&dir);
    let old = store.snapshot();
    let first = dump(&old);
    let mut before = first.clone();
    store.checkpoint().unwrap();
    let stats = store.stats().unwrap();
    for round in 0..2 {
        if round == 0 {
            store.reindex().unwrap()
        } else {
            _ = store.compact(Duration::ZERO).unwrap()
        }
        assert!(dump(&store.snapshot()) == before, "round {round}");
        assert!(dump(&old) == first, "an older snapshot reads on");
        assert_eq!(damages(&store), [""; 0]);
        let now = store.stats().unwrap();
        assert_eq!(
            (now.records, now.predicate_entries, now.object_entries),
            (stats.records, stats.predicate_entries, stats.object_entries)
        );
        put(
            &store,
            &[Op::Put(
                resource(50 + round, &format!("/new {round}")),
                None,
            )],
        );
        put(
            &store,
            &[
                Op::Forget(50 + round),
                Op::SetMeta("name".to_owned(), b"value".to_vec()),
            ],
        );
        before = dump(&store.snapshot());
    }
    store.close().unwrap();
    let store = Store::open(dir.path(), options()).unwrap();
    assert_eq!(
        store.snapshot().meta("name").unwrap().as_deref(),
        Some(&b"value"[..])
    );
    assert_eq!(
        store.snapshot().next_rid(),
        52,
        "numbers of forgotten resources are not given again"
    );
    assert_eq!(damages(&store), [""; 0]);
}

#[test]
fn compaction_frees_pages_and_removes_only_unused_binaries() {
    let dir = Dir::new("compact");
    let store = store(&dir);
    let unused = store
        .put_content(&b"unused"[..], "text/plain", None)
        .unwrap();
    for round in 0..20 {
        let ops: Vec<Op> = (1..=40)
            .filter(|rid| *rid != 8)
            .map(|rid| {
                Op::Put(
                    resource(rid, &format!("/child {rid:04}")),
                    Some(graph(rid + round)),
                )
            })
            .collect();
        put(&store, &ops);
        store.checkpoint().unwrap();
    }
    let kept = store.compact(Duration::from_secs(3600)).unwrap();
    assert_eq!(kept.contents_removed, 0, "it is young");
    assert!(kept.index_after < kept.index_before, "{kept:?}");
    let removed = store.compact(Duration::ZERO).unwrap();
    assert_eq!(
        (removed.contents_removed, removed.content_bytes_removed),
        (1, 6)
    );
    assert!(store.open_content(&unused).is_err());
    let binary = store.snapshot().resource("/binary").unwrap().unwrap();
    let mut text = String::new();
    let mut file = store
        .open_content(binary.content.as_ref().unwrap())
        .unwrap();
    file.read_to_string(&mut text).unwrap();
    assert_eq!(text, "some bytes");
    assert_eq!(damages(&store), [""; 0]);
}

#[test]
fn a_backup_is_a_store_of_that_time() {
    let dir = Dir::new("backup");
    let store = store(&dir);
    let before = dump(&store.snapshot());
    let to = dir.path().join("copy");
    store.backup(&to).unwrap();
    assert!(store.backup(&to).is_err(), "nothing is overwritten");
    put(&store, &[Op::Forget(1)]);
    let copy = Store::open(
        &to,
        Options {
            create: false,
            ..options()
        },
    )
    .unwrap();
    assert_eq!(dump(&copy.snapshot()), before);
    assert_eq!(damages(&copy), [""; 0]);
}

#[test]
fn a_check_finds_what_is_wrong() {
    // Database, key, value: what is put there, or taken away when the value is none.
    let rid = |n: u64| n.to_be_bytes().to_vec();
    let pair = |a: u64, b: u64| [a.to_be_bytes(), b.to_be_bytes()].concat();
    let predicate = graph(3).index_entries().next().unwrap().predicate;
    type Change = (&'static str, Vec<u8>, Option<Vec<u8>>, &'static str);
    let changes: Vec<Change> = vec![
        ("records", rid(3), None, "graphs, expected"),
        (
            "records",
            rid(3),
            Some(b"\x09".to_vec()),
            "record 3 holds the model 9",
        ),
        (
            "graphs",
            rid(3),
            Some(b"rot".to_vec()),
            "the graph of /child 0003",
        ),
        ("graphs", rid(3), None, "`predicates` has"),
        (
            "graphs",
            rid(900),
            Some(graph(1).as_bytes().to_vec()),
            "graphs, expected",
        ),
        (
            "children",
            [rid(0), b"child 0003".to_vec()].concat(),
            None,
            "not listed by its parent",
        ),
        (
            "children",
            [rid(0), b"nothing".to_vec()].concat(),
            Some(rid(3)),
            "children are listed",
        ),
        ("counts", rid(0), Some(rid(1)), "0 counts Some(1) children"),
        ("counts", rid(0), None, "0 counts no children"),
        ("predicates", rid(predicate), None, "`predicates` has"),
        (
            "predicates",
            rid(predicate),
            Some(rid(77)),
            "`predicates` has",
        ),
        ("objects", rid(1), Some(rid(3)), "`objects` has"),
        ("uids", rid(1), Some(rid(3)), "`uids` has"),
        ("gone", rid(5), None, "`gone` has"),
        (
            "versions",
            pair(7, 3),
            Some(b"".to_vec()),
            "version 3 of 7 holds",
        ),
        (
            "versions",
            pair(99, 3),
            Some(b"".to_vec()),
            "which is not there",
        ),
        (
            "meta",
            b"next_rid".to_vec(),
            Some(rid(9)),
            "expected below 9",
        ),
    ];
    let dir = Dir::new("check");
    let original = store(&dir);
    assert_eq!(damages(&original), [""; 0]);
    let binary = original.snapshot().resource("/binary").unwrap().unwrap();
    original.close().unwrap();
    for (i, (database, key, value, sentence)) in changes.into_iter().enumerate() {
        let copy = dir.path().join(format!("copy {i}"));
        let index = copy.join("index/1");
        std::fs::create_dir_all(&index).unwrap();
        std::fs::copy(dir.path().join("index/1/data.mdb"), index.join("data.mdb")).unwrap();
        change(&index, database, &key, value.as_deref());
        let found = damages(&Store::open(&copy, options()).unwrap());
        assert!(
            found.iter().any(|d| d.contains(sentence)),
            "{database} {key:?}: {found:?}"
        );
    }
    let sha256 = binary.content.as_ref().unwrap().sha256;
    let hex: String = sha256.iter().map(|b| format!("{b:02x}")).collect();
    let path = dir
        .path()
        .join("bin")
        .join(&hex[..2])
        .join(&hex[2..4])
        .join(&hex);
    let store = Store::open(dir.path(), options()).unwrap();
    for (bytes, sentence) in [(Some("some bytez"), "of the hash"), (None, "cannot open")] {
        match bytes {
            Some(bytes) => std::fs::write(&path, bytes).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let found = damages(&store);
        assert!(found.len() == 1 && found[0].contains(sentence), "{found:?}");
    }
}

fn change(index: &std::path::Path, database: &str, key: &[u8], value: Option<&[u8]>) {
    // SAFETY: nobody else has the file open.
    let env = unsafe {
        EnvOpenOptions::new()
            .map_size(1 << 24)
            .max_dbs(10)
            .open(index)
    }
    .unwrap();
    let txn = env.write_txn().unwrap();
    env.create_databases_and_commit(txn, |opener, txn| -> heed::Result<_> {
        let found = opener
            .open_database::<Bytes, Bytes>(txn, Some(database))?
            .unwrap();
        match value {
            Some(value) => found.put(txn, key, value)?,
            None => assert!(found.delete(txn, key)?),
        }
        Ok(CommitOrAbort::<(), ()>::Commit(()))
    })
    .unwrap();
    env.prepare_for_closing().wait();
}
