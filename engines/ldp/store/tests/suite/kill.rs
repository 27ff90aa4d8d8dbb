//! A process that writes is killed at a random moment: all that it acknowledged is there. Another
//! one reads beside it.
//!
//! `LDP_KILL_ROUNDS` sets the number of rounds (6 by default, 200 for the long gate).

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::*;
use ldp_store::{Durability, Op, Options, Store};

const DIR: &str = "LDP_KILL_DIR";
const CLASS: &str = "LDP_KILL_CLASS";

fn rounds() -> u64 {
    std::env::var("LDP_KILL_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(6)
}

fn class(number: u64) -> Durability {
    // After a kill of the process alone, what the system was given is whole in each class.
    [
        Durability::Sync,
        Durability::Background(20),
        Durability::None,
    ][number as usize % 3]
}

/// Not a test of its own: what the killed process does.
#[test]
fn child() {
    let Some(dir) = std::env::var_os(DIR) else {
        return;
    };
    let durability = class(std::env::var(CLASS).unwrap().parse().unwrap());
    let store = Store::open(
        dir,
        Options {
            durability,
            ..options()
        },
    )
    .unwrap();
    std::thread::scope(|scope| {
        // More often than by itself: a round is over before there is much to apply.
        scope.spawn(|| {
            loop {
                store.checkpoint().unwrap();
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let writer = store.write().unwrap();
                    let head = writer.head();
                    let rid = head.next_rid();
                    let new = resource(rid, &format!("/child {rid:04}"));
                    let mut root = (*head.resource("/").unwrap().unwrap()).clone();
                    root.revision += 1;
                    // Another graph for an older one, too.
                    let older = resource(rid / 2 + 1, &format!("/child {:04}", rid / 2 + 1));
                    let batch = [
                        Op::Put(new, Some(graph(rid))),
                        Op::Put(root, None),
                        Op::Put(older, Some(graph(rid / 2 + 1))),
                    ];
                    writer.commit(&batch).unwrap().wait().unwrap();
                    // One call, so that a kill leaves no half line.
                    _ = std::io::stdout()
                        .lock()
                        .write_all(format!("ack {rid}\n").as_bytes());
                }
            });
        }
    });
}

fn start(dir: &Dir, class: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::child", "--nocapture"])
        .env(DIR, dir.path())
        .env(CLASS, class.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The number in a line of the child.
fn rid(line: &str) -> Option<u64> {
    line.strip_prefix("ack ")?.parse().ok()
}

#[test]
fn a_reader_in_another_process_sees_whole_batches() {
    let dir = Dir::new("beside");
    let store = Store::open(dir.path(), options()).unwrap();
    fill(&store, 1);
    store.close().unwrap();
    let mut child = start(&dir, 0);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let reader = Store::open(
        dir.path(),
        Options {
            read_only: true,
            ..options()
        },
    )
    .unwrap();
    let mut last = 0;
    for line in lines
        .by_ref()
        .map_while(Result::ok)
        .filter(|line| rid(line).is_some())
        .take(200)
    {
        last = last.max(rid(&line).unwrap());
        reader.refresh().unwrap();
        let snapshot = reader.snapshot();
        let count = snapshot.children_count(0).unwrap();
        assert!(count >= last, "{last} acknowledged, {count} seen");
        assert_eq!(
            snapshot.resource_by_rid(0).unwrap().unwrap().revision,
            count
        );
        assert_eq!(snapshot.graph(count).unwrap(), Some(graph(count)));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        last >= 200,
        "{last} are too few to see LMDB and the log change"
    );
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let mut random = 0x9E37_79B9_7F4A_7C15u64;
    let begin = || {
        let dir = Dir::new("kill");
        let store = Store::open(dir.path(), options()).unwrap();
        fill(&store, 1);
        store.close().unwrap();
        dir
    };
    let mut dir = begin();
    let mut total = 0;
    for round in 0..rounds() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // A new store now and then, for each round reads all of it.
        if round % 10 == 9 {
            dir = begin();
        }
        let mut child = start(&dir, round);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // From the first acknowledgement on it is at work; then any moment will do.
        let mut last = 0;
        for line in lines.by_ref() {
            if let Some(first) = rid(&line.unwrap()) {
                last = first;
                break;
            }
        }
        std::thread::sleep(Duration::from_micros(random % 300_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let acknowledged = lines.map_while(Result::ok).filter_map(|line| rid(&line));
        last = acknowledged.fold(last, u64::max);
        assert!(last > 0, "nothing was acknowledged in round {round}");
        let store = Store::open(dir.path(), options()).unwrap();
        let snapshot = store.snapshot();
        let count = snapshot.children_count(0).unwrap();
        assert!(
            count >= last,
            "round {round}: {last} acknowledged, {count} there"
        );
        assert_eq!(
            snapshot.resource_by_rid(0).unwrap().unwrap().revision,
            count
        );
        for rid in 1..=count {
            assert_eq!(
                snapshot.graph(rid).unwrap(),
                Some(graph(rid)),
                "round {round}: {rid}"
            );
        }
        let report = store.check().unwrap();
        assert_eq!(
            (report.damages, report.live),
            (vec![], count + 1),
            "round {round}"
        );
        total += count;
        // Half of the rounds go on from a log that was left as it is.
        if round % 2 == 0 {
            store.close().unwrap();
        }
    }
    assert!(
        total > rounds(),
        "{total} resources in all rounds are too few to mean anything"
    );
}
