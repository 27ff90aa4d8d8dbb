//! The SPARQL endpoint (SPARQL 1.1 Protocol, query only) and the term search.

use super::app::{App, attended};
use super::bodies::Share;
use super::header::accept;
use super::input::{self, Charset};
use super::problem::Problem;
use super::response::json;
use super::stream;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use ldp_rdf::NamedNode;
use ldp_sparql::{Form, Format, Options, Stop, TermSearch, term_search};
use std::sync::{Arc, OnceLock};

const FORM: &str = "application/x-www-form-urlencoded";
const QUERY: &str = "application/sparql-query";

/// `GET /query/sparql?query=…`
pub async fn get(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let parameters = parameters(request.uri().query().unwrap_or_default())?;
    answer(app, request.headers(), parameters, None, None).await
}

/// `POST /query/sparql` with a form, or with the query as the body.
pub async fn post(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let sent = parts
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let (name, in_type) = input::essence(sent);
    let (form, query) = (
        name.eq_ignore_ascii_case(FORM),
        name.eq_ignore_ascii_case(QUERY),
    );
    if !form && !query {
        return Err(input::unsupported(
            format!("a query of the type {name:?} is not read"),
            &format!("{QUERY} or {FORM}"),
        ));
    }
    let charset = Charset::of(in_type)?;
    let (body, share) = input::read(&app, &parts.headers, body, app.limits.sparql).await?;
    let text = charset.text(body, "query")?;
    let in_url = parameters(parts.uri.query().unwrap_or_default())?;
    if query {
        return answer(app, &parts.headers, in_url, Some(text), Some(share)).await;
    }
    answer(
        app,
        &parts.headers,
        [in_url, parameters(&text)?].concat(),
        None,
        Some(share),
    )
    .await
}

/// The pairs of a form, decoded.
fn parameters(text: &str) -> Result<Vec<(String, String)>, Problem> {
    let decode = |text: &str| {
        let spaced = text.replace('+', " ");
        let decoded = percent_encoding::percent_decode_str(&spaced).decode_utf8();
        decoded
            .map(String::from)
            .map_err(|_| Problem::bad_request("a parameter is not UTF-8"))
    };
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode(name)?, decode(value)?))
        })
        .collect()
}

async fn answer(
    app: Arc<App>,
    headers: &HeaderMap,
    parameters: Vec<(String, String)>,
    mut text: Option<String>,
    share: Option<Share>,
) -> Result<Response, Problem> {
    let root = app.root(headers, "/ldp")?;
    let mut options = Options {
        limits: app.limits.query,
        base: Some(format!("{}/", root.as_str())),
        ..Options::default()
    };
    for (name, value) in parameters {
        match name.as_str() {
            "query" if text.is_some() => return Err(Problem::bad_request("there are two queries")),
            "query" => text = Some(value),
            "default-graph-uri" => options.default_graphs.push(value),
            "named-graph-uri" => options.named_graphs.push(value),
            "update" => {
                return Err(Problem::bad_request(
                    "updates are not taken here; PATCH the resource that changes",
                ));
            }
            // Others, such as `format`, are habits of single servers.
            _ => {}
        }
    }
    let text = text.ok_or_else(|| Problem::bad_request("the parameter query is missing"))?;
    let headers = headers.clone();
    let chosen = Arc::new(OnceLock::new());
    let tell = chosen.clone();
    let choose = move |form: Form| {
        let format = choose(form, &headers)?;
        let _ = tell.set(format);
        Some(format)
    };
    let repository = app.repository.clone();
    let turn = app.queries.turn().await?;
    let body = stream::body(move |sink| {
        let _until_it_is_answered = (share, turn);
        options.stop = Stop::when(sink.gone());
        let view = repository.view();
        ldp_sparql::query(&view, &root, &text, &options, choose, sink)?;
        Ok(())
    })
    .await?;
    let mut response = Response::new(body);
    let media_type = chosen
        .get()
        .map_or("application/octet-stream", |format| format.media_type());
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
        .headers_mut()
        .insert(header::VARY, HeaderValue::from_static("Accept"));
    Ok(response)
}

/// The format that the client likes best for this form of result. Names that others use for a
/// format count as it.
fn choose(form: Form, headers: &HeaderMap) -> Option<Format> {
    let formats = form.formats();
    let names: Vec<&str> = formats.iter().map(|format| format.media_type()).collect();
    if let Some(best) = accept::negotiate(headers, &names) {
        return Some(formats[best]);
    }
    let others = ["application/json", "application/xml", "text/xml"];
    let best = accept::negotiate(headers, &others)?;
    Format::from_media_type(others[best]).filter(|format| formats.contains(format))
}

/// `POST /query/term_search` with `{"terms": [{"pred", "op", "val"}], "logic": "and" | "or"}`.
pub async fn terms(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let (body, share) = input::read(&app, &parts.headers, body, app.limits.sparql).await?;
    let search = TermSearch::from_json(&Charset::Utf8.text(body, "search")?)?;
    let root = app.root(&parts.headers, "/ldp")?;
    let turn = app.queries.turn().await?;
    let found = attended(move |stop| {
        let _until_it_is_answered = (share, turn);
        let options = Options {
            limits: app.limits.query,
            stop,
            ..Options::default()
        };
        term_search(&app.repository.view(), &root, &search, &options)
    })
    .await?;
    let found: Vec<&str> = found.iter().map(NamedNode::as_str).collect();
    Ok(json(&serde_json::json!(found)))
}
