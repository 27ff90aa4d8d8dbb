//! The databases of LMDB.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use heed::types::Bytes;
use heed::{CommitOrAbort, DatabaseFlags, EnvFlags, EnvOpenOptions, WithoutTls};

use crate::codec::front_u64;
use crate::delta::Lsn;
use crate::run::Side;
use crate::{Durability, Error, Options, Process, Result, Rid};

pub(crate) type Env = heed::Env<WithoutTls>;
pub(crate) type Database = heed::Database<'static, Bytes, Bytes>;

/// The version of the layout that this code reads and writes.
pub(crate) const FORMAT: u64 = 1;

/// Names within `meta` that belong to the store; those of the caller begin with `.`.
pub(crate) const META_FORMAT: &[u8] = b"format";
pub(crate) const META_CHECKPOINT: &[u8] = b"checkpoint";
pub(crate) const META_NEXT_RID: &[u8] = b"next_rid";

const NAMES: [(&str, bool); 10] = [
    ("records", false),
    ("uids", true),
    ("graphs", false),
    ("children", false),
    ("counts", false),
    ("gone", true),
    ("versions", false),
    ("meta", false),
    ("predicates", true),
    ("objects", true),
];

/// An open environment. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Index {
    pub dir: Arc<Path>,
    pub env: Env,
    /// rid → record
    pub records: Database,
    /// hash of the path → rids
    pub uids: Database,
    /// rid → graph
    pub graphs: Database,
    /// rid of the parent, segment → rid
    pub children: Database,
    /// rid of the parent → how many children
    pub counts: Database,
    /// rid of a tombstone → rids that it stands for
    pub gone: Database,
    /// rid, time → version
    pub versions: Database,
    /// name → value
    pub meta: Database,
    /// hash of the predicate → entries
    pub predicates: Database,
    /// hash of the object → entries
    pub objects: Database,
}

impl Index {
    /// Opens the environment in a directory, which is made if it is missing (not when reading only).
    pub fn open(dir: &Path, options: &Options) -> Result<Index> {
        if !options.read_only {
            fs::create_dir_all(dir).map_err(Error::io("make", dir))?;
        }
        let mut builder = EnvOpenOptions::new().read_txn_without_tls();
        builder.max_dbs(NAMES.len() as u32).max_readers(1024);
        let mut flags = EnvFlags::empty();
        flags.set(EnvFlags::READ_ONLY, options.read_only);
        flags.set(EnvFlags::NO_SYNC, options.durability == Durability::None);
        // SAFETY: NO_SYNC endangers the file in a crash of the system only, which is what the class
        // `none` says.
        unsafe { builder.flags(flags) };
        // LMDB cannot close what a forked process has a copy of, and heed opens nothing twice by one
        // path in a process, or in one that was forked from it.
        let links = match Process::current().is_forked() {
            true => Some(Links::to(dir)?),
            false => None,
        };
        let place = links.as_ref().map_or(dir, |links| &links.dir);
        let mut size = options.map_size;
        let env = loop {
            builder.map_size(size);
            // SAFETY: nothing else changes the file: writers hold the lock of the store, and LMDB
            // keeps readers and the writer apart by its own lock file.
            match unsafe { builder.open(place) } {
                // The address space is limited on this machine: do with less.
                Err(heed::Error::Io(e))
                    if e.raw_os_error() == Some(libc::ENOMEM) && size > 1 << 30 =>
                {
                    size /= 2
                }
                Err(heed::Error::EnvAlreadyOpened) if closes(place) => {}
                other => break other.map_err(Error::index("open"))?,
            }
        };
        Self::databases(dir, env, options.read_only)
    }

