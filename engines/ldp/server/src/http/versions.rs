//! Versions: Memento (RFC 7089) and `fcr:versions`.

use super::app::blocking;
use super::delete::no_content;
use super::description::{Description, OFFERS};
use super::header::{accept, date as date_header};
use super::problem::Problem;
use super::request::Context;
use super::response::{about, date, link, put, validators};
use super::{content, get, write};
use axum::body::Body;
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use ldp_rdf::{Format, LiteralRef, NamedNode, NamedNodeRef, TermRef, TripleRef, Writer, iri_of};
use ldp_repository::{Error, VersionInfo, View, segment_of_slug};
use ldp_store::{Model, Resource, Version};
use std::sync::Arc;

const MEMENTO_DATETIME: HeaderName = HeaderName::from_static("memento-datetime");
const LINK_FORMAT: &str = "application/link-format";

/// The answer to `Accept-Datetime` on a resource: the way to the version that was current then.
/// None without the header, and while there are no versions.
pub fn gate(
    context: &Context,
    view: &View,
    resource: &Resource,
) -> Result<Option<Response>, Problem> {
    let Some(text) = context.headers.get("accept-datetime") else {
        return Ok(None);
    };
    let time = text
        .to_str()
        .ok()
        .and_then(date_header::seconds)
        .ok_or_else(|| {
            Problem::bad_request("header Accept-Datetime is no date of HTTP after 1970")
        })?;
    // The date has whole seconds, so it means the end of its second.
    let version = match view.version_at(resource, time * 1_000_000 + 999_999) {
        Ok(version) => version,
        Err(Error::NoVersion { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::FOUND;
    let headers = response.headers_mut();
    *headers = about(resource, &context.root, false);
    put(headers, header::LOCATION, url(context, &version.label));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Datetime"));
    Ok(Some(response))
}

/// `fcr:versions`: GET lists them, POST keeps the present state as one.
pub async fn list(context: Context) -> Result<Response, Problem> {
    match context.method.as_str() {
        "GET" | "HEAD" => map(&context),
        "POST" => create(&context).await,
        method => Err(Problem::not_allowed(
            format!("{method} is not for a list of versions"),
            "GET, HEAD, POST",
        )),
    }
}

/// `fcr:versions/NAME`: GET shows it, PATCH makes it the present state, DELETE forgets it.
pub async fn one(context: Context, name: String) -> Result<Response, Problem> {
    let (repository, uid, transaction) = (
        context.app.repository.clone(),
        context.uid.clone(),
        context.transaction(),
    );
    match context.method.as_str() {
        "GET" | "HEAD" => show(&context, &name).await,
        "PATCH" => {
            let options = context.write_options()?;
            let revert = move || repository.revert_to_version(&uid, &name, true, &options);
            let outcome = context.app.durable(blocking(revert).await?).await?;
            write::answer(&context, &outcome)
        }
        "DELETE" => {
            let delete = move || repository.delete_version(&uid, &name, transaction.as_deref());
            context.app.durable(blocking(delete).await?).await?;
            Ok(no_content())
        }
        method => Err(Problem::not_allowed(
            format!("{method} is not for a version"),
            "GET, HEAD, PATCH, DELETE",
        )),
    }
}

async fn create(context: &Context) -> Result<Response, Problem> {
    let label = context
        .headers
        .get("slug")
        .and_then(|slug| slug.to_str().ok())
        .and_then(|slug| segment_of_slug(&write::decode_slug(slug)));
    let (repository, uid, transaction) = (
        context.app.repository.clone(),
        context.uid.clone(),
        context.transaction(),
    );
    let create = move || repository.create_version(&uid, label.as_deref(), transaction.as_deref());
    let VersionInfo { label, at } = context.app.durable(blocking(create).await?).await?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::CREATED;
    put(
        response.headers_mut(),
        header::LOCATION,
        url(context, &label),
    );
    put(response.headers_mut(), MEMENTO_DATETIME, date(at));
    Ok(response)
}

async fn show(context: &Context, name: &str) -> Result<Response, Problem> {
    let view = context.view()?;
    let resource = view.get(&context.uid)?;
    let version = view.version(&resource, name)?;
    let Version {
        at,
        resource,
        graph,
        ..
    } = Arc::unwrap_or_clone(version);
    let binary = resource.model == Model::Binary;
    let mut headers = HeaderMap::new();
    put(&mut headers, MEMENTO_DATETIME, date(at));
    let mut about = about(&resource, &context.root, false);
    // A version is kept as it is: what can be done with its original is not for it.
    for name in ["accept-post", "accept-patch", "accept-put"] {
        about.remove(name);
    }
    about.insert(
        header::ALLOW,
        HeaderValue::from_static("GET, HEAD, PATCH, DELETE"),
    );
    headers.extend(about);
    // It never changes, so its name says all.
    let etag = format!("\"{:x}-{at:x}\"", resource.rid);
    if binary {
        return content::send(context, &resource, headers, &etag).await;
    }
    let format = get::format(&context.headers)?;
    let tag = format.map_or("text/html", Format::media_type);
    let etag = format!(
        "{}-{}\"",
        etag.trim_end_matches('"'),
        tag.rsplit(['/', '+', '-']).next().unwrap_or_default()
    );
    let modified = Some(resource.modified);
    validators(&mut headers, &etag, modified);
    headers.insert(header::VARY, HeaderValue::from_static("Accept"));
    let description = Description::of_version(
        view,
        Arc::new(resource),
        graph,
        context.root.clone(),
        format,
    );
    get::answer(context, description, headers, &etag, modified).await
}

fn url(context: &Context, label: &str) -> String {
    let label = percent_encoding::utf8_percent_encode(label, percent_encoding::NON_ALPHANUMERIC);
    format!(
        "{}/fcr:versions/{label}",
        context.url().trim_end_matches('/')
    )
}

/// The TimeMap: as links, or as triples in the words of Fedora.
fn map(context: &Context) -> Result<Response, Problem> {
    let view = context.view()?;
    let resource = view.get(&context.uid)?;
    let versions = view.versions(&resource)?;
    let mut offers = OFFERS[..4].to_vec();
    offers.push(LINK_FORMAT);
    let best = accept::negotiate(&context.headers, &offers).ok_or_else(|| {
        let detail = format!(
            "there is no list of versions that Accept takes; expected one of {}",
            offers.join(", ")
        );
        Problem::new(StatusCode::NOT_ACCEPTABLE, detail)
    })?;
    let body = match Format::from_media_type(offers[best]) {
        Some(format) => triples(context, &versions, format)?,
        None => links(context, &versions).into_bytes(),
    };
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(offers[best]));
    headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept"));
    link(headers, "http://mementoweb.org/ns#TimeMap", "type");
    link(headers, &context.url(), "original timegate");
    Ok(response)
}

fn links(context: &Context, versions: &[VersionInfo]) -> String {
    let original = context.url();
    let mut text = format!(
        "<{original}>; rel=\"original timegate\",\n<{}/fcr:versions>; rel=\"self\"; type=\"{LINK_FORMAT}\"",
        original.trim_end_matches('/')
    );
    for version in versions {
        let (url, at) = (url(context, &version.label), date(version.at));
        text.push_str(&format!(",\n<{url}>; rel=\"memento\"; datetime=\"{at}\""));
    }
    text.push('\n');
    text
}

fn triples(
    context: &Context,
    versions: &[VersionInfo],
    format: Format,
) -> Result<Vec<u8>, Problem> {
    const FCREPO: &str = "http://fedora.info/definitions/v4/repository#";
    let term = |name: &str| NamedNode::new_unchecked(format!("{FCREPO}{name}"));
    let (has, label, created) = (term("hasVersion"), term("hasVersionLabel"), term("created"));
    let moment = NamedNodeRef::new_unchecked("http://www.w3.org/2001/XMLSchema#dateTime");
    let resource = NamedNode::new_unchecked(iri_of(&context.uid));
    let mut writer = Writer::new(format, &context.root, &[("fcrepo", FCREPO)], Vec::new());
    for version in versions {
        let node = NamedNode::new_unchecked(url(context, &version.label));
        writer.triple(TripleRef::new(&resource, &has, &node))?;
    }
    for version in versions {
        let node = NamedNode::new_unchecked(url(context, &version.label));
        let name: TermRef = LiteralRef::new_simple_literal(&version.label).into();
        writer.triple(TripleRef::new(&node, &label, name))?;
        let at = ldp_repository::date_time(version.at);
        writer.triple(TripleRef::new(
            &node,
            &created,
            LiteralRef::new_typed_literal(&at, moment),
        ))?;
    }
    Ok(writer.finish()?)
}
