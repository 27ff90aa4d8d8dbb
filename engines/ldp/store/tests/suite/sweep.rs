//! A check finds every entry that is missing, and every wrong byte of what is derived.

use crate::common::*;
use heed::types::Bytes;
use heed::{CommitOrAbort, EnvOpenOptions};
use ldp_store::{Op, Options, State, Store};
use std::path::Path;

/// Databases that are derived from records and graphs, by what `reindex` does.
const DERIVED: [&str; 6] = [
    "uids",
    "children",
    "counts",
    "gone",
    "predicates",
    "objects",
];

/// What happens to an entry of the index.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Remove,
    Flip { byte: usize, bit: u8 },
}

#[test]
fn every_planted_damage_is_found() {
    let dir = Dir::new("sweep");
    let store = Store::open(dir.path(), options()).unwrap();
    fill(&store, 4);
    let (mut dead, mut gone) = (resource(2, "/child 0002"), resource(3, "/child 0003"));
    dead.state = State::Tombstone;
    gone.state = State::Gone(2);
    put(&store, &[Op::Put(dead, None), Op::Put(gone, None)]);
    store.close().unwrap();
    let intact = std::fs::read(dir.path().join("index/1/data.mdb")).unwrap();
    let copy = dir.path().join("copy");
    std::fs::create_dir_all(copy.join("index/1")).unwrap();
    std::fs::create_dir_all(copy.join("log")).unwrap();
    std::fs::create_dir_all(copy.join("bin")).unwrap();
    let found = |database: &str, entry: usize, damage: Damage| {
        std::fs::write(copy.join("index/1/data.mdb"), &intact).unwrap();
        if !plant(&copy.join("index/1"), database, entry, damage) {
            return None;
        }
        let options = Options {
            read_only: true,
            create: false,
            ..options()
        };
        let store = Store::open(&copy, options).unwrap();
        Some(store.check().map_or(1, |report| report.damages.len()))
    };
    let mut planted = 0;
    for database in DERIVED.into_iter().chain(["records", "graphs"]) {
        for entry in 0.. {
            let Some(damages) = found(database, entry, Damage::Remove) else {
                assert!(entry > 0, "{database} is empty");
                break;
            };
            // Nothing else knows the graphs of the two deleted resources.
            let unknown = database == "graphs" && [2, 3].contains(&entry);
            assert_eq!(damages == 0, unknown, "{database}, entry {entry} removed");
            planted += 1;
            let bytes = if DERIVED.contains(&database) && entry < 3 {
                0..16
            } else {
                0..0
            };
            for byte in bytes {
                let bit = (entry + byte) as u8 % 8;
                let Some(damages) = found(database, entry, Damage::Flip { byte, bit }) else {
                    break;
                };
                assert!(
                    damages > 0,
                    "{database}, entry {entry}, bit {bit} of byte {byte}"
                );
                planted += 1;
            }
        }
    }
    assert!(planted > 100, "{planted}");
}

/// Whether there is such an entry or byte of its value; then it is damaged.
fn plant(index: &Path, database: &str, entry: usize, damage: Damage) -> bool {
    // SAFETY: nobody else has the file open.
    let env = unsafe {
        EnvOpenOptions::new()
            .map_size(1 << 24)
            .max_dbs(10)
            .open(index)
    }
    .unwrap();
    let txn = env.write_txn().unwrap();
    let mut planted = false;
    env.create_databases_and_commit(txn, |opener, txn| -> heed::Result<_> {
        let database = opener
            .open_database::<Bytes, Bytes>(txn, Some(database))?
            .unwrap();
        let found = database
            .iter(txn)?
            .move_through_duplicate_values()
            .nth(entry)
            .transpose()?
            .map(|(key, value)| (key.to_vec(), value.to_vec()));
        if let Some((key, mut value)) = found {
            planted = match damage {
                Damage::Remove => true,
                Damage::Flip { byte, .. } => byte < value.len(),
            };
            if planted {
                assert!(database.delete_one_duplicate(txn, &key, &value)?);
                if let Damage::Flip { byte, bit } = damage {
                    value[byte] ^= 1 << bit;
                    database.put(txn, &key, &value)?;
                }
            }
        }
        Ok(CommitOrAbort::<(), ()>::Commit(()))
    })
    .unwrap();
    env.prepare_for_closing().wait();
    planted
}
