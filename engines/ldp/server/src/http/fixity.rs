//! `fcr:fixity`: reads a binary from disk and compares its hash.

use super::app::{App, blocking};
use super::content::read_hash;
use super::get::format;
use super::header::digest::Algorithm;
use super::problem::Problem;
use super::request::Context;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use ldp_rdf::{Format, LiteralRef, NamedNode, NamedNodeRef, TermRef, TripleRef, Writer, iri_of};
use ldp_repository::View;
use ldp_store::Model;
use std::sync::Arc;

/// What a check of a binary found.
pub struct Report {
    /// Whether the bytes have the hash of the record.
    pub ok: bool,
    /// SHA-256 in hexadecimal, of the record.
    pub expected: String,
    /// SHA-256 in hexadecimal, of the bytes.
    pub found: String,
    /// Of the record.
    pub size: u64,
}

/// Checks the content of the binary at `uid`.
pub async fn report(app: Arc<App>, view: &View, uid: &str) -> Result<Report, Problem> {
    let resource = view.get(uid)?;
    let content = match &resource.content {
        Some(content) if resource.model == Model::Binary => content.clone(),
        _ => {
            return Err(Problem::new(
                StatusCode::NOT_FOUND,
                format!("{uid} is no binary, so it has no fixity"),
            ));
        }
    };
    blocking(move || {
        let found = read_hash(app.repository.store(), &content, Algorithm::Sha256)?;
        Ok(Report {
            ok: found == content.sha256,
            expected: hex(&content.sha256),
            found: hex(&found),
            size: content.size,
        })
    })
    .await
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The report as triples in the words of PREMIS.
pub async fn check(context: Context) -> Result<Response, Problem> {
    let report = report(context.app.clone(), &context.view()?, &context.uid).await?;
    let format = format(&context.headers)?.unwrap_or(Format::Turtle);
    let body = write(&report, format, &context)?;
    let mut response = Response::new(Body::from(body));
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(format.media_type()),
    );
    Ok(response)
}

fn write(report: &Report, format: Format, context: &Context) -> Result<Vec<u8>, Problem> {
    const PREMIS: &str = "http://www.loc.gov/premis/rdf/v1#";
    let resource = NamedNode::new_unchecked(iri_of(&context.uid));
    let fixity = NamedNode::new_unchecked(format!("{}#fixity", resource.as_str()));
    let digest = NamedNode::new_unchecked(format!("urn:sha-256:{}", report.found));
    let size = report.size.to_string();
    let long = NamedNodeRef::new_unchecked("http://www.w3.org/2001/XMLSchema#long");
    let kind = NamedNodeRef::new_unchecked("http://www.w3.org/1999/02/22-rdf-syntax-ns#type");
    let premis = |name: &str| NamedNode::new_unchecked(format!("{PREMIS}{name}"));
    let outcome = if report.ok { "SUCCESS" } else { "BAD_CHECKSUM" };
    let triples: [(&NamedNode, NamedNode, TermRef); 5] = [
        (&resource, premis("hasFixity"), fixity.as_ref().into()),
        (
            &fixity,
            kind.into_owned(),
            TermRef::NamedNode(NamedNodeRef::new_unchecked(
                "http://www.loc.gov/premis/rdf/v1#Fixity",
            )),
        ),
        (
            &fixity,
            premis("hasEventOutcome"),
            LiteralRef::new_simple_literal(outcome).into(),
        ),
        (&fixity, premis("hasMessageDigest"), digest.as_ref().into()),
        (
            &fixity,
            premis("hasSize"),
            LiteralRef::new_typed_literal(&size, long).into(),
        ),
    ];
    let mut writer = Writer::new(format, &context.root, &[("premis", PREMIS)], Vec::new());
    for (subject, predicate, object) in &triples {
        writer.triple(TripleRef::new(*subject, predicate, *object))?;
    }
    Ok(writer.finish()?)
}
