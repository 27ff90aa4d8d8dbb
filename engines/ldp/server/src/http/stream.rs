//! Answers that are written while they are sent.

use super::problem::Problem;
use axum::body::Body;
use axum::http::StatusCode;
use bytes::Bytes;
use futures_util::Stream;
use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

/// How many bytes are sent at once.
const CHUNK: usize = 64 << 10;

/// How long a client may take nothing of an answer.
pub const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 30_000 });

enum Part {
    Chunk(Bytes),
    Last(Bytes),
    Failed(Problem),
}

/// Runs `write` on a thread that may block, and gives what it writes as a body. If it fails before
/// the first chunk is full, its problem is the answer; later, the connection is cut off.
pub async fn body(
    write: impl FnOnce(&mut Sink) -> Result<(), Problem> + Send + 'static,
) -> Result<Body, Problem> {
    let (sender, mut parts) = mpsc::channel(4);
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let mut sink = Sink {
            buffer: Vec::with_capacity(CHUNK),
            sender,
            runtime,
        };
        let last = match write(&mut sink) {
            Ok(()) => Part::Last(std::mem::take(&mut sink.buffer).into()),
            Err(problem) => Part::Failed(problem),
        };
        // An error here is a client that has gone.
        let _ = sink.send(last);
    });
    match parts.recv().await {
        Some(Part::Last(bytes)) => Ok(Body::from(bytes)),
        Some(Part::Chunk(first)) => Ok(Body::from_stream(Rest {
            first: Some(first),
            parts,
            ended: false,
        })),
        Some(Part::Failed(problem)) => Err(problem),
        None => Err(Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the answer could not be written",
        )),
    }
}

/// Takes bytes and sends them in chunks; fails when the client has gone.
pub struct Sink {
    buffer: Vec<u8>,
    sender: mpsc::Sender<Part>,
    runtime: Handle,
}

impl Sink {
    /// Tells whether the client has gone.
    pub fn gone(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let sender = self.sender.clone();
        move || sender.is_closed()
    }

    /// Waits until the client has taken enough of what was sent before; one that takes nothing for
    /// [`PATIENCE`] counts as gone, since a thread and a snapshot of the store wait with it.
    fn send(&self, part: Part) -> io::Result<()> {
        self.runtime
            .block_on(self.sender.send_timeout(part, PATIENCE))
            .map_err(|_| io::Error::new(io::ErrorKind::BrokenPipe, "the client has gone"))
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= CHUNK {
            let full = std::mem::replace(&mut self.buffer, Vec::with_capacity(CHUNK));
            self.send(Part::Chunk(full.into()))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The chunks that are still to come.
struct Rest {
    first: Option<Bytes>,
    parts: mpsc::Receiver<Part>,
    ended: bool,
}

impl Stream for Rest {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(first)));
        }
        if self.ended {
            return Poll::Ready(None);
        }
        let Poll::Ready(part) = self.parts.poll_recv(context) else {
            return Poll::Pending;
        };
        self.ended = !matches!(part, Some(Part::Chunk(_)));
        Poll::Ready(match part {
            Some(Part::Chunk(bytes)) => Some(Ok(bytes)),
            Some(Part::Last(bytes)) if bytes.is_empty() => None,
            Some(Part::Last(bytes)) => Some(Ok(bytes)),
            // The client must not take a part for the whole: the chunked body stays without its end.
            Some(Part::Failed(problem)) => Some(Err(io::Error::other(problem.detail))),
            None => Some(Err(io::Error::other("the answer broke off"))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_that_takes_nothing_counts_as_gone() {
        let (told, wait) = tokio::sync::oneshot::channel();
        let body = body(move |sink| {
            let ended = (0..8).try_for_each(|_| sink.write_all(&[b'x'; CHUNK]));
            let _ = told.send(ended.map_err(|error| error.kind()));
            Ok(())
        });
        let body = body.await;
        assert_eq!(wait.await, Ok(Err(io::ErrorKind::BrokenPipe)));
        drop(body);
    }
}
