//! `Prefer` (RFC 7240), with the parameters of LDP.

use super::list::{elements, parameter, split};
use axum::http::{HeaderMap, HeaderName};

/// What the client prefers; what is not known here is passed over.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Prefer {
    /// `return=minimal`
    pub minimal: bool,
    /// `return=representation`
    pub representation: bool,
    /// IRIs of `include="…"`.
    pub include: Vec<String>,
    /// IRIs of `omit="…"`.
    pub omit: Vec<String>,
    /// `handling=lenient` is true, `handling=strict` is false.
    pub lenient: Option<bool>,
    /// `no-tombstone`
    pub no_tombstone: bool,
}

impl Prefer {
    /// Reads all headers `Prefer`.
    pub fn of(headers: &HeaderMap) -> Prefer {
        let mut prefer = Prefer::default();
        for element in elements(headers, HeaderName::from_static("prefer")) {
            let mut parts = split(element, ';').map(parameter);
            let Some((name, value)) = parts.next() else {
                continue;
            };
            match (name.to_ascii_lowercase().as_str(), value.as_str()) {
                ("return", "minimal") => prefer.minimal = true,
                ("return", "representation") => prefer.representation = true,
                ("handling", "lenient") => prefer.lenient = Some(true),
                ("handling", "strict") => prefer.lenient = Some(false),
                ("no-tombstone", _) => prefer.no_tombstone = true,
                _ => {}
            }
            if name.eq_ignore_ascii_case("return") {
                for (name, iris) in parts {
                    let into = match name.to_ascii_lowercase().as_str() {
                        "include" => &mut prefer.include,
                        "omit" => &mut prefer.omit,
                        _ => continue,
                    };
                    into.extend(iris.split_ascii_whitespace().map(String::from));
                }
            }
        }
        prefer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences_are_read() {
        let mut headers = HeaderMap::new();
        let prefer = HeaderName::from_static("prefer");
        headers.append(
            &prefer,
            r#"return=representation; omit="a:x a:y"; include="a:z", respond-async"#
                .parse()
                .unwrap(),
        );
        headers.append(
            &prefer,
            r#"handling=lenient; received="minimal""#.parse().unwrap(),
        );
        let expected = Prefer {
            representation: true,
            omit: vec!["a:x".into(), "a:y".into()],
            include: vec!["a:z".into()],
            lenient: Some(true),
            ..Prefer::default()
        };
        assert_eq!(Prefer::of(&headers), expected);
    }
}
