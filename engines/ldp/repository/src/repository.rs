//! The repository: one store, and the way that a change takes to it.

use crate::change::Change;
use crate::events::{Event, Events, events_of};
use crate::references::settle;
use crate::transactions::Transactions;
use crate::{Error, Options, Pending, References, View};
use ldp_rdf::Graph;
use ldp_store::{Model, Op, Store, Ticket, Time, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// An open repository. Share it by `Arc`; all methods take `&self`.
///
/// A write is prepared (parsed, encoded, checked against itself) outside of the write lock,
/// checked against the present state within it, and durable when its [`Pending`] says so.
pub struct Repository {
    store: Store,
    pub(crate) options: Options,
    /// The first number that was never given.
    numbers: AtomicU64,
    /// The time of the last change, so that no two have the same.
    clock: AtomicU64,
    transactions: Mutex<Transactions>,
    events: Arc<Events>,
}

impl Repository {
    /// Opens the repository in the folder, and makes the root if it is missing.
    pub fn open(path: &Path, options: Options) -> Result<Repository, Error> {
        let store = Store::open(path, options.store.clone())?;
        let repository = Repository {
            numbers: AtomicU64::new(store.snapshot().next_rid()),
            clock: AtomicU64::new(0),
            transactions: Mutex::new(Transactions::new(
                options.transaction_life,
                options.transaction_bytes,
            )),
            events: Arc::default(),
            store,
            options,
        };
        if repository.store.snapshot().resource("/")?.is_none() {
            let made = repository.write(None, |change| {
                let root = change.new_resource(None, "/", Model::BasicContainer);
                change.put(root, Some(Graph::default()));
                Ok::<_, Error>(())
            })?;
            made.wait()?;
        }
        Ok(repository)
    }

    /// The store below: statistics, checks, backup, contents.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The present durable state.
    pub fn view(&self) -> View {
        View::new(self.store.snapshot())
    }

    /// The present state as an open transaction sees it; counts as a use of it.
    pub fn view_in(&self, transaction: &str) -> Result<View, Error> {
        self.transactions().view(transaction, self.store.snapshot())
    }

    /// Has `listener` called with the events of each batch once it is durable, in the order of the
    /// batches. The call should be short: the next batches wait for it.
    pub fn listen(&self, listener: impl Fn(&[Event]) + Send + 'static) {
        self.events.listen(Box::new(listener));
    }

    /// The state that a write would be checked against, if it came now.
    pub(crate) fn head(&self, transaction: Option<&str>) -> Result<View, Error> {
        let head = self.store.write()?.head();
        match transaction {
            None => Ok(View::new(head)),
            Some(id) => self.transactions().view(id, head),
        }
    }

    /// Builds a change under the write lock and accepts it: to the log, or to a transaction.
    pub(crate) fn write<T, E: From<Error>>(
        &self,
        transaction: Option<&str>,
        build: impl FnOnce(&mut Change<'_>) -> Result<T, E>,
    ) -> Result<Pending<T>, E> {
        let mut writer = self.store.write().map_err(Error::from)?;
        let mut transactions = self.transactions();
        let head = writer.head();
        let view = match transaction {
            None => {
                transactions.expire();
                View::new(head)
            }
            Some(id) => transactions.view(id, head)?,
        };
        let now = self.now();
        let mut change = self.change(view, now, &transactions, transaction);
        let value = build(&mut change)?;
        transactions.check(transaction, &change.view, &change.ops)?;
        if let Some(id) = transaction {
            let Change {
                view, ops, touched, ..
            } = change;
            transactions.add(id, &view, ops, &touched, now)?;
            return Ok(Pending::new(value, None));
        }
        let batch = change.batch()?;
        drop(transactions);
        if batch.is_empty() {
            return Ok(Pending::new(value, None));
        }
        let ticket = self.accept(&mut writer, &batch, now)?;
        Ok(Pending::new(value, Some(ticket)))
    }

    /// Accepts a batch, and has its events told when it is durable.
    fn accept(&self, writer: &mut Write<'_>, batch: &[Op], now: Time) -> Result<Ticket, Error> {
        if !self.events.heard() {
            return Ok(writer.accept(batch)?);
        }
        let events = events_of(&writer.head(), batch, now)?;
        let ticket = writer.accept(batch)?;
        // The right to write is still held, so events wait in the order of their batches.
        self.events.expect(ticket.lsn(), events);
        let (told, lsn) = (self.events.clone(), ticket.lsn());
        ticket.clone().on_done(move |done| match done {
            Ok(()) => told.tell(lsn),
            // The store takes no more writes: nothing that waits will ever be durable.
            Err(_) => told.forget(),
        });
        Ok(ticket)
    }

    fn change<'a>(
        &'a self,
        view: View,
        now: Time,
        transactions: &'a Transactions,
        own: Option<&'a str>,
    ) -> Change<'a> {
        let numbers = &self.numbers;
        let (ops, touched) = Default::default();
        Change {
            view,
            now,
            ops,
            touched,
            numbers,
            transactions,
            own,
        }
    }

    /// Begins a transaction and gives its identifier.
    pub fn begin(&self) -> Result<String, Error> {
        if self.options.store.read_only {
            return Err(Error::Store(ldp_store::Error::ReadOnly));
        }
        Ok(self.transactions().begin()?.to_string())
    }

    /// For how long an open transaction will live; with `renew`, this is a use of it.
    pub fn transaction(&self, id: &str, renew: bool) -> Result<Duration, Error> {
        self.transactions().remaining(id, renew)
    }

    /// Applies all that a transaction holds, at once.
    pub fn commit(&self, id: &str) -> Result<Pending<()>, Error> {
        let mut writer = self.store.write()?;
        let mut transactions = self.transactions();
        let (head, now) = (writer.head(), self.now());
        let mut batch: Vec<Op> = transactions.batch(id, &head, now)?;
        if self.options.references != References::Off {
            let view = View::new(head.with(&batch)?);
            let mut change = self.change(view, now, &transactions, Some(id));
            settle(
                &mut change,
                &View::new(head),
                &batch,
                self.options.references,
            )?;
            batch.extend(change.batch()?);
        }
        let ticket = match batch.is_empty() {
            true => None,
            false => Some(self.accept(&mut writer, &batch, now)?),
        };
        transactions.end(id)?;
        Ok(Pending::new((), ticket))
    }

    /// Drops all that a transaction holds.
    pub fn rollback(&self, id: &str) -> Result<(), Error> {
        self.transactions().end(id)
    }

    fn transactions(&self) -> MutexGuard<'_, Transactions> {
        // Each method leaves the table whole, so one that panicked elsewhere did no harm.
        self.transactions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The present time, later than that of any other change.
    fn now(&self) -> Time {
        let since = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let now = u64::try_from(since.as_micros()).unwrap_or(u64::MAX);
        let last = self.clock.fetch_max(now, Ordering::Relaxed);
        if last < now {
            now
        } else {
            self.clock.fetch_add(1, Ordering::Relaxed) + 1
        }
    }
}
