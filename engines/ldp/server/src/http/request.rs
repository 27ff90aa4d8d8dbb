//! From a request to the function that answers it.

use super::app::App;
use super::path::{self, Aspect, Target};
use super::problem::Problem;
use super::response::link;
use super::{content, delete, events, fixity, get, patch, transactions, versions, write};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use ldp_rdf::Root;
use ldp_repository::{View, WriteOptions};
use std::sync::Arc;
use tokio::task::block_in_place;

/// What a handler is given, beside the body.
pub struct Context {
    pub app: Arc<App>,
    /// The repository as this client sees it.
    pub root: Root,
    /// The path of the resource.
    pub uid: String,
    pub method: Method,
    pub headers: HeaderMap,
}

impl Context {
    /// The URL of the resource.
    pub fn url(&self) -> String {
        self.root.url(&self.uid)
    }

    /// The state that this request sees: that of its transaction, if it has one.
    pub fn view(&self) -> Result<View, Problem> {
        Ok(match self.transaction() {
            // Waits while the transaction writes.
            Some(id) => block_in_place(|| self.app.repository.view_in(&id))?,
            None => self.app.repository.view(),
        })
    }

    /// The identifier in `Atomic-ID`, which is sent as such or as the URL of the transaction.
    pub fn transaction(&self) -> Option<String> {
        let text = self.headers.get("atomic-id")?.to_str().ok()?.trim();
        let id = text.rsplit_once("fcr:tx/").map_or(text, |(_, id)| id);
        Some(id.trim_end_matches('/').to_string())
    }

    /// What the headers say about a write.
    pub fn write_options(&self) -> Result<WriteOptions, Problem> {
        Ok(WriteOptions {
            conditions: super::header::conditional::of_write(&self.headers)?,
            transaction: self.transaction(),
            ..WriteOptions::default()
        })
    }

    fn is_read(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD")
    }
}

/// Answers a request below `/ldp` or `/rest`, the name that older clients use.
pub async fn dispatch(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    let found = ["/ldp", "/rest"].into_iter().find_map(|prefix| {
        let rest = path.strip_prefix(prefix)?;
        (rest.is_empty() || rest.starts_with('/')).then_some((prefix, rest))
    });
    let Some((prefix, rest)) = found else {
        let detail = "nothing is here; the repository is at /ldp, queries go to /query/sparql";
        return Problem::new(StatusCode::NOT_FOUND, detail).into_response();
    };
    let read = path::parse(rest).and_then(|target| Ok((target, app.root(&parts.headers, prefix)?)));
    let (Target { uid, aspect }, root) = match read {
        Ok(read) => read,
        Err(problem) => return problem.into_response(),
    };
    let context = Context {
        app,
        root,
        uid,
        method: parts.method,
        headers: parts.headers,
    };
    let asked = Asked {
        app: context.app.clone(),
        root: context.root.clone(),
        uid: context.uid.clone(),
    };
    let atomic = context.headers.get("atomic-id").cloned();
    let mut response = match route(context, aspect, body).await {
        Ok(response) => response,
        Err(problem) => asked.refuse(problem),
    };
    if let Some(id) = atomic {
        response
            .headers_mut()
            .insert(HeaderName::from_static("atomic-id"), id);
    }
    response
}

/// What a refusal tells of, after the handler has used up the rest.
struct Asked {
    app: Arc<App>,
    root: Root,
    uid: String,
}

impl Asked {
    fn refuse(&self, problem: Problem) -> Response {
        let tombstone = problem.tombstone.clone();
        let mut response = problem.into_response();
        let status = response.status();
        let headers = response.headers_mut();
        let kind = "<http://www.w3.org/ns/ldp#Resource>; rel=\"type\"";
        headers.append(header::LINK, HeaderValue::from_static(kind));
        if let Some(uid) = tombstone {
            let url = format!("{}/fcr:tombstone", self.root.url(&uid));
            link(headers, &url, "hasTombstone");
        }
        if status == StatusCode::METHOD_NOT_ALLOWED && !headers.contains_key(header::ALLOW) {
            // The repository knows that it cannot be done, and not how methods are called.
            if let Ok(resource) = self.app.repository.view().get(&self.uid) {
                let allow = super::response::allow(&resource, false);
                headers.insert(header::ALLOW, HeaderValue::from_static(allow));
            }
        }
        response
    }
}

async fn route(context: Context, aspect: Aspect, body: Body) -> Result<Response, Problem> {
    let method = context.method.clone();
    match (aspect, method.as_str()) {
        (Aspect::Itself, "GET" | "HEAD") => get::resource(context).await,
        (Aspect::Itself | Aspect::Metadata | Aspect::Content, "OPTIONS") => get::options(context),
        (Aspect::Itself | Aspect::Content, "PUT") => write::put(context, body).await,
        (Aspect::Itself, "POST") => write::post(context, body).await,
        (Aspect::Itself | Aspect::Metadata, "PATCH") => patch::resource(context, body).await,
        (Aspect::Itself, "DELETE") => delete::resource(context).await,
        (Aspect::Metadata, "GET" | "HEAD") => get::metadata(context).await,
        (Aspect::Metadata, "PUT") => write::put_description(context, body).await,
        (Aspect::Content, "GET" | "HEAD") => content::get(context).await,
        (Aspect::Versions, _) => versions::list(context).await,
        (Aspect::Version(name), _) => versions::one(context, name).await,
        (Aspect::Tombstone, "POST") => delete::resurrect(context).await,
        (Aspect::Tombstone, "DELETE") => delete::forget(context).await,
        (Aspect::Fixity, _) if context.is_read() => fixity::check(context).await,
        (Aspect::Events, "GET" | "HEAD") => events::follow(context),
        (Aspect::Transactions, "POST") => transactions::begin(context),
        (Aspect::Transaction(id), _) => transactions::one(context, id).await,
        (aspect, _) => Err(refused_method(&context, &aspect)),
    }
}

fn refused_method(context: &Context, aspect: &Aspect) -> Problem {
    let allow = match aspect {
        Aspect::Metadata => super::response::DESCRIPTION,
        Aspect::Content => "GET, HEAD, OPTIONS, PUT",
        Aspect::Tombstone => "POST, DELETE",
        Aspect::Fixity | Aspect::Events => "GET, HEAD",
        Aspect::Transactions => "POST",
        _ => {
            // Which methods there are depends on the resource, if there is one.
            let found = context.view().and_then(|view| Ok(view.get(&context.uid)?));
            match found {
                Ok(resource) => super::response::allow(&resource, false),
                Err(problem) => return problem,
            }
        }
    };
    // HEAD tells how long the answer to GET would be, so this names no method.
    Problem::not_allowed(format!("this method is not for {}", context.uid), allow)
}
