//! Many writers and readers at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use crate::common::*;
use ldp_store::{Durability, Op, Options, Store};

const WRITERS: u64 = 8;
const EACH: u64 = 150;

/// The root counts its children in its revision, so a state that is no state of the store shows.
fn add(store: &Store, name: &str) -> ldp_store::Ticket {
    let writer = store.write().unwrap();
    let head = writer.head();
    let rid = head.next_rid();
    let mut root = (*head.resource("/").unwrap().unwrap()).clone();
    root.revision += 1;
    let batch = [
        Op::Put(resource(rid, &format!("/{name}")), Some(graph(rid))),
        Op::Put(root, None),
    ];
    writer.commit(&batch).unwrap()
}

#[test]
fn no_write_is_lost_and_every_snapshot_is_one_state() {
    for durability in [
        Durability::Sync,
        Durability::Background(5),
        Durability::None,
    ] {
        let dir = Dir::new("concurrent");
        let store = Store::open(
            dir.path(),
            Options {
                durability,
                ..options()
            },
        )
        .unwrap();
        put(&store, &[Op::Put(resource(0, "/"), None)]);
        let done = AtomicBool::new(false);
        let acknowledged = AtomicU64::new(0);
        let looks = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::SeqCst) {
                        let least = acknowledged.load(Ordering::SeqCst);
                        let snapshot = store.snapshot();
                        let root = snapshot.resource_by_rid(0).unwrap().unwrap();
                        let children = snapshot.children(0, None).count() as u64;
                        assert!(children >= least, "{children} of {least}");
                        assert_eq!(snapshot.children_count(0).unwrap(), children);
                        assert_eq!(root.revision, children + 1);
                        assert_eq!(snapshot.resources().count() as u64, children + 1);
                        assert_eq!(snapshot.next_rid(), children + 1);
                        let entry = graph(1).index_entries().next().unwrap();
                        let found = snapshot.by_predicate(entry.predicate, None).unwrap();
                        assert_eq!(found.len() as u64, children);
                        looks.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    store.checkpoint().unwrap();
                    std::thread::sleep(Duration::from_millis(2));
                }
            });
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let (store, acknowledged) = (&store, &acknowledged);
                    scope.spawn(move || {
                        for i in 0..EACH {
                            let ticket = add(store, &format!("{writer}-{i}"));
                            if i % 2 == 0 {
                                ticket.wait().unwrap();
                            } else {
                                let (send, told) = mpsc::channel();
                                ticket.on_done(move |result| send.send(result).unwrap());
                                told.recv().unwrap().unwrap();
                            }
                            acknowledged.fetch_add(1, Ordering::SeqCst);
                        }
                    })
                })
                .collect();
            let written: Vec<_> = writers.into_iter().map(|w| w.join()).collect();
            done.store(true, Ordering::SeqCst);
            assert!(written.iter().all(Result::is_ok));
        });
        assert!(looks.load(Ordering::SeqCst) > 0);
        assert_eq!(store.snapshot().children_count(0).unwrap(), WRITERS * EACH);
        let stats = store.stats().unwrap();
        assert!(stats.groups <= stats.batches);
        if durability == Durability::None {
            assert_eq!(stats.log_syncs, 0);
        }
        assert_eq!(store.check().unwrap().damages, [""; 0]);
    }
}

#[test]
fn a_store_can_be_dropped_in_a_callback() {
    let dir = Dir::new("callback");
    let store = Store::open(dir.path(), options()).unwrap();
    put(&store, &[Op::Put(resource(0, "/"), None)]);
    let (send, told) = mpsc::channel();
    let ticket = add(&store, "last");
    ticket.on_done(move |result| {
        drop(store);
        send.send(result).unwrap();
        // The thread that calls back has a part of the store as long as the call lasts.
        std::thread::sleep(Duration::from_millis(100));
    });
    told.recv_timeout(Duration::from_secs(20)).unwrap().unwrap();
    // The lock goes with the store.
    let store = Store::open(dir.path(), options()).unwrap();
    assert_eq!(store.snapshot().children_count(0).unwrap(), 1);
}