    fn databases(dir: &Path, env: Env, read_only: bool) -> Result<Index> {
        let missing = || Error::Damaged {
            place: dir.display().to_string(),
            message: "no store, expected its databases".to_owned(),
        };
        let opened: Vec<Database> = if read_only {
            let txn = env.read_txn().map_err(Error::index("read"))?;
            let opened = env
                .open_databases_and_commit(txn, |opener, txn| -> heed::Result<_> {
                    let mut all = [const { None }; NAMES.len()];
                    for (slot, (name, _)) in all.iter_mut().zip(NAMES) {
                        *slot = opener.open_database::<Bytes, Bytes>(txn, Some(name))?;
                    }
                    Ok(CommitOrAbort::<_, ()>::Commit(all))
                })
                .map_err(Error::index("read"))?;
            opened.commit().into_iter().flatten().flatten().collect()
        } else {
            let txn = env.write_txn().map_err(Error::index("write"))?;
            let opened = env
                .create_databases_and_commit(txn, |opener, txn| -> heed::Result<_> {
                    let mut all = [const { None }; NAMES.len()];
                    for (slot, (name, dups)) in all.iter_mut().zip(NAMES) {
                        let mut options = opener.database_options().types::<Bytes, Bytes>();
                        if dups {
                            options.flags(DatabaseFlags::DUP_SORT | DatabaseFlags::DUP_FIXED);
                        }
                        options.name(name);
                        *slot = Some(options.create(txn)?);
                    }
                    Ok(CommitOrAbort::<_, ()>::Commit(all))
                })
                .map_err(Error::index("write"))?;
            opened.commit().into_iter().flatten().flatten().collect()
        };
        let [
            records,
            uids,
            graphs,
            children,
            counts,
            gone,
            versions,
            meta,
            predicates,
            objects,
        ] = opened.try_into().map_err(|_| missing())?;
        let index = Index {
            dir: dir.into(),
            env,
            records,
            uids,
            graphs,
            children,
            counts,
            gone,
            versions,
            meta,
            predicates,
            objects,
        };
        index.check_format(read_only)?;
        Ok(index)
    }

    fn check_format(&self, read_only: bool) -> Result<()> {
        let txn = self.env.read_txn().map_err(Error::index("read"))?;
        match self.number(&txn, META_FORMAT)? {
            Some(FORMAT) => Ok(()),
            None if !read_only => {
                drop(txn);
                let mut txn = self.env.write_txn().map_err(Error::index("write"))?;
                self.meta
                    .put(&mut txn, META_FORMAT, &FORMAT.to_be_bytes())
                    .map_err(Error::index("write"))?;
                txn.commit().map_err(Error::index("commit"))
            }
            other => Err(Error::Damaged {
                place: format!("{}, meta `format`", self.dir.display()),
                message: format!("{other:?}, expected {FORMAT}"),
            }),
        }
    }

    /// A number of `meta`.
    pub fn number(&self, txn: &heed::RoTxn, name: &[u8]) -> Result<Option<u64>> {
        match self.meta.get(txn, name).map_err(Error::index("read"))? {
            None => Ok(None),
            Some(bytes) => front_u64(bytes).map(Some).ok_or_else(|| Error::Damaged {
                place: format!("meta `{}`", String::from_utf8_lossy(name)),
                message: format!("{} bytes, expected 8", bytes.len()),
            }),
        }
    }

    /// The last batch that is in LMDB, and the first number never given by then.
    pub fn checkpoint(&self, txn: &heed::RoTxn) -> Result<(Lsn, Rid)> {
        Ok((
            self.number(txn, META_CHECKPOINT)?.unwrap_or(0),
            self.number(txn, META_NEXT_RID)?.unwrap_or(0),
        ))
    }

    pub fn side(&self, side: Side) -> &Database {
        match side {
            Side::Predicates => &self.predicates,
            Side::Objects => &self.objects,
        }
    }
}

/// Links to the two files of an environment, in a directory that lasts while it is opened. Its name
/// is the same for the same environment, so that a process still opens none twice.
struct Links {
    dir: PathBuf,
}

impl Links {
    fn to(dir: &Path) -> Result<Links> {
        let dir = std::path::absolute(dir).map_err(Error::io("find", dir))?;
        let hash = xxhash_rust::xxh3::xxh3_64(dir.as_os_str().as_encoded_bytes());
        let name = format!("ldp-{}-{hash:016x}", std::process::id());
        let links = Links {
            dir: std::env::temp_dir().join(name),
        };
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&links.dir)
            .map_err(Error::io("make", &links.dir))?;
        for name in ["data.mdb", "lock.mdb"] {
            let link = links.dir.join(name);
            std::os::unix::fs::symlink(dir.join(name), &link).map_err(Error::io("make", &link))?;
        }
        Ok(links)
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        // The environment has its files open, and needs their names no more.
        _ = fs::remove_dir_all(&self.dir);
    }
}

/// Whether the environment at a path, which is open in this process, closes soon: a callback, or a
/// snapshot, may be the last part of a store that was closed just now.
fn closes(dir: &Path) -> bool {
    const PATIENCE: Duration = Duration::from_secs(2);
    heed::env_closing_event(dir).is_none_or(|event| event.wait_timeout(PATIENCE))
}

/// The key of a path in `uids`: paths are longer than keys may be.
pub(crate) fn uid_key(uid: &str) -> [u8; 8] {
    xxhash_rust::xxh3::xxh3_64(uid.as_bytes()).to_be_bytes()
}
