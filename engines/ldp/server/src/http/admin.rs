//! What an operator asks for.

use super::app::{App, blocking};
use super::problem::Problem;
use super::response::json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use ldp_repository::Error;
use ldp_store::Stats;
use std::sync::Arc;

/// 200 as long as the store can be read.
pub async fn health(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    app.repository.view().get("/")?;
    Ok(json(&serde_json::json!({"status": "ok"})))
}

/// The figures of the store.
pub async fn stats(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let figures = figures(app).await?;
    let map = figures
        .into_iter()
        .map(|(name, value)| (name.to_string(), value.into()));
    Ok(json(&serde_json::Value::Object(map.collect())))
}

/// The same and the counts of requests, for Prometheus.
pub async fn metrics(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let text = app.metrics.text(&figures(app.clone()).await?);
    let kind = "text/plain; version=0.0.4";
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

async fn figures(app: Arc<App>) -> Result<Vec<(&'static str, u64)>, Problem> {
    let stats = blocking(move || app.repository.store().stats()).await;
    let Stats {
        lsn,
        checkpoint,
        records,
        predicate_entries,
        object_entries,
        index_bytes,
        log_file_bytes,
        content_bytes,
        contents,
        batches,
        groups,
        log_bytes,
        log_syncs,
        applies,
        applied_records,
        applied_graphs,
        applied_entries,
        apply_nanos,
    } = stats.map_err(Error::from)?;
    Ok(vec![
        ("lsn", lsn),
        ("checkpoint", checkpoint),
        ("records", records),
        ("predicate_entries", predicate_entries),
        ("object_entries", object_entries),
        ("index_bytes", index_bytes),
        ("log_file_bytes", log_file_bytes),
        ("content_bytes", content_bytes),
        ("contents", contents),
        ("batches", batches),
        ("groups", groups),
        ("log_bytes", log_bytes),
        ("log_syncs", log_syncs),
        ("applies", applies),
        ("applied_records", applied_records),
        ("applied_graphs", applied_graphs),
        ("applied_entries", applied_entries),
        ("apply_nanos", apply_nanos),
    ])
}
