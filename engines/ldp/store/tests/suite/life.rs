//! A store from its opening to its end: what is written is read, before and after each step.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::*;
use ldp_store::{Durability, Error, MAX_SEGMENT, Op, Options, State, Store, Version};

const CLASSES: [Durability; 3] = [
    Durability::Sync,
    Durability::Background(10),
    Durability::None,
];

#[test]
fn the_same_is_read_from_the_delta_from_lmdb_and_after_opening_again() {
    for durability in CLASSES {
        let dir = Dir::new("life");
        let open = || {
            Store::open(
                dir.path(),
                Options {
                    durability,
                    ..options()
                },
            )
            .unwrap()
        };
        let store = open();
        fill(&store, 30);
        let mut deleted = resource(7, "/child 0007");
        deleted.state = State::Tombstone;
        let mut below = resource(8, "/child 0008");
        below.state = State::Gone(7);
        let version = Version {
            at: 55,
            label: "first".to_owned(),
            resource: resource(9, "/child 0009"),
            graph: graph(9),
        };
        put(
            &store,
            &[
                Op::Put(deleted, None),
                Op::Put(below, None),
                Op::PutVersion(9, version),
            ],
        );
        put(
            &store,
            &[
                Op::Forget(10),
                Op::Put(resource(11, "/child 0011"), Some(graph(99))),
            ],
        );
        put(&store, &[Op::SetMeta("name".to_owned(), b"value".to_vec())]);
        let first = dump(&store.snapshot());
        assert!(
            first.contains("(55, \"first\")") && first.contains("[8]"),
            "{first}"
        );
        store.checkpoint().unwrap();
        assert_eq!(dump(&store.snapshot()), first);
        store.close().unwrap();
        assert_eq!(
            std::fs::read_dir(dir.path().join("log")).unwrap().count(),
            0
        );
        let store = open();
        let snapshot = store.snapshot();
        assert_eq!(dump(&snapshot), first);
        assert_eq!(
            snapshot.meta("name").unwrap().as_deref(),
            Some(&b"value"[..])
        );
        assert_eq!(snapshot.version(9, 55).unwrap().unwrap().graph, graph(9));
        assert_eq!(snapshot.children_count(0).unwrap(), 27);
        assert_eq!(snapshot.next_rid(), 31);
        // Back to life: links and index come back, though no graph was given.
        put(&store, &[Op::Put(resource(7, "/child 0007"), None)]);
        let snapshot = store.snapshot();
        assert_eq!(snapshot.child(0, "child 0007").unwrap(), Some(7));
        let entry = graph(7).index_entries().next().unwrap();
        assert!(
            snapshot
                .by_predicate(entry.predicate, None)
                .unwrap()
                .contains(&7)
        );
    }
}

#[test]
fn a_log_that_was_not_applied_is_replayed() {
    let dir = Dir::new("replay");
    let held = Options {
        apply: false,
        ..options()
    };
    let store = Store::open(dir.path(), held.clone()).unwrap();
    // So many that runs of the index are merged, and some of them undo others.
    fill(&store, 80);
    for rid in (1..=80).step_by(3) {
        put(&store, &[Op::Forget(rid)]);
        put(
            &store,
            &[Op::Put(
                resource(rid + 1, &format!("/child {:04}", rid + 1)),
                Some(graph(rid)),
            )],
        );
    }
    let before = dump(&store.snapshot());
    assert_eq!(store.stats().unwrap().checkpoint, 0);
    drop(store);
    for _ in 0..3 {
        let store = Store::open(dir.path(), held.clone()).unwrap();
        assert_eq!(dump(&store.snapshot()), before);
        store.close().unwrap();
    }
    let store = Store::open(dir.path(), options()).unwrap();
    store.checkpoint().unwrap();
    assert_eq!(dump(&store.snapshot()), before);
    put(&store, &[child(90)]);
    store.checkpoint().unwrap();
    assert_eq!(store.snapshot().children_count(0).unwrap(), 54);
    assert_eq!(store.stats().unwrap().checkpoint, 136);
    assert_eq!(store.check().unwrap().damages, [""; 0]);
}

#[test]
fn scans_merge_lmdb_and_delta_in_order() {
    let dir = Dir::new("scan");
    let store = Store::open(dir.path(), options()).unwrap();
    put(&store, &[Op::Put(resource(0, "/"), None)]);
    // More than two pages in LMDB, each third one is changed above it, some go, some come between.
    let first: Vec<Op> = (1..=1500)
        .map(|rid| Op::Put(resource(rid, &format!("/{:05}", rid * 10)), None))
        .collect();
    put(&store, &first);
    store.checkpoint().unwrap();
    let snapshot = {
        let mut ops = Vec::new();
        for rid in (1..=1500).step_by(3) {
            ops.push(Op::Forget(rid));
            ops.push(Op::Put(
                resource(rid + 2000, &format!("/{:05}", rid * 10 + 5)),
                None,
            ));
        }
        store.snapshot().with(&ops).unwrap()
    };
    let mut expected: Vec<(String, u64)> = Vec::new();
    for rid in 1..=1500u64 {
        match rid % 3 {
            1 => expected.push((format!("{:05}", rid * 10 + 5), rid + 2000)),
            _ => expected.push((format!("{:05}", rid * 10), rid)),
        }
    }
    let all: Vec<_> = snapshot.children(0, None).map(|c| c.unwrap()).collect();
    assert_eq!(all, expected);
    let after: Vec<_> = snapshot
        .children(0, Some("07000"))
        .map(|c| c.unwrap())
        .collect();
    assert_eq!(
        after,
        expected[expected.iter().position(|c| *c.0 > *"07000").unwrap()..]
    );
    assert_eq!(snapshot.children_count(0).unwrap(), 1500);
    let mut rids: Vec<u64> = expected.iter().map(|c| c.1).chain([0]).collect();
    rids.sort();
    assert_eq!(
        snapshot
            .resources()
            .map(|r| r.unwrap().rid)
            .collect::<Vec<_>>(),
        rids
    );
    let mut lent = snapshot.resources();
    let mut count = 0;
    while let Some(record) = lent.next_ref() {
        assert_eq!(record.unwrap().rid, rids[count]);
        count += 1;
    }
    assert_eq!(count, rids.len());
    // The private state is nobody else's.
    assert_eq!(store.snapshot().next_rid(), 1501);
    assert_eq!(snapshot.next_rid(), 3499);
}

