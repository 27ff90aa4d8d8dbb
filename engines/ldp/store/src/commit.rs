//! The right to write, and the promise that a write gives.

use std::sync::{Arc, MutexGuard};

use crate::delta::Lsn;
use crate::engine::{Engine, Writer};
use crate::{Op, Result, Snapshot};

/// The right to write: one at a time. It sees all accepted writes, those not yet durable too.
pub struct Write<'a> {
    pub(crate) engine: &'a Arc<Engine>,
    pub(crate) writer: MutexGuard<'a, Writer>,
}

/// An accepted write that may not be durable yet.
#[derive(Clone)]
#[must_use = "a write is acknowledged when its ticket says so"]
pub struct Ticket {
    engine: Arc<Engine>,
    lsn: Lsn,
}

impl Write<'_> {
    /// The state of all accepted writes: what checks go by.
    pub fn head(&self) -> Snapshot {
        self.writer.head.clone()
    }

    /// Accepts a batch, as a whole or not at all, and gives the right to write back.
    ///
    /// With [`Error::Invalid`](crate::Error::Invalid) and with a full disk nothing has happened, and
    /// later writes may succeed.
    pub fn commit(mut self, batch: &[Op]) -> Result<Ticket> {
        self.accept(batch)
    }

    /// The same, and keeps the right to write: no other batch is accepted before this is dropped.
    pub fn accept(&mut self, batch: &[Op]) -> Result<Ticket> {
        let engine = self.engine.clone();
        let lsn = engine.accept(&mut self.writer, batch)?;
        engine.pending(lsn);
        Ok(Ticket { engine, lsn })
    }
}

impl Ticket {
    /// The number of the batch: that of the first snapshot that shows it.
    pub fn lsn(&self) -> u64 {
        self.lsn
    }

    /// Waits until the write is as durable as the store was told, and new snapshots show it.
    pub fn wait(self) -> Result<()> {
        self.engine.flush(self.lsn)
    }

    /// Calls back, from another thread, once the write is durable or never will be. All writes before
    /// it are as durable then. The call should be short.
    pub fn on_done(self, done: impl FnOnce(Result<()>) + Send + 'static) {
        self.engine.call(self.lsn, Box::new(done));
    }
}
