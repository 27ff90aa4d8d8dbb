//! `Link` (RFC 8288).

use super::list::{elements, parameter, split};
use axum::http::{HeaderMap, header};

/// The targets of all links whose `rel` has the word `relation`.
pub fn targets<'a>(headers: &'a HeaderMap, relation: &'a str) -> impl Iterator<Item = &'a str> {
    elements(headers, header::LINK).filter_map(move |link| {
        let mut parts = split(link, ';');
        let target = parts.next()?.strip_prefix('<')?.strip_suffix('>')?;
        parts
            .map(parameter)
            .any(|(name, value)| {
                name.eq_ignore_ascii_case("rel")
                    && value
                        .split_ascii_whitespace()
                        .any(|word| word.eq_ignore_ascii_case(relation))
            })
            .then_some(target)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_by_relation() {
        let mut headers = HeaderMap::new();
        headers.append(
            header::LINK,
            r#"<a:x>; rel="type", <a:y>; rel=other"#.parse().unwrap(),
        );
        headers.append(
            header::LINK,
            r#"<a:z,1>;title="a, b";rel="up type""#.parse().unwrap(),
        );
        assert_eq!(
            targets(&headers, "type").collect::<Vec<_>>(),
            ["a:x", "a:z,1"]
        );
    }
}