#[test]
fn what_breaks_the_layout_is_refused_and_leaves_nothing() {
    let dir = Dir::new("invalid");
    let store = Store::open(dir.path(), options()).unwrap();
    fill(&store, 2);
    let before = dump(&store.snapshot());
    let mut orphan = resource(5, "/x");
    orphan.parent = Some(77);
    let long = format!("/{}", "x".repeat(MAX_SEGMENT + 1));
    for bad in [
        resource(5, "/child 0001"),
        resource(1 << 48, "/x"),
        resource(5, "no slash"),
        resource(5, "/slash/"),
        resource(5, &long),
        orphan,
    ] {
        let batch = [child(3), Op::Put(bad.clone(), None)];
        let refused = store.write().unwrap().commit(&batch).err();
        assert!(
            matches!(refused, Some(Error::Invalid(_))),
            "{bad:?}: {refused:?}"
        );
    }
    assert_eq!(dump(&store.snapshot()), before);
    put(&store, &[Op::Put(resource(3, &long[..=MAX_SEGMENT]), None)]);
    store.checkpoint().unwrap();
    assert_eq!(store.snapshot().children_count(0).unwrap(), 3);
}

#[test]
fn one_writer_many_readers() {
    let dir = Dir::new("lock");
    let missing = Store::open(
        dir.path(),
        Options {
            create: false,
            ..options()
        },
    );
    assert!(matches!(missing.err(), Some(Error::Missing(_))));
    let store = Store::open(dir.path(), options()).unwrap();
    let second = Store::open(dir.path(), options());
    let pid = Some(std::process::id());
    assert!(matches!(second.err(), Some(Error::Locked { pid: found, .. }) if found == pid));
    drop(store);
    let reader = Store::open(
        dir.path(),
        Options {
            read_only: true,
            ..options()
        },
    )
    .unwrap();
    assert!(matches!(reader.write().err(), Some(Error::ReadOnly)));
    assert!(matches!(reader.new_content().err(), Some(Error::ReadOnly)));
    reader.refresh().unwrap();
}

#[test]
fn the_map_grows_under_readers() {
    let dir = Dir::new("map");
    let store = Store::open(
        dir.path(),
        Options {
            map_size: 1 << 19,
            ..options()
        },
    )
    .unwrap();
    put(&store, &[Op::Put(resource(0, "/"), None)]);
    for block in 0..10 {
        let snapshot = store.snapshot();
        let ops: Vec<Op> = (block * 100 + 1..=block * 100 + 100).map(child).collect();
        put(&store, &ops);
        assert_eq!(snapshot.children_count(0).unwrap(), block * 100);
        store.checkpoint().unwrap();
    }
    let snapshot = store.snapshot();
    assert_eq!(snapshot.children(0, None).count(), 1000);
    assert!(store.stats().unwrap().index_bytes > 1 << 19);
}

#[test]
fn two_paths_of_one_hash_are_two_resources() {
    // XXH3 gives both the same number.
    let paths = ["/u--qpxurKXc", "/LHDo9v2xFL4"];
    let dir = Dir::new("hash");
    let store = Store::open(dir.path(), options()).unwrap();
    put(&store, &[Op::Put(resource(0, "/"), None)]);
    let ops = |first| {
        let records = (first..).zip(paths);
        records.map(|(rid, uid)| Op::Put(resource(rid, uid), None))
    };
    for first in [1, 3] {
        put(&store, &ops(first).collect::<Vec<_>>());
        store.checkpoint().unwrap();
        assert_eq!(store.check().unwrap().damages, [""; 0]);
        for (rid, uid) in (first..).zip(paths) {
            let found = store.snapshot().resource(uid).unwrap().unwrap();
            assert_eq!(found.rid, rid);
        }
        for rid in [first, first + 1] {
            put(&store, &[Op::Forget(rid)]);
        }
    }
    store.checkpoint().unwrap();
    assert_eq!(store.check().unwrap().damages, [""; 0]);
}

#[test]
fn the_map_grows_beside_checks_and_figures() {
    let dir = Dir::new("beside");
    let options = Options {
        map_size: 1 << 19,
        durability: Durability::None,
        ..options()
    };
    let store = Store::open(dir.path(), options).unwrap();
    put(&store, &[Op::Put(resource(0, "/"), None)]);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for work in [
            |store: &Store| assert_eq!(store.check().unwrap().damages, [""; 0]),
            |store: &Store| _ = store.stats().unwrap(),
        ] {
            let (store, done) = (&store, &done);
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    work(store);
                }
            });
        }
        for block in 0..20 {
            let ops: Vec<Op> = (block * 100 + 1..=block * 100 + 100).map(child).collect();
            put(&store, &ops);
            store.checkpoint().unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
}
