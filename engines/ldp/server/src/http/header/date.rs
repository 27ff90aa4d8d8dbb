//! Dates in headers.

use std::time::UNIX_EPOCH;

/// A date of HTTP after 1970, in seconds since then. Its day may have one digit, as in RFC 1123.
pub fn seconds(text: &str) -> Option<u64> {
    let padded = match text.split_once(", ") {
        Some((name, rest)) if rest.as_bytes().get(1) == Some(&b' ') => format!("{name}, 0{rest}"),
        _ => text.to_owned(),
    };
    let date = httpdate::parse_http_date(&padded).ok()?;
    Some(date.duration_since(UNIX_EPOCH).ok()?.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_dates_are_read() {
        for (text, expected) in [
            ("Thu, 01 Jan 1970 00:01:40 GMT", Some(100)),
            ("Thu, 1 Jan 1970 00:01:40 GMT", Some(100)),
            ("Thursday, 01-Jan-70 00:01:40 GMT", Some(100)),
            ("Thu Jan  1 00:01:40 1970", Some(100)),
            ("Sat, 31 Jan 1970 00:00:00 GMT", Some(30 * 24 * 3600)),
            ("Wed, 31 Dec 1969 23:59:59 GMT", None),
            ("1970-01-01", None),
            ("Thu, 1", None),
            ("", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
