//! `fcr:events`: changes of a resource and of all below it, as server-sent events
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).

use super::header::accept;
use super::problem::Problem;
use super::request::Context;
use crate::events::{Notice, Number, Reader, activity};
use axum::body::Body;
use axum::http::{Method, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::{empty, unfold};
use ldp_rdf::Root;
use std::convert::Infallible;

/// Answers without an end: each event, as it happens; first those behind `Last-Event-ID`.
pub fn follow(context: Context) -> Result<Response, Problem> {
    context.view()?.get(&context.uid)?;
    if accept::negotiate(&context.headers, &["text/event-stream"]).is_none() {
        let detail = "events are text/event-stream, which Accept does not take";
        return Err(Problem::new(StatusCode::NOT_ACCEPTABLE, detail));
    }
    let after = match context.headers.get("last-event-id") {
        None => None,
        Some(id) => {
            let read = id.to_str().map_err(|error| error.to_string());
            let read = read.and_then(str::parse::<Number>);
            Some(read.map_err(|why| Problem::bad_request(format!("header Last-Event-ID: {why}")))?)
        }
    };
    let follower = Follower {
        reader: context.app.feed.reader(after),
        root: context.root,
        scope: context.uid,
    };
    let events = unfold(follower, async |mut follower| {
        let event = follower.next().await?;
        Some((Ok::<_, Infallible>(event), follower))
    });
    // Comments in between tell both sides that the other one is still there.
    let mut answer = Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response();
    if context.method == Method::HEAD {
        *answer.body_mut() = Body::from_stream(empty::<Result<Bytes, Infallible>>());
    } else {
        answer.extensions_mut().insert(Endless);
    }
    Ok(answer)
}

/// Marks an answer without an end, so that its client holds up no other.
#[derive(Clone, Copy)]
pub struct Endless;

struct Follower {
    reader: Reader,
    root: Root,
    scope: String,
}

impl Follower {
    async fn next(&mut self) -> Option<Event> {
        loop {
            let notice = self.reader.next().await?;
            let number = match &notice {
                Notice::Changed(_, event) if !below(&self.scope, &event.uid) => continue,
                Notice::Changed(number, _) | Notice::Missed(number) => number.to_string(),
            };
            let data = activity(&notice, &self.root, &self.scope);
            return Some(Event::default().id(number).data(data));
        }
    }
}

/// Whether `uid` is `scope` or lies below it.
fn below(scope: &str, uid: &str) -> bool {
    match uid.strip_prefix(scope) {
        Some(rest) => scope == "/" || rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}
