//! Transactions: `fcr:tx`.

use super::delete::no_content;
use super::problem::Problem;
use super::request::Context;
use super::response::put;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderName};
use axum::response::Response;
use std::time::{Duration, SystemTime};
use tokio::task::block_in_place;

const EXPIRES: HeaderName = HeaderName::from_static("atomic-expires");

/// Begins one: its URL is in `Location`, its end in `Atomic-Expires`.
pub fn begin(context: Context) -> Result<Response, Problem> {
    let repository = &context.app.repository;
    let (id, left) = block_in_place(|| {
        let id = repository.begin()?;
        let left = repository.transaction(&id, false)?;
        Ok::<_, ldp_repository::Error>((id, left))
    })?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::CREATED;
    let headers = response.headers_mut();
    put(
        headers,
        header::LOCATION,
        format!("{}/fcr:tx/{id}", context.root.as_str()),
    );
    put(headers, HeaderName::from_static("atomic-id"), &id);
    put(headers, EXPIRES, expiry(left));
    Ok(response)
}

/// The date at which `left` is over.
fn expiry(left: Duration) -> String {
    httpdate::fmt_http_date(SystemTime::now() + left)
}

/// GET tells until when it lives, POST renews it, PUT applies it, DELETE drops it.
pub async fn one(context: Context, id: String) -> Result<Response, Problem> {
    let repository = &context.app.repository;
    let mut response = no_content();
    match context.method.as_str() {
        "GET" | "HEAD" | "POST" => {
            let renew = context.method == "POST";
            let left = block_in_place(|| repository.transaction(&id, renew))?;
            put(response.headers_mut(), EXPIRES, expiry(left));
        }
        "PUT" => {
            let repository = repository.clone();
            let _room = context.app.room(usize::MAX).await?;
            let pending = super::app::blocking(move || repository.commit(&id)).await?;
            context.app.durable(pending).await?;
        }
        "DELETE" => block_in_place(|| repository.rollback(&id))?,
        method => {
            let detail = format!("{method} is not for a transaction");
            return Err(Problem::not_allowed(detail, "GET, HEAD, POST, PUT, DELETE"));
        }
    }
    Ok(response)
}
