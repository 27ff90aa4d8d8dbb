//! LDP over HTTP.

mod admin;
mod app;
mod bodies;
mod connections;
mod constraints;
mod content;
mod delete;
mod description;
mod error;
mod events;
mod fixity;
mod get;
pub mod header;
mod html;
mod http2;
mod input;
mod metrics;
mod patch;
pub mod path;
pub mod problem;
mod queries;
mod query;
mod request;
mod response;
mod secure;
mod slow;
mod stream;
mod taken;
mod transactions;
mod turns;
mod versions;
mod write;

pub use app::{App, Limits};
pub use connections::{Patience, serve};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::FutureExt;
use problem::Problem;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

/// All that the server answers.
pub fn router(app: App) -> Router {
    let app = Arc::new(app);
    Router::new()
        .route("/query/sparql", get(query::get).post(query::post))
        .route("/query/term_search", post(query::terms))
        .route("/admin/stats", get(admin::stats))
        .route("/admin/check", post(admin::check))
        .route("/admin/compact", post(admin::compact))
        .route("/admin/backup", post(admin::backup))
        .route("/admin/export", post(admin::export))
        .route("/admin/{*uid_and_fixity}", get(admin::fixity))
        .route("/metrics", get(admin::metrics))
        .route("/health", get(admin::health))
        .route(constraints::PATH, get(constraints::document))
        .fallback(request::dispatch)
        .layer(from_fn_with_state(app.clone(), count))
        .with_state(app)
}

async fn count(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let (method, start) = (request.method().clone(), Instant::now());
    let response = answered(next.run(request)).await;
    app.metrics
        .count(&method, response.status(), start.elapsed());
    response
}

/// The answer, or 500 if it panics: a defect of one request must not end the others of its connection.
async fn answered(answer: impl Future<Output = Response>) -> Response {
    let caught = AssertUnwindSafe(answer).catch_unwind().await;
    caught.unwrap_or_else(|_| {
        let detail = "the request met a defect of the server, which its standard error names";
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail).into_response()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::resume_unwind;

    #[tokio::test]
    async fn a_panic_is_answered() {
        // As `panic!`, without its trace on standard error.
        let answer = answered(async { resume_unwind(Box::new("a defect")) }).await;
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
