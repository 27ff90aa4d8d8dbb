//! What a write is given, and what it gives back.

use crate::{Conditions, Error};
use ldp_rdf::{Format, Graph, Root};
use ldp_store::{Content, Model, Resource, Ticket};

/// The new state of a resource.
#[derive(Clone, Debug)]
pub enum Body<'a> {
    /// Nothing: an RDF source without triples.
    Empty,
    /// RDF as a client sent it. Relative IRIs are resolved against the URL of the resource.
    Text {
        /// Its syntax.
        format: Format,
        /// UTF-8.
        text: &'a [u8],
        /// Where the client sees the repository.
        root: &'a Root,
    },
    /// Triples with inside IRIs (`info:fcres/…`).
    Graph(Graph),
    /// Bytes that lie in the store already: see `ldp_store::Store::put_content`.
    Binary(Content),
}

/// How a write is asked for.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// What has to hold of the resource that is changed; for `create`, of the container.
    pub conditions: Conditions,
    /// The interaction model from `Link: <…>; rel="type"`. Without one: that of the resource that is
    /// there; else what the body says (its type, or a membership property); else basic container.
    pub model: Option<Model>,
    /// `Prefer: handling=lenient`: triples that only the server says are dropped, not refused.
    pub lenient: bool,
    /// The identifier of the transaction that this is a part of (`Atomic-ID`).
    pub transaction: Option<String>,
}

/// What a write has done.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The record as it is now.
    pub resource: Resource,
    /// Whether the resource was made by this.
    pub created: bool,
}

/// A write that is accepted, and not yet as durable as the store promises. Nobody may be told of it
/// before [`Pending::wait`] returns or the callback of [`Pending::on_done`] is called.
pub struct Pending<T> {
    value: T,
    /// None inside a transaction, where nothing is durable before its end.
    ticket: Option<Ticket>,
}

impl<T> Pending<T> {
    pub(crate) fn new(value: T, ticket: Option<Ticket>) -> Pending<T> {
        Pending { value, ticket }
    }

    /// Waits until the write is durable.
    pub fn wait(self) -> Result<T, Error> {
        if let Some(ticket) = self.ticket {
            ticket.wait()?;
        }
        Ok(self.value)
    }

    /// Calls `done` once the write is durable or has failed: from another thread, or at once.
    pub fn on_done(self, done: impl FnOnce(Result<T, Error>) + Send + 'static)
    where
        T: Send + 'static,
    {
        let value = self.value;
        match self.ticket {
            None => done(Ok(value)),
            Some(ticket) => {
                ticket.on_done(move |result| done(result.map(|()| value).map_err(Error::from)))
            }
        }
    }
}

impl<T> Pending<Option<T>> {
    /// The write, if it was one.
    pub(crate) fn transpose(self) -> Option<Pending<T>> {
        let ticket = self.ticket;
        self.value.map(|value| Pending { value, ticket })
    }
}
