//! DELETE, and what can be done with the tombstone that it leaves.

use super::app::blocking;
use super::header::prefer::Prefer;
use super::problem::Problem;
use super::request::Context;
use super::write::answer;
use axum::body::Body;
use axum::http::StatusCode;
use axum::response::Response;

/// Deletes a resource and all below it.
pub async fn resource(context: Context) -> Result<Response, Problem> {
    let options = context.write_options()?;
    let tombstone = !Prefer::of(&context.headers).no_tombstone;
    let (repository, uid) = (context.app.repository.clone(), context.uid.clone());
    let pending = blocking(move || repository.delete(&uid, tombstone, &options)).await?;
    context.app.durable(pending).await?;
    Ok(no_content())
}

/// Brings back what the tombstone stands for.
pub async fn resurrect(context: Context) -> Result<Response, Problem> {
    let (repository, uid, transaction) = (
        context.app.repository.clone(),
        context.uid.clone(),
        context.transaction(),
    );
    let pending = blocking(move || repository.resurrect(&uid, transaction.as_deref())).await?;
    let outcome = context.app.durable(pending).await?;
    answer(&context, &outcome)
}

/// Deletes the tombstone: the path is free again.
pub async fn forget(context: Context) -> Result<Response, Problem> {
    let (repository, uid, transaction) = (
        context.app.repository.clone(),
        context.uid.clone(),
        context.transaction(),
    );
    let pending = blocking(move || repository.forget(&uid, transaction.as_deref())).await?;
    context.app.durable(pending).await?;
    Ok(no_content())
}

/// 204.
pub fn no_content() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}
