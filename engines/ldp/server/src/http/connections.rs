//! The connections of a server: how many there are, and how long each part of a request may take.

use super::events::Endless;
use super::secure::Secure;
use super::slow::Slow;
use super::taken::Taken;
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
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio_rustls::rustls::ServerConfig;
use tower::ServiceExt;

/// What clients may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// The most connections.
    pub connections: usize,
    /// From the beginning of a connection, or the last answer on it, to the end of the head of the next
    /// request.
    pub head: Duration,
    /// For a body, and for an answer that is not taken, beside the time that its bytes take at the lowest rate.
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

/// What the server knows of a connection while it is open.
#[derive(Default)]
pub struct Connection {
    /// Whether a request is being answered that has an end.
    pub busy: AtomicBool,
    /// Told when it is to make room.
    pub evicted: Notify,
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
    /// Closes the oldest connection that is not busy, to make room: its client makes another one.
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
        let connection = Arc::new(Connection::default());
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.insert(number, connection.clone());
        connection
    }

    fn remove(&self, number: u64) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.remove(&number);
    }
}

/// Answers until `stopped` is ready, and then what was asked before. With `tls`, a new connection takes the
/// configuration that is there when it comes.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    patience: Patience,
    tls: Option<watch::Receiver<Arc<ServerConfig>>>,
    stopped: impl Future<Output = ()>,
) {
    let open = Arc::new(Open::default());
    let secure = tls.map(|tls| Secure::new(tls, patience));
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
                let client = Client {
                    router: router.clone(),
                    patience,
                    connection: open.add(number),
                    stopping: stopping.clone(),
                };
                let open = open.clone();
                // Answers are small and written at once: waiting for more to send only delays them.
                let _ = stream.set_nodelay(true);
                let stream = Taken::new(stream, patience.body);
                // Two tasks, so that one without TLS has not the size of one with it.
                match secure.clone() {
                    None => tasks.spawn(async move {
                        client.http1(stream).await;
                        open.remove(number);
                    }),
                    Some(secure) => tasks.spawn(async move {
                        secure.serve(client, stream).await;
                        open.remove(number);
                    }),
                };
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

/// One connection, and what its requests go to.
pub struct Client {
    pub router: Router,
    pub patience: Patience,
    pub connection: Arc<Connection>,
    /// Changes when the server is to end.
    pub stopping: watch::Receiver<bool>,
}

impl Client {
    /// Answers requests of HTTP/1.1, one after the other.
    pub async fn http1(mut self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let (router, patience, answering) = (self.router, self.patience, self.connection.clone());
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let (router, busy) = (router.clone(), Busy::new(&answering));
            async move {
                let request = request.map(|body| Body::new(Slow::new(body, patience.body)));
                let answer = router.oneshot(request).await?;
                // Who follows what has no end makes room for others, and comes back.
                let busy = answer
                    .extensions()
                    .get::<Endless>()
                    .is_none()
                    .then_some(busy);
                Ok::<_, Infallible>(answer.map(|body| {
                    body.map_frame(move |frame| {
                        let _until_it_is_sent = &busy;
                        frame
                    })
                }))
            }
        });
        let mut serving = pin!(
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
                _ = serving.as_mut() => return,
                // A request that came meanwhile is answered.
                () = self.connection.evicted.notified() => match self.connection.busy.load(Relaxed) {
                    true => serving.as_mut().graceful_shutdown(),
                    false => return,
                },
                _ = self.stopping.changed(), if !is_stopping => {
                    is_stopping = true;
                    serving.as_mut().graceful_shutdown();
                }
            }
        }
    }
}
