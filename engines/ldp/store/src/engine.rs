//! The way of a write: accepted, written to the log and synced with others, published.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use crate::delta::{Delta, Lsn};
use crate::log::{Appender, Chunk, Log, Segment};
use crate::state::State;
use crate::stats::Counters;
use crate::{Durability, Error, Op, Process, Result, Snapshot, batch, codec};

/// Batches that may wait for the background work before writers have to wait.
pub(crate) const MOST_PENDING: u64 = 4096;
/// Bytes of memory that they may take, and as many more while they are brought to LMDB.
pub(crate) const MOST_PENDING_BYTES: u64 = 128 << 20;
/// What large ones leave of it for others, who would have to wait for them.
pub(crate) const ROOM: u64 = MOST_PENDING_BYTES / 2;

pub(crate) type Callback = Box<dyn FnOnce(Result<()>) + Send>;

/// The writing half of an open store.
pub(crate) struct Engine {
    process: Process,
    pub state: Arc<State>,
    pub log: Arc<Log>,
    pub counters: Counters,
    pub wake: Wake,
    writer: Mutex<Writer>,
    /// The background work caught up, or could not.
    caught_up: Condvar,
    queue: Mutex<Queue>,
    flushed: Mutex<Flushed>,
    /// Held by the one who writes to LMDB.
    pub applying: Mutex<()>,
    /// Held by the one who copies, checks or rebuilds what is on disk.
    pub maintaining: Mutex<()>,
    /// Why writes are refused for good.
    failure: OnceLock<Arc<Error>>,
    /// Why the background work makes no headway at present.
    pub stuck: Mutex<Option<Error>>,
    /// Whether a write was refused for a lack of space, and none was found since.
    no_space: AtomicBool,
}

/// What the one who writes holds.
pub(crate) struct Writer {
    /// The state of all accepted writes.
    pub head: Snapshot,
    log: Appender,
}

/// Accepted writes that are not in the log yet.
#[derive(Default)]
struct Queue {
    chunks: Vec<Chunk>,
    head: Option<Arc<Delta>>,
    callbacks: Vec<(Lsn, Callback)>,
}

/// How far the log is written.
struct Flushed {
    lsn: Lsn,
    /// Segments that were written to and not synced: in `bg` only.
    unsynced: Vec<Arc<Segment>>,
}

/// Wakes the background threads.
#[derive(Default)]
pub(crate) struct Wake {
    /// For the one that flushes.
    pub flush: Condvar,
    /// For the one that applies.
    pub apply: Condvar,
    asked: Mutex<Asked>,
    stop: AtomicBool,
}

/// What the background threads are asked for.
#[derive(Default)]
pub(crate) struct Asked {
    /// There is something to apply.
    pub apply: bool,
    /// And it should not wait for more.
    pub now: bool,
    /// Somebody waits for a call.
    pub flush: bool,
}

impl Wake {
    pub fn ask_apply(&self, now: bool) {
        let mut asked = self.lock();
        asked.apply = true;
        asked.now |= now;
        self.apply.notify_one();
    }

    pub fn ask_flush(&self) {
        self.lock().flush = true;
        self.flush.notify_one();
    }

    pub fn lock(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn stop(&self) {
        let _asked = self.lock();
        self.stop.store(true, Relaxed);
        self.flush.notify_one();
        self.apply.notify_one();
    }

    pub fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }
}

impl Engine {
    pub fn new(state: Arc<State>, log: Arc<Log>, segments: Vec<(Lsn, Arc<Segment>)>) -> Engine {
        let head = state.published();
        Engine {
            process: Process::current(),
            log: log.clone(),
            counters: Counters::default(),
            wake: Wake::default(),
            caught_up: Condvar::new(),
            queue: Mutex::default(),
            flushed: Mutex::new(Flushed {
                lsn: head.lsn(),
                unsynced: Vec::new(),
            }),
            writer: Mutex::new(Writer {
                head,
                log: Appender::new(log, segments),
            }),
            applying: Mutex::new(()),
            maintaining: Mutex::new(()),
            failure: OnceLock::new(),
            stuck: Mutex::new(None),
            no_space: AtomicBool::new(false),
            state,
        }
    }

    /// Why writes are refused. After one for lack of space it tries whether there is some now.
    pub fn refusal(&self) -> Option<Error> {
        if let Err(error) = self.check() {
            return Some(error);
        }
        if !self.no_space.load(Relaxed) {
            return None;
        }
        let refusal = if self.is_far_behind(&self.writer()) {
            let stuck = self.stuck.lock();
            stuck.unwrap_or_else(PoisonError::into_inner).clone()
        } else {
            self.log.prepare().err()
        };
        self.no_space.store(refusal.is_some(), Relaxed);
        refusal
    }

