use crate::Error;
use crate::memory::Account;
use spareval::CancellationToken;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// What one query or update may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest time, from the parsing of the text to the last byte of the result.
    pub time: Duration,
    /// How many bytes of memory its thread may take, where [`Counted`](crate::Counted) is the program's
    /// allocator. It ends at its next step, so it can pass this by what one step takes.
    pub memory: u64,
    /// How many rows or triples the result may have.
    pub rows: u64,
}

impl Default for Limits {
    /// 30 s, 1 GiB, 10 million rows.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(30),
            memory: 1 << 30,
            rows: 10_000_000,
        }
    }
}

/// Tells whether nobody waits for the answer any more; by default it never does.
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Stop {
    /// Ends what it is given to soon after `gone` is true.
    pub fn when(gone: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(gone)))
    }

    fn is_stopped(&self) -> bool {
        self.0.as_ref().is_some_and(|gone| gone())
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stop({})", self.is_stopped())
    }
}

/// The stack of an evaluation, for the longest chains that `nesting` lets pass, and without the
/// compiler's optimizations. Only the pages in use cost memory.
const STACK: usize = 1 << 30;

/// How often the stop is looked at.
const TICK: Duration = Duration::from_millis(20);

/// Runs `work` on a thread of its own with a large stack, and cancels it when a limit is reached
/// or it is stopped.
pub(crate) fn run<T: Send>(
    limits: &Limits,
    stop: &Stop,
    work: impl FnOnce(CancellationToken) -> Result<T, Error> + Send,
) -> Result<T, Error> {
    let start = Instant::now();
    let token = CancellationToken::new();
    let full = AtomicBool::new(false);
    let (done, wait) = sync_channel(1);
    let mut reached = None;
    let result = std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .name("sparql".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, || {
                give_way();
                let account = Account::new(limits.memory, &token, &full);
                let counting = account.count_here();
                let result = work(token.clone());
                drop(counting);
                // The other side waits for as long as this thread lives.
                let _ = done.send(());
                drop(done);
                result
            })
            .map_err(|error| Error::Store(format!("no thread for the query: {error}")))?;
        loop {
            let left = limits.time.saturating_sub(start.elapsed());
            match wait.recv_timeout(left.min(TICK)) {
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    reached = Some(Error::Timeout(limits.time));
                }
                Err(RecvTimeoutError::Timeout) if stop.is_stopped() => {
                    reached = Some(Error::Stopped);
                }
                Err(RecvTimeoutError::Timeout) => continue,
                Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
            }
            token.cancel();
            break;
        }
        worker
            .join()
            .unwrap_or_else(|_| Err(Error::Store("the evaluation stopped".to_owned())))
    });
    if full.into_inner() {
        reached = Some(Error::Memory(limits.memory));
    }
    match (result, reached) {
        (Err(Error::Write(error)), _) => Err(Error::Write(error)),
        (Err(_), Some(limit)) => Err(limit),
        (result, _) => result,
    }
}

/// Lowers the priority of this thread: an evaluation may take seconds, and other requests, of which some
/// hold the right to write, thousandths. A machine with a processor to spare shows no difference.
fn give_way() {
    // Elsewhere it would be the priority of the process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::process::{getpriority_process, nice};

    #[test]
    fn an_evaluation_gives_way_to_other_threads() {
        let limits = Limits::default();
        for lowered in [0, 12] {
            // This thread ends with the test, and its priority too.
            nice(lowered).expect("a lower priority");
            let own = getpriority_process(None).expect("its priority");
            let inside = run(&limits, &Stop::default(), |_| Ok(getpriority_process(None)));
            let inside = inside.expect("a result").expect("its priority");
            assert!(own < inside, "{own}, {inside}"); // a higher one is a lower priority
            assert_eq!(getpriority_process(None), Ok(own));
        }
    }
}
