//! The operating system refuses: nothing acknowledged is lost, nothing refused is seen.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use crate::common::*;
use ldp_store::{Durability, Error, Faults, Op, Options, Step, Store};

/// Refuses one kind of step with one error, when told to.
#[derive(Debug)]
struct Refuse {
    step: Step,
    errno: i32,
    on: AtomicBool,
    seen: Mutex<u32>,
}

impl Faults for Refuse {
    fn before(&self, step: Step) -> io::Result<()> {
        if step == self.step && self.on.load(Ordering::SeqCst) {
            *self.seen.lock().unwrap() += 1;
            return Err(io::Error::from_raw_os_error(self.errno));
        }
        Ok(())
    }
}

fn refuse(step: Step, errno: i32) -> (Arc<Refuse>, Options) {
    let faults = Arc::new(Refuse {
        step,
        errno,
        on: AtomicBool::new(false),
        seen: Mutex::new(0),
    });
    (
        faults.clone(),
        Options {
            faults: Some(faults),
            ..options()
        },
    )
}

#[test]
fn a_failed_write_or_sync_refuses_this_and_all_later_batches_and_readers_go_on() {
    for step in [Step::Write, Step::Sync] {
        for errno in [libc::EIO, libc::ENOSPC] {
            let dir = Dir::new("failed");
            let (faults, options) = refuse(step, errno);
            let store = Store::open(dir.path(), options).unwrap();
            fill(&store, 5);
            let before = dump(&store.snapshot());
            faults.on.store(true, Ordering::SeqCst);
            let first = store.write().unwrap().commit(&[child(6)]).unwrap();
            let second = store.write().unwrap().commit(&[child(7)]).unwrap();
            let (send, told) = mpsc::channel();
            second.on_done(move |result| send.send(result).unwrap());
            let failed = first.wait();
            assert!(matches!(failed, Err(Error::Failed(_))), "{failed:?}");
            let no_space = errno == libc::ENOSPC;
            assert_eq!(failed.unwrap_err().is_no_space(), no_space);
            assert!(told.recv().unwrap().is_err());
            faults.on.store(false, Ordering::SeqCst);
            assert!(matches!(store.write().err(), Some(Error::Failed(_))));
            assert_eq!(dump(&store.snapshot()), before);
            assert!(store.checkpoint().is_err() || dump(&store.snapshot()) == before);
            assert!(*faults.seen.lock().unwrap() > 0);
            drop(store);
            let store = Store::open(dir.path(), crate::common::options()).unwrap();
            let children = store.snapshot().children_count(0).unwrap();
            // What was not acknowledged may be there, but whole and in order.
            assert!((5..=7).contains(&children), "{children}");
            assert_eq!(store.check().unwrap().damages, [""; 0]);
            put(&store, &[child(20)]);
        }
    }
}

#[test]
fn a_full_disk_before_the_log_is_written_leaves_the_store_writable() {
    let dir = Dir::new("full");
    let (faults, options) = refuse(Step::Allocate, libc::ENOSPC);
    let store = Store::open(dir.path(), options).unwrap();
    fill(&store, 5);
    // A record that no segment has room for needs a segment of its own.
    let large = Op::SetMeta("large".to_owned(), vec![7; 9 << 20]);
    let before = dump(&store.snapshot());
    faults.on.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        let refused = store
            .write()
            .unwrap()
            .commit(std::slice::from_ref(&large))
            .err();
        assert!(
            refused.as_ref().is_some_and(Error::is_no_space),
            "{refused:?}"
        );
        assert_eq!(dump(&store.snapshot()), before);
    }
    put(&store, &[child(6)]);
    faults.on.store(false, Ordering::SeqCst);
    put(&store, &[large, child(7)]);
    put(&store, &[child(8)]);
    drop(store);
    let store = Store::open(dir.path(), crate::common::options()).unwrap();
    assert_eq!(store.snapshot().children_count(0).unwrap(), 8);
    assert_eq!(
        store.snapshot().meta("large").unwrap().unwrap().len(),
        9 << 20
    );
}

#[test]
fn a_start_brings_what_it_found_in_the_log_to_disk_and_to_lmdb() {
    let dir = Dir::new("found");
    let crashed = Options {
        durability: Durability::None,
        apply: false,
        ..crate::common::options()
    };
    let store = Store::open(dir.path(), crashed).unwrap();
    fill(&store, 5);
    let lsn = store.stats().unwrap().lsn;
    drop(store);
    let (faults, options) = refuse(Step::Sync, libc::EIO);
    faults.on.store(true, Ordering::SeqCst);
    let refused = Store::open(dir.path(), options.clone()).err();
    assert!(matches!(refused, Some(Error::Io { .. })), "{refused:?}");
    faults.on.store(false, Ordering::SeqCst);
    let store = Store::open(dir.path(), options).unwrap();
    let until = Instant::now() + Duration::from_secs(10);
    while store.stats().unwrap().checkpoint < lsn {
        assert!(Instant::now() < until, "nothing is applied without a write");
        std::thread::sleep(Duration::from_millis(10));
    }
}
