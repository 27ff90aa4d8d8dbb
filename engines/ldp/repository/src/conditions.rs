//! Conditions of a request, which are evaluated while nobody else writes.

/// The value of `If-Match` or `If-None-Match`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Match {
    /// `*`: anything that is there.
    Any,
    /// Entity tags as they came: `"…"` or `W/"…"`.
    Tags(Vec<String>),
}

/// Conditions on the present state of the resource that a request changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// One of the tags is that of a representation; a weak tag never is.
    pub if_match: Option<Match>,
    /// None of the tags is that of a representation.
    pub if_none_match: Option<Match>,
    /// The resource has not changed since, in microseconds since 1970; counted in whole seconds.
    /// Ignored beside `if_match`.
    pub if_unmodified_since: Option<u64>,
}

impl Match {
    /// Whether an entity tag is meant, by weak comparison: as `If-None-Match` of a GET asks.
    pub fn matches(&self, tag: &str) -> bool {
        let opaque = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).to_owned();
        match self {
            Match::Any => true,
            Match::Tags(tags) => tags.iter().any(|known| opaque(known) == opaque(tag)),
        }
    }
}
