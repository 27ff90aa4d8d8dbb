//! The two threads of an open store: one brings batches to LMDB, one flushes the log for those who
//! do not wait themselves.

use std::sync::{Arc, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::delta::Lsn;
use crate::engine::Engine;
use crate::{Durability, Error, Result, checkpoint};

/// Batches that are worth a transaction: writers that wait for the disk meanwhile wait longer, so it
/// should be rare.
const ENOUGH: u64 = 1024;
/// How long fewer wait for more.
const PAUSE: Duration = Duration::from_secs(1);
/// How long work waits that failed and may succeed later.
const RETRY: Duration = Duration::from_secs(1);

/// Starts both.
pub(crate) fn start(engine: &Arc<Engine>) -> Result<Vec<JoinHandle<()>>> {
    let spawn = |name: &str, work: fn(&Engine)| {
        let engine = engine.clone();
        Builder::new()
            .name(name.to_owned())
            .spawn(move || work(&engine))
            .map_err(|source| Error::Io {
                action: "start a thread for",
                path: "the store".into(),
                source: Arc::new(source),
            })
    };
    Ok(vec![
        spawn("ldp-flush", flush_loop)?,
        spawn("ldp-apply", apply_loop)?,
    ])
}

fn flush_loop(engine: &Engine) {
    let every = match engine.state.options.durability {
        Durability::Background(ms) => Some(Duration::from_millis(u64::from(ms))),
        _ => None,
    };
    let mut synced = Instant::now();
    loop {
        let mut asked = engine.wake.lock();
        while !asked.flush && !engine.wake.stopped() {
            let left = every.map(|every| every.saturating_sub(synced.elapsed()));
            if left == Some(Duration::ZERO) {
                break;
            }
            asked = match left {
                Some(left) => {
                    let woken = engine.wake.flush.wait_timeout(asked, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                None => engine
                    .wake
                    .flush
                    .wait(asked)
                    .unwrap_or_else(PoisonError::into_inner),
            };
        }
        let flush = std::mem::take(&mut asked.flush);
        drop(asked);
        // Failures are told to those who wait, and to all later writers.
        if flush {
            _ = engine.flush_all();
            engine.call_back();
        }
        if every.is_some_and(|every| synced.elapsed() >= every) {
            _ = engine.flush_all().and_then(|()| engine.sync());
            synced = Instant::now();
        }
        if engine.wake.stopped() && !flush {
            return;
        }
    }
}

fn apply_loop(engine: &Engine) {
    // A spare segment spares the first writer the time to fill one.
    _ = engine.log.prepare();
    loop {
        let mut asked = engine.wake.lock();
        let mut since = None;
        while !engine.wake.stopped() && !asked.now {
            asked = match since {
                None if !asked.apply => engine
                    .wake
                    .apply
                    .wait(asked)
                    .unwrap_or_else(PoisonError::into_inner),
                None => {
                    since = Some(Instant::now());
                    asked
                }
                Some(begin) => {
                    let left = PAUSE.saturating_sub(begin.elapsed());
                    if left.is_zero() {
                        break;
                    }
                    let woken = engine.wake.apply.wait_timeout(asked, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        (asked.apply, asked.now) = (false, false);
        drop(asked);
        if engine.wake.stopped() {
            return;
        }
        let done = engine.flush_all().and_then(|()| engine.apply());
        let failed = done.is_err();
        *engine.stuck.lock().unwrap_or_else(PoisonError::into_inner) = done.err();
        if engine.check().is_err() {
            return;
        }
        if failed {
            std::thread::sleep(RETRY);
        } else {
            _ = engine.log.prepare();
        }
        // What came meanwhile, and what failed, asked for nothing.
        if engine.writer().head.lsn() > engine.state.published().base.checkpoint {
            engine.wake.ask_apply(false);
        }
    }
}

impl Engine {
    /// Tells the background that a batch was accepted.
    pub fn pending(&self, lsn: Lsn) {
        // Already in LMDB, perhaps.
        let behind = lsn.saturating_sub(self.state.published().base.checkpoint);
        if self.state.options.apply && (behind == 1 || behind.is_multiple_of(ENOUGH)) {
            self.wake.ask_apply(behind >= ENOUGH);
        }
    }

    /// Brings what is published to LMDB.
    pub fn apply(&self) -> Result<()> {
        let _one_at_a_time = self.applying.lock().unwrap_or_else(PoisonError::into_inner);
        self.check()?;
        let published = self.state.published();
        let delta = &published.delta;
        if delta.lsn == published.base.checkpoint {
            return Ok(());
        }
        // LMDB never holds what the log may still lose.
        self.sync()?;
        let began = Instant::now();
        let mut again = true;
        loop {
            let index = self.state.index();
            let written = checkpoint::write(&index, delta);
            match written.map_err(|error| error.told(&index.dir)) {
                Err(error) if error.is_map_full() => self.grow()?,
                // By now there is space again, perhaps, where LMDB found none: the log gave back what it could not use.
                Err(error) if error.is_input_output() && std::mem::take(&mut again) => {}
                // LMDB cannot tell what of it is on disk, so no later state may build on it; the log
                // has it all. Without space it has not come to the page that makes the state the last one:
                // if that fails, it panics. So the same is written again later.
                Err(error) if !error.is_no_space() => return Err(self.fail(error)),
                other => break other?,
            }
        }
        self.counters.applied(delta, began.elapsed());
        self.rebase(delta)
    }

    /// Gives LMDB twice the address space.
    fn grow(&self) -> Result<()> {
        self.state.alone(|index| {
            let size = index.env.info().map_size * 2;
            // SAFETY: `alone` has no transaction of this process open.
            unsafe { index.env.resize(size) }.map_err(Error::index("grow"))
        })
    }
}
