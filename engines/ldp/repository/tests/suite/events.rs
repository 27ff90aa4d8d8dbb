//! What listeners are told, and when.

use crate::common::{Home, within};
use ldp_repository::EventKind::{Created, Deleted, Updated};
use ldp_repository::{Event, EventKind, Options, References, WriteOptions};
use ldp_store::{Durability, Faults, Model, Step};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread::scope;
use std::time::Duration;

/// Batches as a listener is told of them.
struct Heard<'a> {
    home: &'a Home,
    batches: Receiver<Vec<Event>>,
}

impl Heard<'_> {
    fn by(home: &Home) -> Heard<'_> {
        let (tell, batches) = channel();
        home.listen(move |events| _ = tell.send(events.to_vec()));
        Heard { home, batches }
    }

    /// All that was told since the last time. Another thread than the writer's tells, in order, so
    /// one more write ends the wait.
    fn batches(&self) -> Vec<Vec<Event>> {
        let end = self.home.post("/", "end", "").unwrap().resource.uid;
        let mut told = Vec::new();
        loop {
            let batch = self.batches.recv_timeout(Duration::from_secs(30));
            let batch = batch.expect("the events of the last write");
            if batch.iter().any(|event| event.uid == end) {
                return told;
            }
            told.push(batch);
        }
    }

    /// The same, as kinds and paths.
    fn rows(&self) -> Vec<(EventKind, String)> {
        let events = self.batches().into_iter().flatten();
        events.map(|event| (event.kind, event.uid)).collect()
    }
}

fn row(kind: EventKind, uid: &str) -> (EventKind, String) {
    (kind, uid.to_string())
}

#[test]
fn each_change_of_a_resource_is_told_once() {
    let home = Home::new(Options::default());
    let heard = Heard::by(&home);

    home.put_turtle("/a/b", "").unwrap();
    let made = [row(Created, "/a"), row(Created, "/a/b"), row(Updated, "/")];
    assert_eq!(heard.rows(), made, "with the ancestor that was missing");

    home.put_turtle("/a/b", "<> :p 1 .").unwrap();
    assert_eq!(heard.rows(), [row(Updated, "/a/b")]);

    assert!(home.put_turtle("/a/b", "no turtle").is_err());
    assert_eq!(heard.rows(), [], "nothing happened");

    home.create_version("/a/b", None, None)
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!(heard.rows(), [], "a version changes no resource");

    home.remove("/a").unwrap();
    let gone = [row(Deleted, "/a"), row(Deleted, "/a/b"), row(Updated, "/")];
    assert_eq!(heard.rows(), gone, "the whole tree");

    home.resurrect("/a", None).unwrap().wait().unwrap();
    let back = [row(Created, "/a"), row(Created, "/a/b"), row(Updated, "/")];
    assert_eq!(heard.rows(), back);

    home.remove("/a").unwrap();
    heard.rows();
    home.forget("/a", None).unwrap().wait().unwrap();
    assert_eq!(heard.rows(), [], "a tombstone is no resource");

    home.put_turtle("/c", "").unwrap();
    heard.rows();
    let traceless = home.delete("/c", false, &WriteOptions::default());
    traceless.unwrap().wait().unwrap();
    assert_eq!(heard.rows(), [row(Deleted, "/c"), row(Updated, "/")]);
}

#[test]
fn references_that_a_deletion_drops_are_updates() {
    let home = Home::new(Options {
        references: References::Lenient,
        ..Options::default()
    });
    home.put_turtle("/to", "").unwrap();
    home.put_turtle("/from", "<> :p <http://host/ldp/to> .")
        .unwrap();
    let heard = Heard::by(&home);
    home.remove("/to").unwrap();
    let mut rows = heard.rows();
    rows.sort_by(|a, b| a.1.cmp(&b.1));
    let expected = [
        row(Updated, "/"),
        row(Updated, "/from"),
        row(Deleted, "/to"),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_transaction_is_told_as_one_batch_when_it_is_committed() {
    let home = Home::new(Options::default());
    home.put_turtle("/old", "").unwrap();
    let heard = Heard::by(&home);
    let id = home.begin().unwrap();
    home.put_with("/new", "", &within(&id)).unwrap();
    home.put_with("/new", "<> :p 1 .", &within(&id)).unwrap();
    home.put_with("/short", "", &within(&id)).unwrap();
    let traceless = home.delete("/short", false, &within(&id));
    traceless.unwrap().wait().unwrap();
    home.delete("/old", true, &within(&id))
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!(heard.rows(), [], "nobody else sees it yet");
    home.commit(&id).unwrap().wait().unwrap();
    let batches = heard.batches();
    assert_eq!(batches.len(), 1);
    let rows: Vec<_> = batches[0].iter().map(|e| (e.kind, &*e.uid)).collect();
    assert_eq!(rows, [(Created, "/new"), (Deleted, "/old"), (Updated, "/")]);
    assert!(batches[0].iter().all(|e| e.batch == batches[0][0].batch));

    let id = home.begin().unwrap();
    home.put_with("/never", "", &within(&id)).unwrap();
    home.rollback(&id).unwrap();
    assert_eq!(heard.rows(), []);
}

#[test]
fn an_event_tells_what_the_resource_is_and_which_snapshot_shows_it() {
    let home = Home::new(Options::default());
    let heard = Heard::by(&home);
    let made = home.put_turtle("/d", "<> a ldp:DirectContainer .").unwrap();
    let batch = home.view().snapshot().lsn();
    let events = heard.batches().remove(0);
    let expected = Event {
        kind: Created,
        at: made.resource.modified,
        batch,
        uid: "/d".into(),
        model: Model::DirectContainer,
    };
    assert_eq!(events[0], expected);
}

#[test]
fn batches_of_many_writers_are_told_in_their_order_and_none_is_lost() {
    const WRITERS: usize = 8;
    const EACH: usize = 40;
    let home = Home::new(Options::default());
    let heard = Heard::by(&home);
    scope(|scope| {
        for writer in 0..WRITERS {
            let home = &home;
            scope.spawn(move || {
                for at in 0..EACH {
                    home.put_turtle(&format!("/{writer}-{at}"), "").unwrap();
                }
            });
        }
    });
    let batches = heard.batches();
    assert_eq!(batches.len(), WRITERS * EACH);
    let numbers: Vec<u64> = batches.iter().map(|events| events[0].batch).collect();
    assert!(
        numbers.windows(2).all(|pair| pair[1] == pair[0] + 1),
        "{numbers:?}"
    );
}

/// Refuses to sync, when told to.
#[derive(Debug, Default)]
struct Broken(AtomicBool);

impl Faults for Broken {
    fn before(&self, step: Step) -> std::io::Result<()> {
        match step == Step::Sync && self.0.load(Ordering::SeqCst) {
            true => Err(std::io::Error::other("the disk is gone")),
            false => Ok(()),
        }
    }
}

#[test]
fn what_never_gets_durable_is_never_told() {
    let broken = Arc::new(Broken::default());
    let mut options = Options::default();
    options.store.durability = Durability::Sync;
    options.store.faults = Some(broken.clone());
    let folder = tempfile::tempdir().unwrap();
    let home = ldp_repository::Repository::open(folder.path(), options).unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let kept = told.clone();
    home.listen(move |events| kept.lock().unwrap().extend_from_slice(events));
    broken.0.store(true, Ordering::SeqCst);
    let put = home.put("/a", ldp_repository::Body::Empty, &WriteOptions::default());
    assert!(put.unwrap().wait().is_err());
    drop(home);
    assert_eq!(*told.lock().unwrap(), []);
}
