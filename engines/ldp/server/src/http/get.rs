//! GET, HEAD and OPTIONS.

use super::content;
use super::description::{Description, OFFERS};
use super::header::{accept, conditional, prefer::Prefer};
use super::problem::Problem;
use super::request::Context;
use super::response::{about, validators};
use super::versions;
use axum::body::Body;
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use ldp_rdf::Format;
use ldp_repository::{Preferences, View};
use ldp_store::{Model, Resource};
use std::sync::Arc;

/// A resource: the bytes of a binary, the triples of all else; or its version of another time.
pub async fn resource(context: Context) -> Result<Response, Problem> {
    let view = context.view()?;
    let resource = view.get(&context.uid)?;
    if let Some(response) = versions::gate(&context, &view, &resource)? {
        return Ok(response);
    }
    if resource.model == Model::Binary {
        return content::answer(&context, &view, &resource).await;
    }
    triples(&context, view, resource, false).await
}

/// The description of a binary; of all else, the resource.
pub async fn metadata(context: Context) -> Result<Response, Problem> {
    let view = context.view()?;
    let resource = view.get(&context.uid)?;
    let described = resource.model == Model::Binary;
    triples(&context, view, resource, described).await
}

/// What can be done with a resource.
pub fn options(context: Context) -> Result<Response, Problem> {
    let resource = context.view()?.get(&context.uid)?;
    let mut response = Response::new(Body::empty());
    *response.headers_mut() = about(&resource, &context.root, false);
    Ok(response)
}

async fn triples(
    context: &Context,
    view: View,
    resource: Arc<Resource>,
    described: bool,
) -> Result<Response, Problem> {
    let prefer = Prefer::of(&context.headers);
    let format = format(&context.headers)?;
    let description = Description::new(
        view,
        resource,
        context.root.clone(),
        format,
        preferences(&prefer),
    );
    let etag = description
        .view
        .etag(&description.resource, description.representation())?;
    let modified = match borrows(&description)? {
        true => None,
        false => Some(description.resource.modified),
    };
    let mut headers = about(&description.resource, &context.root, described);
    validators(&mut headers, &etag, modified);
    headers.insert(
        header::VARY,
        HeaderValue::from_static("Accept, Prefer, Accept-Datetime"),
    );
    if prefer.representation || prefer.minimal {
        let kind = if prefer.representation {
            "return=representation"
        } else {
            "return=minimal"
        };
        headers.insert(
            HeaderName::from_static("preference-applied"),
            HeaderValue::from_static(kind),
        );
    }
    answer(context, description, headers, &etag, modified).await
}

/// Whether other resources have a part in a representation, so that it changes without a change of
/// its resource: no date tells of that.
fn borrows(description: &Description) -> Result<bool, Problem> {
    let Description {
        view,
        resource,
        preferences,
        ..
    } = description;
    Ok(preferences.inbound
        || preferences.embedded
        || preferences.membership && view.shows_membership(resource)?)
}

/// The answer with the triples, or without if the client has them.
pub async fn answer(
    context: &Context,
    description: Description,
    mut headers: HeaderMap,
    etag: &str,
    modified: Option<u64>,
) -> Result<Response, Problem> {
    let mut response = Response::new(Body::empty());
    if conditional::not_modified(&context.headers, etag, modified)? {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static(description.media_type()),
        );
        // With HEAD it only tells its length, and axum drops it.
        *response.body_mut() = description.body().await?;
    }
    *response.headers_mut() = headers;
    Ok(response)
}

/// The syntax that the client likes best; none is HTML.
pub fn format(headers: &HeaderMap) -> Result<Option<Format>, Problem> {
    match accept::negotiate(headers, &OFFERS) {
        Some(best) => Ok(Format::from_media_type(OFFERS[best])),
        None => Err(Problem::new(
            StatusCode::NOT_ACCEPTABLE,
            format!(
                "there is no representation that Accept takes; expected one of {}",
                OFFERS.join(", ")
            ),
        )),
    }
}

fn preferences(prefer: &Prefer) -> Preferences {
    if prefer.minimal {
        return Preferences {
            containment: false,
            membership: false,
            ..Preferences::default()
        };
    }
    Preferences::from_iris(
        prefer.include.iter().map(String::as_str),
        prefer.omit.iter().map(String::as_str),
    )
}
