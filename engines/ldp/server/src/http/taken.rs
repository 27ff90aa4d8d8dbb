//! A connection whose client must take what is written to it.

use super::slow::RATE;
use std::future::Future;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// A stream that breaks when its other end takes too little of what is written.
///
/// The time that a write waits counts, less the time that the bytes written take at [`RATE`]: who takes a byte now
/// and then is as late as who takes nothing, and who took much before may not wait for longer.
pub struct Taken<S> {
    stream: S,
    patience: Duration,
    late: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<S> Taken<S> {
    /// Its client may be late by `patience`.
    pub fn new(stream: S, patience: Duration) -> Taken<S> {
        Taken {
            stream,
            patience,
            late: Duration::ZERO,
            waiting: None,
        }
    }

    /// What a write gave, or an error when it has waited for too long.
    fn timed(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            if let Some((since, _)) = self.waiting.take() {
                self.late += since.elapsed();
            }
            if !self.late.is_zero() {
                let bytes = *written.as_ref().unwrap_or(&0) as u64;
                let time = Duration::from_millis(bytes * 1000 / RATE);
                self.late = self.late.saturating_sub(time);
            }
            return Poll::Ready(written);
        }
        let left = self.patience.saturating_sub(self.late);
        let (_, sleep) = self.waiting.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Box::pin(tokio::time::sleep_until(now + left)))
        });
        sleep.as_mut().poll(context).map(|()| {
            let late = "the client does not take the answer";
            Err(io::Error::new(ErrorKind::TimedOut, late))
        })
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Taken<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Taken<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.timed(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.timed(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    const PATIENCE: Duration = Duration::from_millis(200);

    /// How a writer ends whose reader takes `piece` bytes every 10 ms.
    async fn written(piece: usize) -> io::Result<()> {
        let (near, mut far) = duplex(1024);
        let reader = tokio::spawn(async move {
            let mut taken = vec![0; piece];
            while far.read_exact(&mut taken).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        let written = Taken::new(near, PATIENCE)
            .write_all(&[b'x'; 64 << 10])
            .await;
        reader.abort();
        written
    }

    #[tokio::test]
    async fn who_takes_too_little_is_cut_off() {
        for piece in [1, 100] {
            let error = written(piece).await.expect_err("an end");
            assert_eq!(error.kind(), ErrorKind::TimedOut, "{piece}");
        }
        assert!(written(8000).await.is_ok());
    }
}