    /// Keeps in mind that a write was refused for a lack of space.
    fn refused(&self, error: Error) -> Error {
        if error.is_no_space() {
            self.no_space.store(true, Relaxed);
        }
        error
    }

    pub fn check(&self) -> Result<()> {
        self.process.check()?;
        match self.failure.get() {
            Some(cause) => Err(Error::Failed(cause.clone())),
            None => Ok(()),
        }
    }

    /// Refuses all writes from now on.
    pub fn fail(&self, cause: Error) -> Error {
        let cause = self.failure.get_or_init(|| Arc::new(cause));
        self.caught_up.notify_all();
        Error::Failed(cause.clone())
    }

    pub fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the right to write, and for the background work if that is far behind.
    pub fn write(&self) -> Result<MutexGuard<'_, Writer>> {
        self.write_unless(|writer| self.is_far_behind(writer))
    }

    /// Waits until a large batch leaves room for others.
    pub fn room(&self) -> Result<()> {
        let full = |writer: &Writer| writer.head.delta.bytes > ROOM;
        self.write_unless(|writer| self.state.options.apply && full(writer))
            .map(drop)
    }

    /// Waits for the right to write, and for the background work as long as that is `behind`.
    fn write_unless(&self, behind: impl Fn(&Writer) -> bool) -> Result<MutexGuard<'_, Writer>> {
        // Before the mutex: in a forked process it may stay locked for ever.
        self.process.check()?;
        let mut writer = self.writer();
        let until = Instant::now() + self.state.options.patience;
        loop {
            self.check()?;
            if !behind(&writer) {
                return Ok(writer);
            }
            self.wake.ask_apply(true);
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let stuck = self.stuck.lock().unwrap_or_else(PoisonError::into_inner);
                return Err(self.refused(stuck.clone().unwrap_or(Error::Busy)));
            }
            let woken = self.caught_up.wait_timeout(writer, left);
            writer = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Whether writers have to wait for the background work.
    fn is_far_behind(&self, writer: &Writer) -> bool {
        let behind = writer.head.lsn() - writer.head.base.checkpoint;
        let far = behind >= MOST_PENDING || writer.head.delta.bytes >= MOST_PENDING_BYTES;
        far && self.state.options.apply
    }

    /// Accepts a batch: its place in the log is fixed, its bytes wait for [`Engine::flush`].
    pub fn accept(&self, writer: &mut Writer, ops: &[Op]) -> Result<Lsn> {
        self.check()?;
        let mut next = writer.head.applied(ops)?;
        let lsn = next.lsn();
        let mut payload = codec::Writer::default();
        batch::encode(ops, &mut payload);
        let chunk = writer.log.append(lsn, &payload.0);
        let chunk = chunk.map_err(|error| self.refused(error))?;
        self.no_space.store(false, Relaxed);
        Arc::make_mut(&mut next.delta).bytes += chunk.bytes.len() as u64;
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.head = Some(next.delta.clone());
        match queue.chunks.last_mut() {
            Some(last) if Arc::ptr_eq(&last.segment, &chunk.segment) => {
                last.bytes.extend_from_slice(&chunk.bytes);
            }
            _ => queue.chunks.push(chunk),
        }
        drop(queue);
        writer.head = next;
        Ok(lsn)
    }

    /// Makes all accepted writes as durable as the class says, at least those up to `lsn`, and
    /// publishes them. Whoever comes while another one does it finds it done for both.
    pub fn flush(&self, lsn: Lsn) -> Result<()> {
        self.process.check()?;
        let mut flushed = self.flushed.lock().unwrap_or_else(PoisonError::into_inner);
        if flushed.lsn >= lsn {
            return Ok(());
        }
        self.check()?;
        let done = self.write_out(&mut flushed);
        drop(flushed);
        self.call_back();
        done
    }

    /// Flushes all that was accepted.
    pub fn flush_all(&self) -> Result<()> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let last = queue.head.as_ref().map(|delta| delta.lsn);
        drop(queue);
        last.map_or(Ok(()), |lsn| self.flush(lsn))
    }

    /// Calls those back whose writes are flushed, or never will be.
    pub fn call_back(&self) {
        let reached = self
            .flushed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .lsn;
        let failed = self.check();
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let (ready, waiting): (Vec<_>, _) = std::mem::take(&mut queue.callbacks)
            .into_iter()
            .partition(|(lsn, _)| *lsn <= reached || failed.is_err());
        queue.callbacks = waiting;
        drop(queue);
        for (lsn, callback) in ready {
            callback(if lsn <= reached {
                Ok(())
            } else {
                failed.clone()
            });
        }
    }

    fn write_out(&self, flushed: &mut Flushed) -> Result<()> {
        let (chunks, head) = {
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            (std::mem::take(&mut queue.chunks), queue.head.take())
        };
        let Some(delta) = head else { return Ok(()) };
        let mut bytes = 0;
        for chunk in chunks {
            let written = chunk.segment.write(&chunk.bytes, chunk.offset);
            bytes += chunk.bytes.len() as u64;
            let synced = written.and_then(|()| match self.state.options.durability {
                // A segment is full before the next one begins, so each is synced here.
                Durability::Sync => {
                    self.counters.log_syncs.fetch_add(1, Relaxed);
                    chunk.segment.sync()
                }
                Durability::Background(_) => {
                    if !flushed
                        .unsynced
                        .iter()
                        .any(|s| Arc::ptr_eq(s, &chunk.segment))
                    {
                        flushed.unsynced.push(chunk.segment.clone());
                    }
                    Ok(())
                }
                Durability::None => Ok(()),
            });
            synced.map_err(|error| self.fail(error))?;
        }
        self.counters.log_bytes.fetch_add(bytes, Relaxed);
        self.counters.groups.fetch_add(1, Relaxed);
        self.counters
            .batches
            .fetch_add(delta.lsn - flushed.lsn, Relaxed);
        flushed.lsn = delta.lsn;
        self.state.publish(|published| published.delta = delta);
        Ok(())
    }

    /// Syncs what `bg` has written since the last time.
    pub fn sync(&self) -> Result<()> {
        let mut flushed = self.flushed.lock().unwrap_or_else(PoisonError::into_inner);
        for segment in std::mem::take(&mut flushed.unsynced) {
            self.counters.log_syncs.fetch_add(1, Relaxed);
            segment.sync().map_err(|error| self.fail(error))?;
        }
        Ok(())
    }

    /// Calls back when a write is flushed.
    pub fn call(&self, lsn: Lsn, callback: Callback) {
        if let Err(error) = self.process.check() {
            return callback(Err(error));
        }
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.callbacks.push((lsn, callback));
        drop(queue);
        self.wake.ask_flush();
    }

    /// Lets readers and writers go by a new state of LMDB, which holds `applied`.
    pub fn rebase(&self, applied: &Delta) -> Result<()> {
        let base = self.state.new_base()?;
        // First the base, then the deltas: a delta without what the base lacks would lose it.
        self.state
            .publish(|published| published.base = base.clone());
        let mut writer = self.writer();
        writer.head.base = base;
        Arc::make_mut(&mut writer.head.delta).trim(applied);
        self.state
            .publish(|published| Arc::make_mut(&mut published.delta).trim(applied));
        let retired = writer.log.retire(applied.lsn);
        drop(writer);
        self.caught_up.notify_all();
        retired
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Model, Options, Resource, State, Store};
    use ldp_rdf::{Graph, NamedNode, Triple};
    use std::time::Duration;

    #[test]
    fn large_batches_leave_room_for_others() {
        let dir = std::env::temp_dir().join(format!("ldp-store-room-{}", std::process::id()));
        _ = std::fs::remove_dir_all(&dir);
        let options = Options {
            durability: Durability::None,
            patience: Duration::ZERO,
            ..Options::default()
        };
        let store = Store::open(&dir, options).unwrap();
        let put = |rid: u64, graph: &Graph| {
            let top = rid == 0;
            let resource = Resource {
                rid,
                uid: if top { "/".into() } else { format!("/{rid}") },
                parent: (!top).then_some(0),
                model: Model::BasicContainer,
                state: State::Live,
                created: 0,
                modified: 0,
                revision: 1,
                content: None,
            };
            let accepted = store.write().unwrap();
            accepted.commit(&[Op::Put(resource, Some(graph.clone()))])
        };
        // Nothing is brought to LMDB meanwhile.
        let applying = store.engine().unwrap().applying.lock().unwrap();
        let iri = |text: String| NamedNode::new_unchecked(text);
        let predicate = iri("urn:p".into());
        let triples = (0..100_000).map(|i| {
            let object = iri(format!("urn:{i}"));
            Triple::new(predicate.clone(), predicate.clone(), object)
        });
        let graph = Graph::encode(&triples.collect::<Vec<_>>());
        let mut large = 0;
        while store.room().is_ok() {
            assert!(store.has_room());
            put(large, &graph).unwrap().wait().unwrap();
            large += 1;
            assert!(large < 30, "they may take as much memory as they like");
        }
        // Their bytes in the log alone would not reach it.
        assert!(large * (graph.as_bytes().len() as u64) < ROOM);
        assert!(!store.has_room());
        put(large, &Graph::default()).unwrap().wait().unwrap();
        drop(applying);
        store.checkpoint().unwrap();
        store.room().unwrap();
        drop(store);
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
