//! `If-Match` and `If-None-Match` (RFC 9110, section 13).

use super::date;
use super::list::elements;
use crate::http::problem::Problem;
use axum::http::{HeaderMap, HeaderName, header};
use ldp_repository::{Conditions, Match};

/// Reads one of the two headers; none if it is not there.
pub fn tags(headers: &HeaderMap, name: HeaderName) -> Result<Option<Match>, Problem> {
    let mut tags = Vec::new();
    for element in elements(headers, name.clone()) {
        if element == "*" {
            return Ok(Some(Match::Any));
        }
        let quoted = element.strip_prefix("W/").unwrap_or(element);
        if quoted.len() < 2 || !quoted.starts_with('"') || !quoted.ends_with('"') {
            return Err(Problem::bad_request(format!(
                "{name}: {element:?} is no entity tag; expected \"…\", W/\"…\" or *"
            )));
        }
        tags.push(element.to_string());
    }
    Ok(headers.contains_key(name).then_some(Match::Tags(tags)))
}

/// The conditions of a request that writes.
pub fn of_write(headers: &HeaderMap) -> Result<Conditions, Problem> {
    Ok(Conditions {
        if_match: tags(headers, header::IF_MATCH)?,
        if_none_match: tags(headers, header::IF_NONE_MATCH)?,
        if_unmodified_since: seconds(headers, header::IF_UNMODIFIED_SINCE).map(|s| s * 1_000_000),
    })
}

/// Whether the client's copy of a representation with the strong tag `etag`, last changed at
/// `modified` (microseconds since 1970; none if no date tells), is still good: a GET is then
/// answered by 304.
pub fn not_modified(
    headers: &HeaderMap,
    etag: &str,
    modified: Option<u64>,
) -> Result<bool, Problem> {
    match tags(headers, header::IF_NONE_MATCH)? {
        Some(Match::Any) => Ok(true),
        // The weak comparison: only what is between the quotes counts.
        Some(Match::Tags(tags)) => Ok(tags
            .iter()
            .any(|tag| tag.strip_prefix("W/").unwrap_or(tag) == etag)),
        None => Ok(modified
            .zip(seconds(headers, header::IF_MODIFIED_SINCE))
            .is_some_and(|(modified, since)| modified / 1_000_000 <= since)),
    }
}

/// A date header, as seconds since 1970; what is no date is passed over, as the RFC demands.
pub fn seconds(headers: &HeaderMap, name: HeaderName) -> Option<u64> {
    date::seconds(headers.get(name)?.to_str().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_dates_are_compared() {
        for (name, value, expected) in [
            ("if-none-match", r#""a", W/"b""#, Some(true)),
            ("if-none-match", r#""c""#, Some(false)),
            ("if-none-match", "*", Some(true)),
            ("if-none-match", "b", None),
            (
                "if-modified-since",
                "Thu, 01 Jan 1970 00:01:40 GMT",
                Some(true),
            ),
            (
                "if-modified-since",
                "Thu, 01 Jan 1970 00:01:39 GMT",
                Some(false),
            ),
            ("if-modified-since", "yesterday", Some(false)),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HeaderName::from_static(name), value.parse().unwrap());
            assert_eq!(
                not_modified(&headers, "\"b\"", Some(100_900_000)).ok(),
                expected,
                "{name}: {value}"
            );
        }
    }
}
