//! What an operator asks for.

use super::app::App;
use super::problem::Problem;
use super::response::json;
use axum::extract::State;
use axum::response::Response;
use serde_json::json as value;
use std::sync::Arc;

/// 200 as long as the store can be read.
pub async fn health(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    app.repository.view().get("/")?;
    Ok(json(&value!({"status": "ok"})))
}
