//! The connections of a server: how many there are, and how long each part of a request may take.

use super::slow::Slow;
use axum::Router;
use axum::body::Body;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::Future;
use std::io::ErrorKind;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tower::ServiceExt;

/// What clients may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// The most connections.
    pub connections: usize,
    /// From the beginning of a connection, or the last answer on it, to the end of the head of the next
    /// request.
    pub head: Duration,
    /// For a body, beside the time that its bytes take at the lowest rate.
    pub body: Duration,
}

impl Default for Patience {
    /// 1,000 connections, 30 s each.
    fn default() -> Patience {
        Patience {
            connections: 1_000,
            head: Duration::from_secs(30),
            body: Duration::from_secs(30),
        }
    }
}

/// The longest head of a request, and the most of a body that is read at once.
const BUFFER: usize = 128 << 10;

/// How long the server waits when the system has no descriptor for another connection.
const PAUSE: Duration = Duration::from_millis(20);

struct Connection {
    /// Whether a request is being answered.
    busy: AtomicBool,
    evicted: Notify,
}

/// Held while a request is answered.
struct Busy(Arc<Connection>);

impl Busy {
    fn new(connection: &Arc<Connection>) -> Busy {
        connection.busy.store(true, Relaxed);
        Busy(connection.clone())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.busy.store(false, Relaxed);
    }
}

/// Those that are open, the oldest first.
#[derive(Default)]
struct Open(Mutex<BTreeMap<u64, Arc<Connection>>>);

impl Open {
    /// Closes the oldest connection without a request, to make room: its client makes another one.
    fn evict(&self) -> bool {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = open.iter().find(|(_, one)| !one.busy.load(Relaxed));
        let Some((&number, connection)) = idle else {
            return false;
        };
        connection.evicted.notify_one();
        open.remove(&number);
        true
    }

    fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn add(&self, number: u64) -> Arc<Connection> {
        let connection = Arc::new(Connection {
            busy: AtomicBool::new(false),
            evicted: Notify::new(),
        });
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.insert(number, connection.clone());
        connection
    }

    fn remove(&self, number: u64) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.remove(&number);
    }
}

/// Answers until `stopped` is ready, and then what was asked before.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    patience: Patience,
    stopped: impl Future<Output = ()>,
) {
    let open = Arc::new(Open::default());
    let (stop, stopping) = watch::channel(false);
    let mut tasks = JoinSet::new();
    let mut stopped = pin!(stopped);
    for number in 0.. {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stopped => break,
        };
        while tasks.try_join_next().is_some() {}
        match accepted {
            Ok((stream, _)) => {
                if open.len() >= patience.connections && !open.evict() {
                    continue;
                }
                let (connection, open) = (open.add(number), open.clone());
                let answered = answer(
                    stream,
                    router.clone(),
                    patience,
                    connection,
                    stopping.clone(),
                );
                tasks.spawn(async move {
                    answered.await;
                    open.remove(number);
                });
            }
            // A client that has gone again.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset
                ) => {}
            Err(_) => {
                open.evict();
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    let _ = stop.send(true);
    while tasks.join_next().await.is_some() {}
}

async fn answer(
    stream: TcpStream,
    router: Router,
    patience: Patience,
    state: Arc<Connection>,
    mut stopping: watch::Receiver<bool>,
) {
    // Answers are small and written at once: waiting for more to send only delays them.
    let _ = stream.set_nodelay(true);
    let answering = state.clone();
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let (router, busy) = (router.clone(), Busy::new(&answering));
        async move {
            let request = request.map(|body| Body::new(Slow::new(body, patience.body)));
            let answer = router.oneshot(request).await?;
            Ok::<_, Infallible>(answer.map(|body| {
                body.map_frame(move |frame| {
                    let _until_it_is_sent = &busy;
                    frame
                })
            }))
        }
    });
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(patience.head)
            .max_buf_size(BUFFER)
            .serve_connection(TokioIo::new(stream), service)
    );
    let mut is_stopping = false;
    loop {
        tokio::select! {
            // Whatever ended it, nobody is left to be told.
            _ = connection.as_mut() => return,
            // A request that came meanwhile is answered.
            () = state.evicted.notified() => match state.busy.load(Relaxed) {
                true => connection.as_mut().graceful_shutdown(),
                false => return,
            },
            _ = stopping.changed(), if !is_stopping => {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}
