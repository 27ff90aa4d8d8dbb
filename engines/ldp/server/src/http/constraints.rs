//! The document that `Link: rel="http://www.w3.org/ns/ldp#constrainedBy"` leads to.

use axum::http::header;
use axum::response::IntoResponse;
use ldp_repository::Constraint;

/// Where it is.
pub const PATH: &str = "/constraints";

const ALL: [Constraint; 7] = [
    Constraint::ServerManaged,
    Constraint::ForeignSubject,
    Constraint::DanglingReference,
    Constraint::Model,
    Constraint::Parent,
    Constraint::Membership,
    Constraint::ExternalContent,
];

/// The link to one rule.
pub fn link(rule: Constraint) -> String {
    let fragment = rule.fragment();
    format!("<{PATH}#{fragment}>; rel=\"http://www.w3.org/ns/ldp#constrainedBy\"")
}

/// All rules as Turtle.
pub async fn document() -> impl IntoResponse {
    let mut text = String::from("@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\n");
    for rule in ALL {
        text.push_str(&format!(
            "<#{}> rdfs:comment \"{}\" .\n",
            rule.fragment(),
            rule.rule()
        ));
    }
    ([(header::CONTENT_TYPE, "text/turtle")], text)
}
