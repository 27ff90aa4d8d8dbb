//! PUT and POST.

use super::bodies::Share;
use super::content;
use super::header::prefer::Prefer;
use super::input::{self, Kind};
use super::problem::Problem;
use super::request::Context;
use super::response::{about, put as put_header, validators};
use axum::body::{Body, HttpBody};
use axum::http::{StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use ldp_rdf::{Format, Root};
use ldp_repository::{
    Body as State, Error, Outcome, Pending, Preferences, Repository, Representation, WriteOptions,
};
use ldp_store::{Content, Model};

/// A body that was read, in the form that can go to another thread.
enum Input {
    Rdf(Format, Bytes),
    Binary(Content),
}

impl Input {
    fn size(&self) -> usize {
        match self {
            Input::Rdf(_, text) => text.len(),
            Input::Binary(_) => 0,
        }
    }

    fn state<'a>(&'a self, root: &'a Root) -> State<'a> {
        match self {
            Input::Rdf(_, text) if text.is_empty() => State::Empty,
            Input::Rdf(format, text) => State::Text {
                format: *format,
                text,
                root,
            },
            Input::Binary(content) => State::Binary(content.clone()),
        }
    }
}

/// Makes or replaces the resource at the path.
pub async fn put(context: Context, body: Body) -> Result<Response, Problem> {
    run(context, body, |repository, uid, _, state, options| {
        repository.put(uid, state, options)
    })
    .await
}

/// Replaces the description of a binary.
pub async fn put_description(context: Context, body: Body) -> Result<Response, Problem> {
    run(context, body, |repository, uid, _, state, options| {
        repository.put_description(uid, state, options)
    })
    .await
}

/// Makes a resource in a container.
pub async fn post(context: Context, body: Body) -> Result<Response, Problem> {
    run(context, body, |repository, uid, slug, state, options| {
        repository.create(uid, slug, state, options)
    })
    .await
}

type Write = fn(
    &Repository,
    &str,
    Option<&str>,
    State<'_>,
    &WriteOptions,
) -> Result<Pending<Outcome>, Error>;

async fn run(context: Context, body: Body, write: Write) -> Result<Response, Problem> {
    input::refuse_external(&context.uid, &context.headers)?;
    let options = options(&context)?;
    let (input, share) = read(&context, options.model, body).await?;
    let slug = context
        .headers
        .get("slug")
        .and_then(|slug| slug.to_str().ok())
        .map(decode_slug);
    let (uid, root) = (context.uid.clone(), context.root.clone());
    let size = input.size();
    let work = move |repository: &Repository| {
        let _until_it_is_parsed = share;
        write(
            repository,
            &uid,
            slug.as_deref(),
            input.state(&root),
            &options,
        )
    };
    let pending = context.app.start(size, work).await?;
    let outcome = context.app.durable(pending).await?;
    answer(&context, &outcome)
}

/// What the headers say about a write, its body included.
pub fn options(context: &Context) -> Result<WriteOptions, Problem> {
    Ok(WriteOptions {
        model: input::model(&context.headers)?,
        lenient: Prefer::of(&context.headers).lenient == Some(true),
        ..context.write_options()?
    })
}

async fn read(
    context: &Context,
    model: Option<Model>,
    body: Body,
) -> Result<(Input, Option<Share>), Problem> {
    match input::kind(&context.headers, model, body.is_end_stream())? {
        Kind::Rdf(format, charset) => {
            let limit = context.app.limits.rdf;
            let (bytes, share) = input::read(&context.app, &context.headers, body, limit).await?;
            Ok((Input::Rdf(format, charset.to_utf8(bytes)), Some(share)))
        }
        Kind::Binary(media_type) => content::upload(context, media_type, body)
            .await
            .map(|content| (Input::Binary(content), None)),
    }
}

/// 201 with the place of what was made, or 204.
pub fn answer(context: &Context, outcome: &Outcome) -> Result<Response, Problem> {
    let resource = &outcome.resource;
    let mut response = Response::new(Body::empty());
    let mut headers = about(resource, &context.root, false);
    let of = match resource.model {
        Model::Binary => Representation::Content,
        _ => Representation::Rdf(Format::Turtle, Preferences::default()),
    };
    validators(
        &mut headers,
        &context.view()?.etag(resource, of)?,
        Some(resource.modified),
    );
    if outcome.created {
        *response.status_mut() = StatusCode::CREATED;
        put_header(
            &mut headers,
            header::LOCATION,
            context.root.url(&resource.uid),
        );
    } else {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    *response.headers_mut() = headers;
    Ok(response)
}

/// A slug is percent-encoded UTF-8 (RFC 5023, section 9.7).
pub fn decode_slug(slug: &str) -> String {
    percent_encoding::percent_decode_str(slug)
        .decode_utf8_lossy()
        .into_owned()
}
