//! Puts another index in the place of the one in use: a compact copy, or one made from the records.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, SystemTime};

use heed::CompactionOption;

use crate::base::Base;
use crate::content::{hex, sync_dir};
use crate::delta::Delta;
use crate::engine::Engine;
use crate::index::Index;
use crate::state::generations;
use crate::{Durability, Error, Op, Options, Result, Snapshot, Store, checkpoint};

/// Records that go into a new index in one transaction.
const STEP: usize = 1024;

/// What a compaction gained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Compacted {
    /// Bytes of the index file before.
    pub index_before: u64,
    /// Bytes of the index file after.
    pub index_after: u64,
    /// Binaries that nothing refers to, removed.
    pub contents_removed: u64,
    /// Their bytes.
    pub content_bytes_removed: u64,
}

/// The directory of an index in the making.
pub(crate) const UNFINISHED: &str = "unfinished";

impl Store {
    /// Copies the index without its free pages, and removes binaries that nothing refers to.
    ///
    /// Readers and writers go on. A binary that was written less than `grace` ago stays: a batch
    /// may be about to refer to it. Give 0 when nobody else writes.
    pub fn compact(&self, grace: Duration) -> Result<Compacted> {
        let engine = self.writing()?;
        let _alone = engine
            .maintaining
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let size = |index: &Index| {
            let path = index.dir.join("data.mdb");
            fs::metadata(&path)
                .map(|data| data.len())
                .map_err(Error::io("look at", &path))
        };
        let index_before = size(&self.state().index())?;
        self.replace_index(engine, |index, _, dir| {
            let path = dir.join("data.mdb");
            let copy = index.env.copy_to_path(&path, CompactionOption::Enabled);
            let file = copy.map_err(Error::index("copy"))?;
            file.sync_all().map_err(Error::io("sync", &path))
        })?;
        let (contents_removed, content_bytes_removed) = self.collect(grace)?;
        let index_after = size(&self.state().index())?;
        Ok(Compacted {
            index_before,
            index_after,
            contents_removed,
            content_bytes_removed,
        })
    }

    /// Makes the index anew from the records, graphs and versions.
    pub fn reindex(&self) -> Result<()> {
        let engine = self.writing()?;
        let _alone = engine
            .maintaining
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        self.replace_index(engine, |_, old, dir| {
            // Synced once, at the end.
            let options = Options {
                durability: Durability::None,
                ..Options::default()
            };
            let new = Index::open(dir, &options)?;
            rebuild(old, &new)?;
            new.env.force_sync().map_err(Error::index("sync"))?;
            new.env.prepare_for_closing().wait();
            Ok(())
        })
    }

    /// Lets `build` fill a directory with an index of the same state as the one in use.
    fn replace_index(
        &self,
        engine: &Engine,
        build: impl FnOnce(&Index, &Arc<Base>, &Path) -> Result<()>,
    ) -> Result<()> {
        engine.flush_all()?;
        engine.apply()?;
        // LMDB stays as it is until the new index is in place; writes go to the log.
        let _applying = engine
            .applying
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let dir = self.path().join("index");
        let unfinished = dir.join(UNFINISHED);
        remove(&unfinished)?;
        fs::create_dir(&unfinished).map_err(Error::io("make", &unfinished))?;
        let old = self.state().index();
        let base = self.state().published().base;
        build(&old, &base, &unfinished)?;
        sync_dir(&unfinished)?;
        let number = generations(&dir)?.last().map_or(1, |last| last + 1);
        let named = dir.join(number.to_string());
        fs::rename(&unfinished, &named).map_err(Error::io("rename", &unfinished))?;
        let opened = sync_dir(&dir).and_then(|()| Index::open(&named, &self.state().options));
        let new = opened.map_err(|error| {
            // A start would take it for the newest, without what the old one gets from now on.
            let undone = fs::rename(&named, &unfinished).is_ok() && sync_dir(&dir).is_ok();
            if undone { error } else { engine.fail(error) }
        })?;
        self.state().replace(new);
        engine.rebase(&Delta::at(base.checkpoint, base.next_rid))?;
        // Snapshots that still read it keep what they need of the file.
        remove(&old.dir)
    }

