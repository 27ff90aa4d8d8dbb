//! A body that must come within a time.

use axum::body::HttpBody;
use bytes::Bytes;
use hyper::body::{Frame, Incoming, SizeHint};
use std::error::Error;
use std::future::Future;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

/// Bytes in a second that a client sends or takes at least, on average.
pub const RATE: u64 = 16 << 10;

/// A body that is an error when it is not there in time.
pub struct Slow {
    body: Incoming,
    patience: Duration,
    received: u64,
    /// Since the first time that it was waited for.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Slow {
    /// It has `patience`, and the time that its bytes take at [`RATE`].
    pub fn new(body: Incoming, patience: Duration) -> Slow {
        Slow {
            body,
            patience,
            received: 0,
            waiting: None,
        }
    }
}

impl HttpBody for Slow {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) {
            if let Some(Ok(frame)) = &frame {
                this.received += frame.data_ref().map_or(0, |data| data.len() as u64);
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let (since, sleep) = this.waiting.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Box::pin(tokio::time::sleep_until(now + this.patience)))
        });
        let until = *since + this.patience + Duration::from_millis(this.received * 1000 / RATE);
        if sleep.deadline() != until {
            sleep.as_mut().reset(until);
        }
        sleep.as_mut().poll(context).map(|()| {
            let late = io::Error::new(ErrorKind::TimedOut, "the body did not come in time");
            Some(Err(late.into()))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Whether an error of a body is that it did not come in time.
pub fn is_late(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return error.kind() == ErrorKind::TimedOut;
        }
        cause = error.source();
    }
    false
}
