//! PATCH by SPARQL Update.

use super::app::attended;
use super::input::{self, Charset};
use super::problem::Problem;
use super::request::Context;
use super::write::answer;
use axum::body::Body;
use axum::http::{HeaderName, header};
use axum::response::Response;

const TYPE: &str = "application/sparql-update";

/// Changes the triples that users wrote; of a binary, those of its description.
pub async fn resource(context: Context, body: Body) -> Result<Response, Problem> {
    let sent = context
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let (name, parameters) = input::essence(sent);
    if !name.eq_ignore_ascii_case(TYPE) {
        let problem = input::unsupported(format!("a patch of the type {name:?} is not read"), TYPE);
        return Err(problem.with(HeaderName::from_static("accept-patch"), TYPE));
    }
    let charset = Charset::of(parameters)?;
    let limit = context.app.limits.sparql;
    let (bytes, share) = input::read(&context.app, &context.headers, body, limit).await?;
    let text = charset.text(bytes, "patch")?;
    let options = super::write::options(&context)?;
    let (uid, root, limits) = (
        context.uid.clone(),
        context.root.clone(),
        context.app.limits.query,
    );
    let repository = context.app.repository.clone();
    let _room = context.app.room(text.len()).await?;
    let turn = context.app.patches.turn().await?;
    let pending = attended(move |stop| {
        let _until_it_is_done = (share, turn);
        let url = root.url(&uid);
        repository.edit::<Problem>(&uid, &options, |graph| {
            Ok(ldp_sparql::update(
                graph, &text, &url, &root, &limits, &stop,
            )?)
        })
    })
    .await?;
    let outcome = context.app.durable(pending).await?;
    answer(&context, &outcome)
}