    /// Removes binaries that nothing refers to: how many, and their bytes.
    fn collect(&self, grace: Duration) -> Result<(u64, u64)> {
        let Some(latest) = SystemTime::now().checked_sub(grace) else {
            return Ok((0, 0));
        };
        // After the time was taken: what is younger may be referred to by a later batch only.
        let snapshot = self.write()?.head();
        let mut used = HashSet::new();
        for record in snapshot.records() {
            let record = record?;
            used.extend(record.content.map(|content| content.sha256));
            for (at, _) in snapshot.versions(record.rid)? {
                let version = snapshot.version(record.rid, at)?;
                let content = version.as_ref().and_then(|v| v.resource.content.as_ref());
                used.extend(content.map(|content| content.sha256));
            }
        }
        let used: HashSet<String> = used.iter().map(|sha256| hex(sha256)).collect();
        let (mut count, mut bytes) = (0, 0);
        let contents = self.contents();
        contents.each(|path, name| {
            let naming = contents.naming.lock();
            let _naming = naming.unwrap_or_else(PoisonError::into_inner);
            let data = fs::metadata(path).map_err(Error::io("look at", path))?;
            let written = data.modified().map_err(Error::io("look at", path))?;
            if !used.contains(name) && written <= latest {
                fs::remove_file(path).map_err(Error::io("remove", path))?;
                count += 1;
                bytes += data.len();
            }
            Ok(())
        })?;
        Ok((count, bytes))
    }
}

/// Brings everything of one index to an empty one, and derives what can be derived.
fn rebuild(old: &Arc<Base>, new: &Index) -> Result<()> {
    let from = Snapshot::at(old.clone());
    let mut records = from.records();
    let write = |ops: &[Op], next_rid: Option<u64>| {
        let mut state = Snapshot::at(Arc::new(Base::now(new)?)).restored(ops)?;
        let delta = Arc::make_mut(&mut state.delta);
        delta.lsn = old.checkpoint;
        delta.next_rid = next_rid.unwrap_or(delta.next_rid);
        checkpoint::write(new, delta)
    };
    loop {
        let mut ops = Vec::new();
        for record in records.by_ref().take(STEP) {
            let record = record?;
            let rid = record.rid;
            let graph = from.graph(rid)?;
            ops.push(Op::Put(record, graph));
            for (at, _) in from.versions(rid)? {
                let version = from.version(rid, at)?;
                ops.extend(version.map(|version| Op::PutVersion(rid, (*version).clone())));
            }
        }
        if ops.is_empty() {
            break;
        }
        write(&ops, None)?;
    }
    let meta = old
        .all_meta()?
        .into_iter()
        .map(|(name, value)| Op::SetMeta(name, value));
    write(&meta.collect::<Vec<_>>(), Some(old.next_rid))
}

fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", dir)(e)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_cannot_be_opened_leaves_the_old_one_in_use() {
        let dir = std::env::temp_dir().join(format!("ldp-store-undone-{}", std::process::id()));
        remove(&dir).unwrap();
        let put = |store: &Store, name: &str| {
            let op = Op::SetMeta(name.to_owned(), vec![1]);
            store
                .write()
                .unwrap()
                .commit(&[op])
                .unwrap()
                .wait()
                .unwrap();
        };
        let store = Store::open(&dir, Options::default()).unwrap();
        put(&store, "before");
        let engine = store.engine().unwrap();
        let replaced = store.replace_index(engine, |_, _, dir| {
            let path = dir.join("data.mdb");
            fs::write(&path, "no index").map_err(Error::io("write", &path))
        });
        assert!(replaced.is_err());
        put(&store, "after");
        store.close().unwrap();
        let store = Store::open(&dir, Options::default()).unwrap();
        for name in ["before", "after"] {
            assert!(store.snapshot().meta(name).unwrap().is_some(), "{name}");
        }
        store.reindex().unwrap();
        drop(store);
        remove(&dir).unwrap();
    }

    #[test]
    fn a_binary_that_comes_again_stays() {
        let dir = std::env::temp_dir().join(format!("ldp-store-again-{}", std::process::id()));
        remove(&dir).unwrap();
        let store = Store::open(&dir, Options::default()).unwrap();
        let content = store.put_content(&b"some"[..], "text/plain", None).unwrap();
        let file = store.open_content(&content).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let naming = store.contents().naming.lock().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| store.collect(Duration::from_secs(3600)).unwrap());
            std::thread::sleep(Duration::from_millis(200));
            // A file of now takes the place of the old one.
            file.set_modified(SystemTime::now()).unwrap();
            drop(naming);
        });
        assert!(store.open_content(&content).is_ok());
        drop(store);
        remove(&dir).unwrap();
    }
}
