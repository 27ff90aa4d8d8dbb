//! How many queries run at the same time: each has a thread and memory of its own.

use super::problem::Problem;
use axum::http::{StatusCode, header};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How many wait for each that runs.
const WAITING: usize = 8;

/// The queries that run, and those that wait for it.
pub struct Queries {
    running: Arc<Semaphore>,
    waiting: Semaphore,
    patience: Duration,
}

impl Queries {
    /// At most so many at a time; one that has waited for `patience` is refused.
    pub fn new(most: usize, patience: Duration) -> Queries {
        let most = most.clamp(1, Semaphore::MAX_PERMITS / WAITING);
        Queries {
            running: Arc::new(Semaphore::new(most)),
            waiting: Semaphore::new(WAITING * most),
            patience,
        }
    }

    /// Waits until a query may run, which it does until this is dropped; 503 if too many wait already.
    pub async fn turn(&self) -> Result<OwnedSemaphorePermit, Problem> {
        if let Ok(turn) = self.running.clone().try_acquire_owned() {
            return Ok(turn);
        }
        let busy = || {
            let detail = "as many queries run and wait as may";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).with(header::RETRY_AFTER, "1")
        };
        let _place = self.waiting.try_acquire().map_err(|_| busy())?;
        let turn = timeout(self.patience, self.running.clone().acquire_owned());
        // Nobody closes it.
        turn.await.ok().and_then(Result::ok).ok_or_else(busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn a_few_wait_and_the_others_are_refused() {
        let queries = Queries::new(2, Duration::from_millis(50));
        let first = queries.turn().await.expect("a turn");
        let second = queries.turn().await.expect("a turn");
        let mut waiting: Vec<_> = (0..2 * WAITING).map(|_| Box::pin(queries.turn())).collect();
        for one in &mut waiting {
            assert!(one.as_mut().now_or_never().is_none());
        }
        let refused = queries.turn().await.expect_err("no place");
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(
            refused.headers,
            [(header::RETRY_AFTER, "1".parse().expect("a value"))]
        );
        drop(first);
        let turn = waiting.remove(0).await.expect("the turn of the first one");
        // Who goes leaves its place.
        drop(waiting);
        let late = queries.turn().await.expect_err("a turn that does not come");
        assert_eq!(late.status, StatusCode::SERVICE_UNAVAILABLE);
        drop((second, turn));
        assert!(queries.turn().await.is_ok());
    }
}
