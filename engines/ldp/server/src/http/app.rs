//! What all requests share.

use super::bodies::{Bodies, FREE};
use super::metrics::Metrics;
use super::problem::Problem;
use super::queries::Queries;
use crate::events::Feed;
use axum::http::{HeaderMap, StatusCode, header};
use ldp_rdf::Root;
use ldp_repository::{Error, Pending, Repository};
use ldp_sparql::Stop;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::block_in_place;
use tokio::time::timeout;

/// The state of the server.
pub struct App {
    pub(super) repository: Arc<Repository>,
    /// How its URLs begin.
    scheme: &'static str,
    /// The URL of the repository as clients see it; without one, as each request names it.
    pub(super) root: Option<Root>,
    pub(super) limits: Limits,
    pub(super) bodies: Arc<Bodies>,
    pub(super) queries: Queries,
    /// Apart from queries, so that slow ones do not hold writers up.
    pub(super) patches: Queries,
    /// For one of the large writes that wait for room in the store.
    waiting: Arc<Semaphore>,
    /// Where backups and exports that are asked for over HTTP are put.
    pub(super) out: Option<PathBuf>,
    pub(super) metrics: Metrics,
    pub(super) feed: Arc<Feed>,
}

/// How much requests may ask for.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest body of RDF, in bytes.
    pub rdf: usize,
    /// The longest query, patch or term search, in bytes.
    pub sparql: usize,
    /// The largest binary, in bytes.
    pub binary: u64,
    /// The most memory of bodies of all requests that are read as a whole, in bytes, beside 64 KiB of each.
    pub bodies: usize,
    /// The most queries at a time, and the most patches.
    pub queries: usize,
    /// What one query may take.
    pub query: ldp_sparql::Limits,
}

impl Default for Limits {
    /// 64 MiB of RDF, 1 MiB of SPARQL, binaries of any size; 256 MiB together. Two queries for each core, as
    /// the one that it works on may wait for its client.
    fn default() -> Limits {
        Limits {
            queries: std::thread::available_parallelism().map_or(1, usize::from) * 2,
            rdf: 64 << 20,
            sparql: 1 << 20,
            binary: u64::MAX,
            bodies: 256 << 20,
            query: ldp_sparql::Limits::default(),
        }
    }
}

/// Bodies from this size on are parsed where blocking is allowed.
const LARGE: usize = 1 << 20;

/// How long a large write waits for those that wait before it.
const PATIENCE: Duration = Duration::from_secs(10);

impl App {
    /// A server over `repository`. It tells of the changes from now on.
    pub fn new(
        repository: Arc<Repository>,
        root: Option<Root>,
        limits: Limits,
        out: Option<PathBuf>,
    ) -> App {
        let feed = Arc::new(Feed::new(repository.view().snapshot().lsn()));
        let told = feed.clone();
        repository.listen(move |events| told.push(events));
        App {
            repository,
            scheme: "http",
            root,
            limits,
            bodies: Bodies::new(limits.bodies, limits.rdf),
            queries: Queries::new(limits.queries, limits.query.time),
            patches: Queries::new(limits.queries, limits.query.time),
            waiting: Arc::new(Semaphore::new(1)),
            out,
            metrics: Metrics::default(),
            feed,
        }
    }

    /// The same server under TLS.
    pub fn secure(self) -> App {
        App {
            scheme: "https",
            ..self
        }
    }

    /// The changes that the server tells of.
    pub fn feed(&self) -> Arc<Feed> {
        self.feed.clone()
    }

    /// The root as the client of this request sees it; `prefix` is `/ldp` or `/rest`.
    pub(super) fn root(&self, headers: &HeaderMap, prefix: &str) -> Result<Root, Problem> {
        if let Some(root) = &self.root {
            return Ok(root.clone());
        }
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok())
            .unwrap_or("localhost");
        Root::new(&format!("{}://{host}{prefix}", self.scheme))
            .map_err(|error| Problem::bad_request(format!("header Host: {error}")))
    }

    /// Does a write whose body has `size` bytes: a small one on this thread, as that is quickest. It
    /// may have to wait for others, so the runtime gives the other tasks of the thread away.
    pub(super) async fn start<T: Send + 'static>(
        &self,
        size: usize,
        write: impl FnOnce(&Repository) -> Result<Pending<T>, Error> + Send + 'static,
    ) -> Result<Pending<T>, Error> {
        let _room = self.room(size).await?;
        if size < LARGE {
            return block_in_place(|| write(&self.repository));
        }
        let repository = self.repository.clone();
        let turn = self.bodies.turn(size).await;
        blocking(move || {
            let _until_it_is_parsed = turn;
            write(&repository)
        })
        .await
    }

    /// Waits while a large write, by its bytes, would leave no room for others in the store. Those that had to wait come
    /// one after the other: until what is given is dropped.
    pub(super) async fn room(&self, size: usize) -> Result<Option<OwnedSemaphorePermit>, Error> {
        if size <= FREE || self.repository.store().has_room() {
            return Ok(None);
        }
        let turn = timeout(PATIENCE, self.waiting.clone().acquire_owned()).await;
        let turn = turn.map_err(|_| ldp_store::Error::Busy)?;
        let repository = self.repository.clone();
        // The thread keeps the turn, so that it stays one thread when clients go while it waits.
        blocking(move || {
            repository.store().room()?;
            // Nobody closes it.
            Ok(turn.ok())
        })
        .await
    }

    /// Waits, without a thread, until a write is durable.
    pub(super) async fn durable<T: Send + 'static>(
        &self,
        pending: Pending<T>,
    ) -> Result<T, Problem> {
        let (sender, receiver) = oneshot::channel();
        pending.on_done(move |result| {
            // Nobody listens if the client has gone; the write stays.
            let _ = sender.send(result);
        });
        match receiver.await {
            Ok(result) => Ok(result?),
            Err(_) => Err(Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "the store was closed before it told whether the write is durable",
            )),
        }
    }
}

/// Runs `work` on a thread that may block.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // Tasks on that pool are never aborted.
            Err(error) => unreachable!("{error}"),
        },
    }
}

/// As [`blocking`], of work that stops when this future is dropped: when the client has gone.
pub(super) async fn attended<T: Send + 'static>(
    work: impl FnOnce(Stop) -> T + Send + 'static,
) -> T {
    let (attends, attended) = oneshot::channel::<()>();
    let stop = Stop::when(move || attends.is_closed());
    let done = blocking(move || work(stop)).await;
    drop(attended);
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use ldp_repository::Options;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn others_go_on_while_a_write_waits() {
        let folder = tempfile::tempdir().expect("a folder");
        let repository = Repository::open(folder.path(), Options::default());
        let repository = Arc::new(repository.expect("a repository"));
        let app = App::new(repository, None, Limits::default(), None);
        let wait = tokio::spawn(async move {
            let (free, wait) = channel();
            let (tell, told) = channel();
            let write = app.start(0, move |repository| {
                tokio::spawn(async move { free.send(()) });
                let _ = tell.send(wait.recv_timeout(Duration::from_secs(5)));
                repository.forget("/never", None)
            });
            assert!(write.await.is_err());
            told.recv()
        });
        assert_eq!(wait.await.expect("a task"), Ok(Ok(())));
    }
}
