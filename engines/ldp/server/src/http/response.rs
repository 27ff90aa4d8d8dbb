//! Headers that tell what a resource is and what can be done with it.

use axum::body::Body;
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use ldp_rdf::Root;
use ldp_store::{Model, Resource};
use std::time::{Duration, SystemTime};

/// Which methods a container takes.
pub const CONTAINER: &str = "GET, HEAD, OPTIONS, PUT, POST, PATCH, DELETE";
/// The root cannot be deleted.
pub const ROOT: &str = "GET, HEAD, OPTIONS, PUT, POST, PATCH";
/// An RDF source contains nothing.
pub const SOURCE: &str = "GET, HEAD, OPTIONS, PUT, PATCH, DELETE";
/// The bytes of a binary cannot be patched.
pub const BINARY: &str = "GET, HEAD, OPTIONS, PUT, DELETE";
/// The description of a binary comes and goes with it.
pub const DESCRIPTION: &str = "GET, HEAD, OPTIONS, PUT, PATCH";

const RDF: HeaderValue = HeaderValue::from_static(
    "text/turtle, application/n-triples, application/rdf+xml, application/ld+json",
);
const ANY: HeaderValue = HeaderValue::from_static(
    "text/turtle, application/n-triples, application/rdf+xml, application/ld+json, */*",
);

/// The headers that stand on every answer about `resource`; `described` for the description of a binary.
pub fn about(resource: &Resource, root: &Root, described: bool) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(16);
    let mut kind =
        |name: &'static str| headers.append(header::LINK, HeaderValue::from_static(name));
    kind("<http://www.w3.org/ns/ldp#Resource>; rel=\"type\"");
    let model = if described {
        Model::RdfSource
    } else {
        resource.model
    };
    if model == Model::Binary {
        kind("<http://www.w3.org/ns/ldp#NonRDFSource>; rel=\"type\"");
    } else {
        kind("<http://www.w3.org/ns/ldp#RDFSource>; rel=\"type\"");
    }
    if let Some(name) = match model {
        Model::BasicContainer => Some("<http://www.w3.org/ns/ldp#BasicContainer>; rel=\"type\""),
        Model::DirectContainer => Some("<http://www.w3.org/ns/ldp#DirectContainer>; rel=\"type\""),
        Model::IndirectContainer => {
            Some("<http://www.w3.org/ns/ldp#IndirectContainer>; rel=\"type\"")
        }
        Model::RdfSource | Model::Binary => None,
    } {
        kind("<http://www.w3.org/ns/ldp#Container>; rel=\"type\"");
        kind(name);
        headers.insert(HeaderName::from_static("accept-post"), ANY);
    }
    let url = root.url(&resource.uid);
    if described {
        link(&mut headers, &url, "describes");
    } else if model == Model::Binary {
        link(&mut headers, &format!("{url}/fcr:metadata"), "describedby");
        headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    }
    link(&mut headers, &url, "original timegate");
    let slash = if resource.uid == "/" { "" } else { "/" };
    link(
        &mut headers,
        &format!("{url}{slash}fcr:versions"),
        "timemap",
    );
    if model != Model::Binary {
        headers.insert(
            HeaderName::from_static("accept-patch"),
            HeaderValue::from_static("application/sparql-update"),
        );
    }
    headers.insert(
        HeaderName::from_static("accept-put"),
        if model == Model::Binary { ANY } else { RDF },
    );
    headers.insert(
        header::ALLOW,
        HeaderValue::from_static(allow(resource, described)),
    );
    headers
}

/// The methods that `resource` takes.
pub fn allow(resource: &Resource, described: bool) -> &'static str {
    match resource.model {
        _ if described => DESCRIPTION,
        _ if resource.uid == "/" => ROOT,
        Model::Binary => BINARY,
        Model::RdfSource => SOURCE,
        _ => CONTAINER,
    }
}

/// Adds `Link: <url>; rel="relation"`.
pub fn link(headers: &mut HeaderMap, url: &str, relation: &str) {
    if let Ok(value) = HeaderValue::from_str(&format!("<{url}>; rel=\"{relation}\"")) {
        headers.append(header::LINK, value);
    }
}

/// Adds a header whose value is made of what a client sent; what no header can carry is left out.
pub fn put(headers: &mut HeaderMap, name: HeaderName, value: impl AsRef<str>) {
    if let Ok(value) = HeaderValue::from_str(value.as_ref()) {
        headers.insert(name, value);
    }
}

/// Adds the tag and the date of the last change.
pub fn validators(headers: &mut HeaderMap, etag: &str, modified: Option<u64>) {
    put(headers, header::ETAG, etag);
    if let Some(modified) = modified {
        put(headers, header::LAST_MODIFIED, date(modified));
    }
}

/// Microseconds since 1970 as a date of HTTP.
pub fn date(microseconds: u64) -> String {
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(microseconds / 1_000_000))
}

/// An answer in JSON.
pub fn json(value: &serde_json::Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    response
}
