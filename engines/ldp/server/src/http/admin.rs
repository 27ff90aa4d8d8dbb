//! What an operator asks for.

use super::app::{App, blocking};
use super::problem::Problem;
use super::response::json;
use super::{fixity, path};
use axum::extract::{Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use ldp_repository::{Error, transfer};
use ldp_store::Store;
use serde::Serialize;
use serde_json::json as value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::block_in_place;

/// 200 as long as the store can be read and written.
pub async fn health(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    app.repository.view().get("/")?;
    if let Some(error) = block_in_place(|| app.repository.store().refusal()) {
        return Err(Error::Store(error).into());
    }
    Ok(json(&value!({"status": "ok"})))
}

/// The figures of the store.
pub async fn stats(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    report(app, |store| store.stats())
        .await
        .map(|figures| json(&figures))
}

/// The same and the counts of requests, for Prometheus.
pub async fn metrics(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let figures = report(app.clone(), |store| store.stats()).await?;
    let text = app.metrics.text(&figures);
    let kind = "text/plain; version=0.0.4";
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// Reads everything and compares what depends on each other.
pub async fn check(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let mut report = report(app, |store| store.check()).await?;
    report["ok"] = report["damages"]
        .as_array()
        .is_some_and(Vec::is_empty)
        .into();
    Ok(json(&report))
}

/// Gives back the space of what is not used any more.
pub async fn compact(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    report(app, |store| store.compact(UNUSED))
        .await
        .map(|gain| json(&gain))
}

/// What the store tells, as JSON.
async fn report<T: Serialize + Send + 'static>(
    app: Arc<App>,
    tell: fn(&Store) -> ldp_store::Result<T>,
) -> Result<serde_json::Value, Problem> {
    let told = blocking(move || tell(app.repository.store())).await;
    let value = serde_json::to_value(told.map_err(Error::from)?);
    value.map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
}

/// Binaries that no resource has are kept for so long: an upload may be about to name them.
const UNUSED: Duration = Duration::from_secs(3600);

type Name = Query<HashMap<String, String>>;

/// `POST /admin/backup?name=N`: a copy of the store that can be opened as one.
pub async fn backup(state: State<Arc<App>>, name: Name) -> Result<Response, Problem> {
    copy(state, name, |store, to| {
        Ok(store.backup(to).map_err(Error::from)?)
    })
    .await
}

/// `POST /admin/export?name=N`: everything as plain files.
pub async fn export(state: State<Arc<App>>, name: Name) -> Result<Response, Problem> {
    copy(state, name, |store, to| {
        transfer::export(store, &store.snapshot(), to)?;
        Ok(())
    })
    .await
}

/// Writes a new folder below that of the option `--out`.
async fn copy(
    State(app): State<Arc<App>>,
    Query(parameters): Name,
    write: fn(&Store, &Path) -> Result<(), Problem>,
) -> Result<Response, Problem> {
    let to = target(&app, parameters.get("name"))?;
    let folder = to.clone();
    blocking(move || -> Result<(), Problem> {
        std::fs::create_dir_all(app.out.as_deref().unwrap_or(Path::new(".")))?;
        write(app.repository.store(), &to)
    })
    .await?;
    let mut response = json(&value!({"folder": folder}));
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

/// The folder of that name, which must not be there yet.
fn target(app: &App, name: Option<&String>) -> Result<PathBuf, Problem> {
    let out = app.out.as_ref().ok_or_else(|| {
        let detail = "the server was started without --out, so it writes no folders";
        Problem::new(StatusCode::FORBIDDEN, detail)
    })?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    match name {
        Some(name) if !name.starts_with('.') && !name.is_empty() && name.chars().all(plain) => {
            let to = out.join(name);
            if to.exists() {
                let detail = format!("there is a folder {name} already");
                return Err(Problem::new(StatusCode::CONFLICT, detail));
            }
            Ok(to)
        }
        _ => Err(Problem::bad_request(
            "expected ?name=NAME of letters, digits, -, _ and ., which does not begin with .",
        )),
    }
}

/// `GET /admin/UID/fixity`: as `fcr:fixity`, in JSON.
pub async fn fixity(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let path = request.uri().path();
    let inner = path
        .strip_prefix("/admin")
        .and_then(|path| path.strip_suffix("/fixity"));
    let Some(inner) = inner else {
        let detail = "below /admin are stats, check, compact, backup, export and UID/fixity";
        return Err(Problem::new(StatusCode::NOT_FOUND, detail));
    };
    let uid = path::parse(inner)?.uid;
    let view = app.repository.view();
    let report = fixity::report(app, &view, &uid).await?;
    Ok(json(&value!({
        "uid": uid,
        "ok": report.ok,
        "expected": report.expected,
        "found": report.found,
        "size": report.size,
    })))
}
