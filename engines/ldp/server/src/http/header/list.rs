//! Lists in headers: elements between commas, parameters between semicolons, quoted strings.

use axum::http::{HeaderMap, HeaderName};

/// All elements of all headers of this name; what is not text is passed over.
pub fn elements(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| split(value, ','))
}

/// The parts of `text` between `separator`s that stand outside of quotes and of `<…>`, trimmed, not empty.
pub fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let (part, behind) = match end_of_first(text, separator) {
            Some(end) => (&text[..end], Some(&text[end + separator.len_utf8()..])),
            None => (text, None),
        };
        rest = behind;
        Some(part.trim())
    })
    .filter(|part| !part.is_empty())
}

fn end_of_first(text: &str, separator: char) -> Option<usize> {
    let (mut quoted, mut escaped, mut angled) = (false, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '<' if !quoted => angled = true,
            '>' if !quoted => angled = false,
            _ if c == separator && !quoted && !angled => return Some(at),
            _ => {}
        }
    }
    None
}

/// `name=value` or `name`, with the quotes of the value removed.
pub fn parameter(text: &str) -> (&str, String) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    (name.trim(), unquote(value.trim()))
}

fn unquote(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')) else {
        return value.to_string();
    };
    let mut out = String::with_capacity(inner.len());
    let mut escaped = false;
    for c in inner.chars() {
        if c == '\\' && !escaped {
            escaped = true;
        } else {
            escaped = false;
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_in_quotes_do_not_count() {
        let parts: Vec<_> = split(r#" a="1,\"2", <b,c>; d ,, e "#, ',').collect();
        assert_eq!(parts, [r#"a="1,\"2""#, "<b,c>; d", "e"]);
        assert_eq!(parameter(r#"a = "x\"y""#), ("a", "x\"y".into()));
        assert_eq!(parameter("flag"), ("flag", "".into()));
    }
}
