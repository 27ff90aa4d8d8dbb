//! The memory that the bodies of all requests take together.

use super::problem::Problem;
use axum::http::{StatusCode, header};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What each body may take beside the common bound: small ones pass while large ones fill it, and while
/// these wait for room in the store.
pub const FREE: usize = 64 << 10;

/// The unit in which bodies wait for their turn, as a semaphore has not room for all bytes.
const UNIT: usize = 1 << 10;

/// The bodies that are read as a whole.
pub struct Bodies {
    limit: usize,
    held: AtomicUsize,
    /// Reading a document takes a multiple of it, so that those being read have a bound of their own.
    turns: Arc<Semaphore>,
    all_turns: u32,
}

impl Bodies {
    /// At most `limit` bytes of bodies, of which at most `longest` are parsed at a time.
    pub fn new(limit: usize, longest: usize) -> Arc<Bodies> {
        let all_turns = u32::try_from(longest.div_ceil(UNIT))
            .unwrap_or(u32::MAX)
            .max(1);
        Arc::new(Bodies {
            limit,
            held: AtomicUsize::new(0),
            turns: Arc::new(Semaphore::new(all_turns as usize)),
            all_turns,
        })
    }

    /// The share of a body of which nothing has come yet.
    pub fn share(self: &Arc<Self>) -> Share {
        Share {
            bodies: self.clone(),
            held: 0,
        }
    }

    /// Waits until a body of that size may be parsed.
    pub async fn turn(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let turn = self
            .turns
            .clone()
            .acquire_many_owned(units.min(self.all_turns));
        // Nobody closes it.
        turn.await.ok()
    }
}

/// What one body takes of it, until this is dropped.
pub struct Share {
    bodies: Arc<Bodies>,
    held: usize,
}

impl Share {
    /// Makes it that of a body of so many bytes; 503 if there is no room for it.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Problem> {
        let more = bytes.saturating_sub(FREE).saturating_sub(self.held);
        if more == 0 {
            return Ok(());
        }
        let limit = self.bodies.limit;
        let within = |held: usize| Some(held + more).filter(|sum| *sum <= limit);
        if self
            .bodies
            .held
            .fetch_update(Relaxed, Relaxed, within)
            .is_err()
        {
            let detail = format!("the bodies of all requests take the {limit} bytes that they may");
            return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail)
                .with(header::RETRY_AFTER, "1"));
        }
        self.held += more;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.bodies.held.fetch_sub(self.held, Relaxed);
    }
}
