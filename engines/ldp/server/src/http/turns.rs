//! Whose turn it is in the requests of a connection that has many at once.

use super::connections::Connection;
use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

/// The requests of a connection.
pub struct Turns {
    connection: Arc<Connection>,
    requests: Mutex<Requests>,
}

struct Requests {
    /// How many there have been.
    count: u64,
    /// Those that are open, each with the time since when the client has a piece of the answer to take; none
    /// where the server has something to do.
    open: BTreeMap<u64, Option<Instant>>,
    /// How many of them have no end.
    following: usize,
    /// When the last one ended.
    ended: Instant,
}

impl Turns {
    /// Of a connection without requests.
    pub fn new(connection: Arc<Connection>) -> Arc<Turns> {
        let requests = Mutex::new(Requests {
            count: 0,
            open: BTreeMap::new(),
            following: 0,
            ended: Instant::now(),
        });
        Arc::new(Turns {
            connection,
            requests,
        })
    }

    /// A request, which lasts until this is dropped.
    pub fn begin(self: &Arc<Self>) -> Turn {
        let mut requests = self.lock();
        let number = requests.count;
        requests.count += 1;
        requests.open.insert(number, None);
        self.tell(&requests);
        Turn {
            turns: self.clone(),
            number,
            follows: false,
        }
    }

    /// For how long there has been no request, if there is none.
    pub fn idle(&self) -> Option<Duration> {
        let requests = self.lock();
        requests.open.is_empty().then(|| requests.ended.elapsed())
    }

    /// The longest time for which the client has not taken a piece of an answer.
    pub fn untaken(&self) -> Duration {
        let requests = self.lock();
        let since = requests.open.values().flatten().min();
        since.map_or(Duration::ZERO, Instant::elapsed)
    }

    fn tell(&self, requests: &Requests) {
        let busy = requests.open.len() > requests.following;
        self.connection.busy.store(busy, Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One request.
pub struct Turn {
    turns: Arc<Turns>,
    number: u64,
    follows: bool,
}

impl Turn {
    /// It is the turn of the client since then, or of the server.
    fn pass(&self, since: Option<Instant>) {
        self.turns.lock().open.insert(self.number, since);
    }

    /// The answer has no end: a connection with no other makes room as one without a request does.
    pub fn follow(&mut self) {
        self.follows = true;
        let mut requests = self.turns.lock();
        requests.following += 1;
        self.turns.tell(&requests);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut requests = self.turns.lock();
        requests.open.remove(&self.number);
        requests.following -= usize::from(self.follows);
        if requests.open.is_empty() {
            requests.ended = Instant::now();
        }
        self.turns.tell(&requests);
    }
}

/// The most of an answer that is given at once: what the client has not taken yet stays in memory when the request
/// has ended.
pub const PIECE: usize = 8 << 10;

/// The body of an answer, which tells whose turn it is.
pub struct Answer {
    body: Body,
    /// What was not given yet of what the body gave.
    rest: Bytes,
    turn: Turn,
    /// Its place among the requests of all clients.
    _place: Option<OwnedSemaphorePermit>,
}

impl Answer {
    /// The answer to the request of this turn.
    pub fn new(body: Body, turn: Turn, place: Option<OwnedSemaphorePermit>) -> Answer {
        Answer {
            body,
            rest: Bytes::new(),
            turn,
            _place: place,
        }
    }
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    /// Is called again when the client has taken what was given before.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        if this.rest.is_empty() {
            this.turn.pass(None);
            match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                ended => return Poll::Ready(ended),
            }
        }
        this.turn.pass(Some(Instant::now()));
        let piece = this.rest.split_to(PIECE.min(this.rest.len()));
        // A copy, since a part would keep the whole.
        Poll::Ready(Some(Ok(Frame::data(Bytes::copy_from_slice(&piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, body) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(rest + body.lower());
        if let Some(upper) = body.upper() {
            hint.set_upper(rest + upper);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    #[tokio::test]
    async fn a_piece_is_untaken_until_the_next_one_is_asked_for() {
        const MOMENT: Duration = Duration::from_millis(10);
        let turns = Turns::new(Arc::new(Connection::default()));
        let (more, pieces) = tokio::sync::mpsc::channel::<Result<Bytes, std::io::Error>>(1);
        let pieces = futures_util::stream::unfold(pieces, async |mut pieces| {
            Some((pieces.recv().await?, pieces))
        });
        tokio::time::sleep(MOMENT).await;
        assert!(turns.idle().is_some_and(|time| time >= MOMENT));
        let mut answer = Answer::new(Body::from_stream(pieces), turns.begin(), None);
        let busy = || turns.connection.busy.load(Relaxed);
        assert!(busy() && turns.idle().is_none());
        for _ in 0..2 {
            let waiting = tokio::time::timeout(MOMENT, answer.frame());
            assert!(waiting.await.is_err());
            // The server has not made it yet.
            assert_eq!(turns.untaken(), Duration::ZERO);
            more.send(Ok(Bytes::from_static(b"x"))).await.expect("room");
            assert!(answer.frame().await.is_some());
            tokio::time::sleep(MOMENT).await;
            assert!(turns.untaken() >= MOMENT);
        }
        let other = turns.begin();
        drop(answer);
        assert!(busy() && turns.idle().is_none());
        assert_eq!(turns.untaken(), Duration::ZERO);
        drop(other);
        assert!(!busy() && turns.idle().is_some());
    }

    #[tokio::test]
    async fn an_answer_comes_in_pieces() {
        let turns = Turns::new(Arc::new(Connection::default()));
        let whole: Vec<u8> = (0..=255).cycle().take(2 * PIECE + 5).collect();
        let mut answer = Answer::new(whole.clone().into(), turns.begin(), None);
        let (mut pieces, mut left) = (Vec::new(), whole.len());
        while !answer.is_end_stream() {
            assert_eq!(answer.size_hint().exact(), Some(left as u64));
            let frame = answer.frame().await.expect("a frame").expect("no error");
            pieces.push(frame.into_data().expect("data"));
            left -= pieces.last().map_or(0, Bytes::len);
        }
        assert_eq!(
            pieces.iter().map(Bytes::len).collect::<Vec<_>>(),
            [PIECE, PIECE, 5]
        );
        assert_eq!(pieces.concat(), whole);
    }
}
