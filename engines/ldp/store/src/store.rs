//! An open store: its directory, its lock, its recovery, its end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use crate::base::Base;
use crate::commit::Write;
use crate::content::{Contents, sync_dir};
use crate::engine::{Engine, MOST_PENDING_BYTES, ROOM};
use crate::lock::Lock;
use crate::log::{self, Log, Scan, scan};
use crate::rebuild::UNFINISHED;
use crate::state::{State, generations};
use crate::{Error, Options, Process, Result, Snapshot, background, batch, checkpoint, place};

/// How often a reader looks at a log that a writer changes meanwhile.
const READ_ATTEMPTS: usize = 100;

/// An open store. Cheap to clone; with the last one that is dropped it is closed.
///
/// It belongs to the process that opened it: in one that was forked from that, each call is
/// [`Error::Forked`], and dropping it does nothing.
#[derive(Clone)]
pub struct Store(Arc<Open>);

struct Open {
    process: Process,
    dir: PathBuf,
    state: Arc<State>,
    contents: Contents,
    /// None when it is open for reading only.
    writing: Option<Writing>,
}

struct Writing {
    process: Process,
    engine: Arc<Engine>,
    threads: Vec<JoinHandle<()>>,
    /// Held as long as the store is open.
    _lock: Lock,
}

impl Store {
    /// Opens the store in a directory, and recovers what a crash left in the log.
    ///
    /// One process writes at a time; it holds the lock of the file `lock`. Any number of others may
    /// read: see [`Store::refresh`].
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Store> {
        let dir = path.as_ref().to_owned();
        let is_there = place::is_store(&dir)?;
        if !is_there && (options.read_only || !options.create) {
            return Err(Error::Missing(dir));
        }
        let read_only = options.read_only;
        let durability = options.durability;
        let lock = if read_only {
            None
        } else {
            Some(Lock::take(&dir)?)
        };
        if !read_only {
            remove_unfinished(&dir)?;
        }
        // LMDB knows its files by absolute paths.
        let dir = std::fs::canonicalize(&dir).map_err(Error::io("open", &dir))?;
        let state = Arc::new(State::open(&dir.join("index"), options)?);
        let contents = Contents::open(dir.join("bin"), durability, read_only)?;
        let writing = lock
            .map(|lock| Writing::start(&dir, &state, lock))
            .transpose()?;
        if !read_only {
            // The names of files that may be new.
            state
                .index()
                .dir
                .ancestors()
                .take(3)
                .try_for_each(sync_dir)?;
        }
        let store = Store(Arc::new(Open {
            process: Process::current(),
            dir,
            state,
            contents,
            writing,
        }));
        if read_only {
            store.refresh()?;
        }
        Ok(store)
    }

    /// The state of all acknowledged writes.
    ///
    /// In a forked process each read of it is [`Error::Forked`].
    pub fn snapshot(&self) -> Snapshot {
        if self.0.process.is_current() {
            self.0.state.published()
        } else {
            Snapshot::at(Arc::new(Base::foreign(self.0.process)))
        }
    }

    /// Waits for the right to write. Readers never wait for the one who has it.
    ///
    /// [`Error::Busy`] when the background work is too far behind and does not catch up in time.
    pub fn write(&self) -> Result<Write<'_>> {
        let engine = self.writing()?;
        Ok(Write {
            engine,
            writer: engine.write()?,
        })
    }

    /// Whether a large batch, of megabytes, leaves room for others beside what waits for the background
    /// work. Where it does not, they would have to wait for it.
    pub fn has_room(&self) -> bool {
        let options = &self.0.state.options;
        !options.apply || self.0.state.published().delta.bytes <= ROOM
    }

    /// Waits until there is room, with the same error as [`Store::write`].
    pub fn room(&self) -> Result<()> {
        self.writing()?.room()
    }

    /// Why writes are refused, if they are: until the store is opened anew, or for a lack of space, for
    /// which this looks again and may wait for the disk.
    pub fn refusal(&self) -> Option<Error> {
        self.engine().and_then(|engine| engine.refusal())
    }

    /// Brings all that was accepted to LMDB now.
    pub fn checkpoint(&self) -> Result<()> {
        let engine = self.writing()?;
        engine.flush_all()?;
        engine.apply()
    }

    /// When open for reading only: takes up what a writer has written since.
    ///
    /// It reads what is in LMDB and the log behind it, so it sees the writes of a running process,
    /// those of the last instant that are not acknowledged yet perhaps, too.
    pub fn refresh(&self) -> Result<()> {
        self.check_process()?;
        if self.0.writing.is_some() {
            return Ok(());
        }
        let mut found = Ok(());
        for _ in 0..READ_ATTEMPTS {
            self.0.state.follow(&self.0.dir.join("index"))?;
            let base = self.0.state.new_base()?;
            let mut snapshot = Snapshot::at(base);
            let scanned = replay(&self.0.dir.join("log"), &mut snapshot, |_| Ok(()));
            found = match scanned {
                Ok(Scan { damage: None, .. }) => {
                    self.0.state.publish(|published| *published = snapshot);
                    return Ok(());
                }
                // The writer may have used the segment again.
                Ok(Scan {
                    damage: Some(damage),
                    ..
                }) => Err(damage),
                Err(error) => Err(error),
            };
        }
        found
    }

    /// Closes the store: all is in LMDB and on disk, whatever the durability, and the log is empty.
    ///
    /// Dropping does the same without telling of errors. Other clones must be gone.
    pub fn close(self) -> Result<()> {
        self.check_process()?;
        match Arc::try_unwrap(self.0) {
            Ok(mut open) => open
                .writing
                .take()
                .map_or(Ok(()), |mut writing| writing.stop()),
            Err(_) => Err(Error::Invalid(
                "the store is in use, so it cannot be closed".to_owned(),
            )),
        }
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        &self.0.dir
    }

    pub(crate) fn check_process(&self) -> Result<()> {
        self.0.process.check()
    }

    pub(crate) fn state(&self) -> &State {
        &self.0.state
    }

    pub(crate) fn engine(&self) -> Option<&Arc<Engine>> {
        self.0.writing.as_ref().map(|writing| &writing.engine)
    }

    /// The engine, in the process that opened the store for writing.
    pub(crate) fn writing(&self) -> Result<&Arc<Engine>> {
        self.check_process()?;
        self.engine().ok_or(Error::ReadOnly)
    }

    pub(crate) fn contents(&self) -> &Contents {
        &self.0.contents
    }
}

