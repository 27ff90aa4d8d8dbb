//! HTTP/2: many requests on a connection at once, within the limits of connections and some of its own.

use super::connections::{Client, Patience};
use super::events::Endless;
use super::problem::Problem;
use super::slow::Slow;
use super::stream;
use super::turns::{Answer, PIECE, Turns};
use axum::body::Body;
use axum::http::{HeaderValue, Request, StatusCode, header};
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tower::ServiceExt;

/// The most requests on one connection at a time; a client that begins more is refused.
const STREAMS: u32 = 100;

/// The longest head of a request.
const HEAD: u32 = 16 << 10;

/// The most of the bodies of one connection, and of one body, that is sent before it is read.
const WINDOW: u32 = 1 << 20;
const WINDOW_OF_ONE: u32 = 256 << 10;

/// The most streams that may have been reset before they were looked at: beyond, the connection ends.
const RESET: usize = 20;

/// What all connections of HTTP/2 share.
#[derive(Clone)]
pub struct Http2 {
    builder: http2::Builder<TokioExecutor>,
    /// As many requests at a time as there may be connections: a request takes as much as one of them.
    requests: Arc<Semaphore>,
    /// Half as many may follow what has no end, beside them.
    followers: Arc<Semaphore>,
}

impl Http2 {
    /// Connections of clients who have this patience.
    pub fn new(patience: Patience) -> Http2 {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS)
            .max_header_list_size(HEAD)
            .initial_connection_window_size(WINDOW)
            .initial_stream_window_size(WINDOW_OF_ONE)
            // Of one answer, beside the piece that comes next.
            .max_send_buf_size(PIECE)
            .max_pending_accept_reset_streams(RESET)
            // Who does not answer a ping has gone, though the system does not know it yet.
            .keep_alive_interval(patience.head)
            .keep_alive_timeout(patience.head);
        Http2 {
            builder,
            requests: Arc::new(Semaphore::new(patience.connections)),
            followers: Arc::new(Semaphore::new(patience.connections / 2)),
        }
    }

    /// Answers the requests of one client.
    pub async fn serve(self, mut client: Client, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let (router, patience) = (client.router, client.patience);
        let turns = Turns::new(client.connection.clone());
        let (asked, all, followers) = (turns.clone(), self.requests, self.followers);
        let service = service_fn(move |request: Request<Incoming>| {
            let (router, mut turn) = (router.clone(), asked.begin());
            let mut place = all.clone().try_acquire_owned();
            let followers = followers.clone();
            async move {
                let mut answer = match &place {
                    Ok(_) => router.oneshot(read(request, patience)).await?,
                    Err(_) => crowded().into_response(),
                };
                if answer.extensions().get::<Endless>().is_some() {
                    place = followers.try_acquire_owned();
                    match &place {
                        Ok(_) => turn.follow(),
                        Err(_) => answer = crowded().into_response(),
                    }
                }
                Ok::<_, Infallible>(answer.map(|body| Answer::new(body, turn, place.ok())))
            }
        });
        let mut serving = pin!(self.builder.serve_connection(TokioIo::new(stream), service));
        let look = patience.head.min(stream::PATIENCE) / 4;
        let mut is_closing = false;
        loop {
            tokio::select! {
                // Whatever ended it, nobody is left to be told.
                _ = serving.as_mut() => return,
                // Requests that came meanwhile are answered.
                () = client.connection.evicted.notified() => {
                    if !client.connection.busy.load(Relaxed) {
                        return;
                    }
                    is_closing = true;
                }
                _ = client.stopping.changed(), if !is_closing => is_closing = true,
                () = sleep(look) => {
                    let idle = turns.idle();
                    if turns.untaken() > stream::PATIENCE || (is_closing && idle.is_some()) {
                        return;
                    }
                    if idle.is_none_or(|time| time < patience.head) {
                        continue;
                    }
                    is_closing = true;
                }
            }
            // Tells the client, so that it asks elsewhere.
            serving.as_mut().graceful_shutdown();
        }
    }
}

/// The request as the handlers know them: HTTP/2 names the host in the URL.
fn read(request: Request<Incoming>, patience: Patience) -> Request<Body> {
    let mut request = request.map(|body| Body::new(Slow::new(body, patience.body)));
    let named = request.uri().authority();
    if let Some(host) = named.and_then(|host| HeaderValue::from_str(host.as_str()).ok()) {
        request.headers_mut().insert(header::HOST, host);
    }
    request
}

fn crowded() -> Problem {
    let detail = "all clients together have as many requests over HTTP/2 as they may";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).with(header::RETRY_AFTER, "1")
}
