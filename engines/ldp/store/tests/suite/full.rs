//! A file system that is really full, and then not: nothing that was acknowledged is lost, and writes go on.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::*;
use ldp_store::{Error, Op, Store};

const DIR: &str = "LDP_FULL_DIR";

/// A script among mounts of its own: root needs no name space of users for them, and has none in a chroot,
/// whose root is no mount that could be made private.
fn isolated(script: &str) -> Command {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let is_mount = mounts
        .lines()
        .any(|line| line.split(' ').nth(4) == Some("/"));
    let mut command = Command::new("unshare");
    command.arg("--mount");
    // SAFETY: it asks for a number.
    if unsafe { libc::geteuid() } != 0 {
        command.args(["--user", "--map-root-user"]);
    } else if !is_mount {
        command.args(["--propagation", "unchanged"]);
    }
    command.args(["sh", "-ec", script]);
    command
}

#[test]
fn writes_go_on_when_there_is_space_again() {
    let dir = Dir::new("full-disk");
    let mount = "mount -t tmpfs -o size=56m none \"$LDP_FULL_DIR\"";
    let mut can = isolated(mount);
    if !can.env(DIR, dir.path()).status().is_ok_and(|s| s.success()) {
        println!("not tested: no name space in which a file system of 56 MiB can be mounted");
        return;
    }
    let this = std::env::current_exe().unwrap();
    let child = isolated(&format!(
        "{mount}; exec \"$0\" --exact full::child --nocapture"
    ))
    .arg(this)
    .env(DIR, dir.path())
    .output()
    .unwrap();
    let told = String::from_utf8_lossy(&child.stdout);
    assert!(
        child.status.success() && told.contains("went on"),
        "{child:?}"
    );
}

/// A batch of about 64 KiB.
fn batch(number: u64) -> Vec<Op> {
    let value = (0..64 << 10).map(|i| ((i * number) >> 3) as u8).collect();
    vec![Op::SetMeta(format!("{number}"), value)]
}

/// Not a test of its own: what happens in the small file system.
#[test]
fn child() {
    let Some(dir) = std::env::var_os(DIR) else {
        return;
    };
    let dir = Path::new(&dir);
    let ballast = dir.join("ballast");
    std::fs::write(&ballast, vec![1; 32 << 20]).unwrap();
    let store = Store::open(dir.join("store"), options()).unwrap();
    let write = |number| store.write()?.commit(&batch(number))?.wait();
    let mut acknowledged = Vec::new();
    let mut next = 1..;
    let refused = loop {
        let number = next.next().unwrap();
        match write(number) {
            Ok(()) => acknowledged.push(number),
            Err(error) => break error,
        }
    };
    assert!(refused.is_no_space(), "{refused:?}");
    // LMDB finds no space either, for a part of what it writes.
    let stuck = store.checkpoint().expect_err("no space");
    assert!(stuck.is_no_space(), "{stuck:?}");
    let told = store.refusal().expect("writes are refused");
    assert!(told.is_no_space(), "{told:?}");
    std::fs::remove_file(&ballast).unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while let Err(error) = write(1_000_000) {
        assert!(
            error.is_no_space() || matches!(error, Error::Busy),
            "{error}"
        );
        assert!(Instant::now() < until, "{error}");
        std::thread::sleep(Duration::from_millis(100));
    }
    store.checkpoint().unwrap();
    assert!(store.refusal().is_none(), "{:?}", store.refusal());
    drop(store);
    let store = Store::open(dir.join("store"), options()).unwrap();
    let snapshot = store.snapshot();
    for number in acknowledged {
        let [Op::SetMeta(name, value)] = &batch(number)[..] else {
            unreachable!()
        };
        assert_eq!(snapshot.meta(name).unwrap().as_ref(), Some(value), "{name}");
    }
    println!("went on");
}