impl Writing {
    fn start(dir: &Path, state: &Arc<State>, lock: Lock) -> Result<Writing> {
        let mut snapshot = state.published();
        let log = dir.join("log");
        log::sync(&log, state.options.faults.as_deref())?;
        // What is far behind goes to LMDB at once, so that memory holds.
        let mut scan = replay(&log, &mut snapshot, |snapshot| {
            if snapshot.delta.bytes < MOST_PENDING_BYTES {
                return Ok(());
            }
            checkpoint::write(&state.index(), &snapshot.delta)?;
            *snapshot = Snapshot::at(state.new_base()?);
            Ok(())
        })?;
        if let Some(damage) = scan.damage.take() {
            if !state.options.cut_damaged_log {
                return Err(damage);
            }
            // The rest of the log is of no use any more.
            checkpoint::write(&state.index(), &snapshot.delta)?;
            snapshot = Snapshot::at(state.new_base()?);
            Log::open(&log, None)?.clear()?;
            scan.segments.clear();
        }
        state.publish(|published| *published = snapshot);
        let log = Arc::new(Log::open(&log, state.options.faults.clone())?);
        let engine = Arc::new(Engine::new(state.clone(), log, scan.reopen()?));
        let threads = if state.options.apply {
            background::start(&engine)?
        } else {
            Vec::new()
        };
        // What was in the log.
        engine.wake.ask_apply(false);
        Ok(Writing {
            process: Process::current(),
            engine,
            threads,
            _lock: lock,
        })
    }

    fn stop(&mut self) -> Result<()> {
        let engine = &self.engine;
        engine.wake.stop();
        for thread in self.threads.drain(..) {
            // A callback may drop the last store: a thread does not wait for itself.
            if thread.thread().id() != std::thread::current().id() {
                _ = thread.join();
            }
        }
        engine.flush_all()?;
        engine.call_back();
        engine.check()?;
        engine.sync()?;
        if engine.state.options.apply {
            engine.apply()?;
            engine
                .state
                .index()
                .env
                .force_sync()
                .map_err(Error::index("sync"))?;
            engine.log.clear()?;
        }
        Ok(())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if !self.process.is_current() {
            // The threads are not there, and their handles lead to memory that is gone.
            std::mem::forget(std::mem::take(&mut self.threads));
            return;
        }
        // What could not be done now, the next start does.
        if !self.threads.is_empty() || !self.engine.wake.stopped() {
            _ = self.stop();
        }
    }
}

/// Brings the records above a snapshot into it.
fn replay(
    log: &Path,
    snapshot: &mut Snapshot,
    mut behind_each: impl FnMut(&mut Snapshot) -> Result<()>,
) -> Result<Scan> {
    scan(log, snapshot.lsn(), |lsn, payload| {
        let ops = batch::decode(payload).map_err(Error::damaged(format_args!("record {lsn}")))?;
        let mut next = snapshot.applied(&ops)?;
        Arc::make_mut(&mut next.delta).bytes += payload.len() as u64;
        *snapshot = next;
        behind_each(snapshot)
    })
}

/// Removes what an earlier process was in the middle of: an unfinished index, and all but the newest of
/// the others.
fn remove_unfinished(dir: &Path) -> Result<()> {
    let index = dir.join("index");
    let keep = generations(&index)?.last().copied();
    let entries = match std::fs::read_dir(&index) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(Error::io("list", &index))?,
    };
    for entry in entries {
        let path = entry.map_err(Error::io("list", &index))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let number = name.and_then(|name| name.parse().ok());
        if name == Some(UNFINISHED) || number.is_some() && number != keep {
            std::fs::remove_dir_all(&path).map_err(Error::io("remove", &path))?;
        }
    }
    sync_dir(&index)
}
