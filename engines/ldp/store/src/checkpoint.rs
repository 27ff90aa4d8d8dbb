//! Brings a delta to LMDB, in one transaction.

use heed::{PutFlags, RwTxn};

use crate::base::{child_key, meta_key};
use crate::codec::{Writer, pair};
use crate::delta::{Delta, Slots, of_side};
use crate::index::{Database, Index, META_CHECKPOINT, META_NEXT_RID, uid_key};
use crate::run::{Side, rid_of};
use crate::{Error, ResourceRef, Result, Rid};

/// Writes all that a delta holds, and its number as the checkpoint; synced when it returns.
pub(crate) fn write(index: &Index, delta: &Delta) -> Result<()> {
    let mut txn = index.env.write_txn().map_err(Error::index("write"))?;
    fill(index, delta, &mut txn)?;
    txn.commit().map_err(Error::index("commit"))
}

fn fill(index: &Index, delta: &Delta, txn: &mut RwTxn) -> Result<()> {
    let (_, first_new) = index.checkpoint(txn)?;
    // By the records as they were: before those change.
    for (uid, (_, rid)) in &delta.uids {
        move_uid(index, txn, uid, *rid)?;
    }
    let mut bytes = Writer::default();
    store(
        txn,
        &index.records,
        &delta.records,
        |rid| rid.to_be_bytes(),
        |record| {
            bytes.0.clear();
            record.encode(&mut bytes);
            bytes.0.clone()
        },
    )?;
    store(
        txn,
        &index.graphs,
        &delta.graphs,
        |rid| rid.to_be_bytes(),
        |graph| graph.as_bytes().to_owned(),
    )?;
    store(
        txn,
        &index.children,
        &delta.children,
        |(rid, segment)| child_key(*rid, segment),
        |rid| rid.to_be_bytes(),
    )?;
    store(
        txn,
        &index.versions,
        &delta.versions,
        |(rid, at)| pair(*rid, *at),
        |version| {
            let mut out = Writer::default();
            version.encode(&mut out);
            out.0
        },
    )?;
    for (rid, (_, count)) in &delta.counts {
        put(
            txn,
            &index.counts,
            &rid.to_be_bytes(),
            &count.to_be_bytes(),
            PutFlags::empty(),
        )?;
    }
    for (name, (_, value)) in &delta.meta {
        put(
            txn,
            &index.meta,
            meta_key(name).as_bytes(),
            value,
            PutFlags::empty(),
        )?;
    }
    for ((top, rid), (_, present)) in &delta.gone {
        set(txn, &index.gone, *top, *rid, *present, false)?;
    }
    for side in [Side::Predicates, Side::Objects] {
        let mut changes = of_side(&delta.runs, side);
        // Stable: the last change of an entry stands last among its like.
        changes.sort_by_key(|change| change.pair);
        let database = index.side(side);
        for (i, change) in changes.iter().enumerate() {
            if changes
                .get(i + 1)
                .is_some_and(|later| later.pair == change.pair)
            {
                continue;
            }
            let (key, entry) = change.pair;
            set(
                txn,
                database,
                key,
                entry,
                change.present,
                rid_of(entry) >= first_new,
            )?;
        }
    }
    for (name, value) in [
        (META_CHECKPOINT, delta.lsn),
        (META_NEXT_RID, delta.next_rid),
    ] {
        put(
            txn,
            &index.meta,
            name,
            &value.to_be_bytes(),
            PutFlags::empty(),
        )?;
    }
    Ok(())
}

fn store<K: Ord, V, Key: AsRef<[u8]>, Value: AsRef<[u8]>>(
    txn: &mut RwTxn,
    database: &Database,
    slots: &Slots<K, Option<V>>,
    key: impl Fn(&K) -> Key,
    mut value: impl FnMut(&V) -> Value,
) -> Result<()> {
    for (k, (_, v)) in slots {
        match v {
            Some(v) => put(
                txn,
                database,
                key(k).as_ref(),
                value(v).as_ref(),
                PutFlags::empty(),
            )?,
            None => {
                _ = database
                    .delete(txn, key(k).as_ref())
                    .map_err(Error::index("write"))?
            }
        }
    }
    Ok(())
}

fn put(
    txn: &mut RwTxn,
    database: &Database,
    key: &[u8],
    value: &[u8],
    flags: PutFlags,
) -> Result<()> {
    database
        .put_with_flags(txn, flags, key, value)
        .map_err(Error::index("write"))
}

/// Adds a number to those of a key, or takes it away.
///
/// `above`: it is above all that the key has. LMDB is told so, for then it fills pages, where it
/// would split them in halves.
fn set(
    txn: &mut RwTxn,
    database: &Database,
    key: u64,
    number: u64,
    present: bool,
    above: bool,
) -> Result<()> {
    let (key, number) = (key.to_be_bytes(), number.to_be_bytes());
    if present {
        let flags = if above {
            PutFlags::APPEND_DUP
        } else {
            PutFlags::empty()
        };
        put(txn, database, &key, &number, flags)
    } else {
        database
            .delete_one_duplicate(txn, &key, &number)
            .map_err(Error::index("write"))?;
        Ok(())
    }
}

/// Points a path to a resource, or to none.
fn move_uid(index: &Index, txn: &mut RwTxn, uid: &str, rid: Option<Rid>) -> Result<()> {
    let key = uid_key(uid);
    let found = index
        .uids
        .get_duplicates(txn, &key)
        .map_err(Error::index("read"))?;
    let mut old = Vec::new();
    for item in found.into_iter().flatten() {
        old.push(item.map_err(Error::index("read"))?.1.to_owned());
    }
    let mut there = false;
    for stored in old {
        if rid.is_some_and(|rid| stored == rid.to_be_bytes()) {
            there = true;
            continue;
        }
        let record = index
            .records
            .get(txn, &stored)
            .map_err(Error::index("read"))?;
        let same = record
            .map(|bytes| ResourceRef::decode(0, bytes).map(|r| r.uid == uid))
            .transpose()
            .map_err(Error::damaged(format_args!(
                "the record {}",
                stored.escape_ascii()
            )))?;
        // One without a record is of another path of this hash, that came just now.
        if same == Some(true) {
            index
                .uids
                .delete_one_duplicate(txn, &key, &stored)
                .map_err(Error::index("write"))?;
        }
    }
    match rid {
        Some(rid) if !there => put(
            txn,
            &index.uids,
            &key,
            &rid.to_be_bytes(),
            PutFlags::empty(),
        ),
        _ => Ok(()),
    }
}
