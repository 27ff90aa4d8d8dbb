use crate::Error;
use spareval::CancellationToken;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// What one query or update may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest time, from the parsing of the text to the last byte of the result.
    pub time: Duration,
    /// How many bytes the process may grow by meanwhile. It is looked at every 20 ms, so a query can
    /// pass it by what it allocates in that time; and other work in the process counts as well.
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

/// The stack of an evaluation, for the longest chains that `nesting` lets pass, and without the
/// compiler's optimizations. Only the pages in use cost memory.
const STACK: usize = 1 << 30;

/// How often the memory is looked at.
const TICK: Duration = Duration::from_millis(20);

/// Runs `work` on a thread of its own with a large stack, and cancels it when a limit is reached.
pub(crate) fn run<T: Send>(
    limits: &Limits,
    work: impl FnOnce(CancellationToken) -> Result<T, Error> + Send,
) -> Result<T, Error> {
    let start = Instant::now();
    let memory = allocated();
    let token = CancellationToken::new();
    let (done, wait) = sync_channel(1);
    let mut reached = None;
    let result = std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .name("sparql".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, || {
                let result = work(token.clone());
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
                Err(RecvTimeoutError::Timeout)
                    if allocated().saturating_sub(memory) > limits.memory =>
                {
                    reached = Some(Error::Memory(limits.memory));
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
    match (result, reached) {
        (Err(Error::Write(error)), _) => Err(Error::Write(error)),
        (Err(_), Some(limit)) => Err(limit),
        (result, _) => result,
    }
}

/// The bytes in memory that belong to this process alone, without mapped files; 0 where the system
/// does not tell (no Linux), so that there is no limit.
fn allocated() -> u64 {
    // Fields of `/proc/self/statm` in pages: size, resident, shared.
    let Ok(text) = std::fs::read_to_string("/proc/self/statm") else {
        return 0;
    };
    let mut fields = text.split(' ').map(|field| field.parse().unwrap_or(0));
    let (resident, shared): (u64, u64) = (fields.nth(1).unwrap_or(0), fields.next().unwrap_or(0));
    resident.saturating_sub(shared) * 4096
}
