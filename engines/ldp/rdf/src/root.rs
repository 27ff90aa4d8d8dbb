//! Outside URLs and inside IRIs.

use std::borrow::Cow;

const INSIDE: &str = "info:fcres";

/// Where a repository is seen from outside: the URL of its root, without a slash at its end.
///
/// Inside, a resource is `info:fcres` and its path (`info:fcres/` is the root); outside, it is the
/// root URL and its path. Every IRI that begins with the root is translated on the way in, and back
/// on the way out, so that data moves to another host unchanged.
///
/// Inside, a path is written with as few percent escapes as an IRI allows; outside, as a URL: all
/// but ASCII is escaped. Queries and fragments stay as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(String);

impl Root {
    /// The root at `url`, an absolute URL without query or fragment. A slash at its end is cut off.
    pub fn new(url: &str) -> Result<Root, String> {
        let url = url.strip_suffix('/').unwrap_or(url);
        if !url.contains("://") || url.contains(['?', '#']) {
            return Err(format!(
                "the root URL {url:?} must be absolute, without query or fragment, like http://127.0.0.1:8000/ldp"
            ));
        }
        match oxrdf::NamedNode::new(url) {
            Ok(url) => Ok(Root(url.into_string())),
            Err(error) => Err(format!("the root URL {url:?} is not an IRI: {error}")),
        }
    }

    /// The root that translates nothing: documents hold inside IRIs, as exports do.
    pub fn inside_only() -> Root {
        Root(INSIDE.to_owned())
    }

    /// The URL, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The inside IRI of an outside one; IRIs beyond the root stay as they are.
    pub fn inside<'a>(&self, iri: &'a str) -> Cow<'a, str> {
        match iri.strip_prefix(self.0.as_str()) {
            Some(rest) if rest.starts_with('/') && !rest.contains('%') => {
                Cow::Owned([INSIDE, rest].concat())
            }
            Some(rest) if rest.is_empty() || rest.starts_with(['/', '?', '#']) => {
                let (path, end) = split_path(rest);
                let mut inside = String::from(INSIDE);
                inside.push_str(if path.is_empty() { "/" } else { "" });
                unescape(path, &mut inside);
                inside.push_str(end);
                Cow::Owned(inside)
            }
            _ => Cow::Borrowed(iri),
        }
    }

    /// The inside IRI of an outside one that has no escapes, in two parts; none if it needs more.
    pub(crate) fn inside_parts<'a>(&self, iri: &'a str) -> Option<[&'a str; 2]> {
        match iri.strip_prefix(self.0.as_str()) {
            Some("") => Some([INSIDE, "/"]),
            Some(rest) if rest.starts_with('/') => Some([INSIDE, rest]),
            Some(rest) if rest.starts_with(['?', '#']) => None,
            _ => Some([iri, ""]),
        }
    }

    /// The outside IRI of an inside one; other IRIs stay as they are.
    pub fn outside<'a>(&self, iri: &'a str) -> Cow<'a, str> {
        match strip_inside(iri) {
            _ if self.0 == INSIDE => Cow::Borrowed(iri),
            Some(rest) if rest.is_ascii() => Cow::Owned([self.as_str(), rest].concat()),
            Some(rest) => {
                let (path, end) = split_path(rest);
                let mut outside = self.0.clone();
                for &byte in path.as_bytes() {
                    match byte.is_ascii() {
                        true => outside.push(char::from(byte)),
                        false => push_escape(byte, &mut outside),
                    }
                }
                outside.push_str(end);
                Cow::Owned(outside)
            }
            None => Cow::Borrowed(iri),
        }
    }

    /// The URL of the resource at `uid`, all ASCII.
    pub fn url(&self, uid: &str) -> String {
        self.outside(&iri_of(uid)).into_owned()
    }
}

/// The inside IRI of the resource at `uid`.
pub fn iri_of(uid: &str) -> String {
    let mut iri = String::with_capacity(INSIDE.len() + uid.len());
    iri.push_str(INSIDE);
    // Most paths need no escape, and listings have many.
    let plain = uid.bytes().position(|byte| !PLAIN[usize::from(byte)]);
    let (plain, rest) = uid.split_at(plain.unwrap_or(uid.len()));
    iri.push_str(plain);
    for c in rest.chars() {
        if allowed(c) {
            iri.push(c);
        } else {
            let mut bytes = [0; 4];
            for &byte in c.encode_utf8(&mut bytes).as_bytes() {
                push_escape(byte, &mut iri);
            }
        }
    }
    iri
}

/// The uid of the resource that an inside IRI names, its query and fragment left aside; none if the
/// IRI is not inside, or its path is none that [`iri_of`] gives.
pub fn uid_of(iri: &str) -> Option<Cow<'_, str>> {
    let (path, _) = split_path(strip_inside(iri)?);
    if !path.contains('%') {
        return Some(Cow::Borrowed(path));
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = if byte == b'%' { escape_at(rest) } else { None };
        // A slash within a segment has no uid: it would be another path.
        if escaped == Some(b'/') || (byte == b'%' && escaped.is_none()) {
            return None;
        }
        bytes.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() { &rest[3..] } else { after };
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// What follows the prefix of inside IRIs: it begins with a slash.
pub(crate) fn strip_inside(iri: &str) -> Option<&str> {
    iri.strip_prefix(INSIDE)
        .filter(|rest| rest.starts_with('/'))
}

fn split_path(rest: &str) -> (&str, &str) {
    rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()))
}

/// Whether a byte is a character that a path of an IRI may hold as it is.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        plain[byte] = allowed(byte as u8 as char);
        byte += 1;
    }
    plain
};

/// Whether a path of an IRI may hold the character as it is.
const fn allowed(c: char) -> bool {
    match c {
        '/' | ':' | '@' | '-' | '.' | '_' | '~' | '!' | '$' | '&' | '\'' | '(' | ')' | '*'
        | '+' | ',' | ';' | '=' => true,
        c if c.is_ascii() => c.is_ascii_alphanumeric(),
        // RFC 3987 `ucschar`: no controls, no private use, no non-characters.
        c => {
            matches!(c,
            '\u{A0}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFEF}'
            | '\u{10000}'..='\u{DFFFF}' | '\u{E1000}'..='\u{EFFFD}')
                && c as u32 & 0xFFFE != 0xFFFE
        }
    }
}

fn push_escape(byte: u8, out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(HEX[usize::from(byte >> 4)]));
    out.push(char::from(HEX[usize::from(byte & 15)]));
}

/// The byte that the escape at the front of `text` stands for.
fn escape_at(text: &[u8]) -> Option<u8> {
    let digit = |i: usize| char::from(*text.get(i)?).to_digit(16);
    Some((digit(1)? * 16 + digit(2)?) as u8)
}

/// Appends `path` with those escapes undone that an IRI does not need; the others in upper case.
fn unescape(path: &str, out: &mut String) {
    let mut rest = path;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let mut escaped = Vec::new();
        while let Some(byte) = escape_at(rest.as_bytes()).filter(|_| rest.starts_with('%')) {
            escaped.push(byte);
            rest = &rest[3..];
        }
        if escaped.is_empty() {
            out.push('%');
            rest = &rest[1..];
        }
        for chunk in escaped.utf8_chunks() {
            for c in chunk.valid().chars() {
                if allowed(c) && c != '/' {
                    out.push(c);
                } else {
                    let mut bytes = [0; 4];
                    for &byte in c.encode_utf8(&mut bytes).as_bytes() {
                        push_escape(byte, out);
                    }
                }
            }
            for &byte in chunk.invalid() {
                push_escape(byte, out);
            }
        }
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> Root {
        Root::new("http://h/ldp/").unwrap()
    }

    #[test]
    fn translates_both_ways() {
        for (outside, inside, uid) in [
            ("http://h/ldp/", "info:fcres/", "/"),
            ("http://h/ldp/a/b", "info:fcres/a/b", "/a/b"),
            ("http://h/ldp/a#x%20", "info:fcres/a#x%20", "/a"),
            ("http://h/ldp/a?q=%41", "info:fcres/a?q=%41", "/a"),
            ("http://h/ldp/%C3%A9", "info:fcres/é", "/é"),
            ("http://h/ldp/a%20b%25", "info:fcres/a%20b%25", "/a b%"),
            ("http://h/ldp/%F0%9F%8D%8E!", "info:fcres/🍎!", "/🍎!"),
        ] {
            assert_eq!(root().inside(outside), inside);
            assert_eq!(root().outside(inside), outside);
            assert_eq!(uid_of(inside).unwrap(), uid);
            assert_eq!(iri_of(uid), split_path(inside).0);
        }
        assert_eq!(root().url("/ä b"), "http://h/ldp/%C3%A4%20b");
    }

    #[test]
    fn spellings_of_one_path_are_one_iri() {
        for (outside, inside) in [
            ("http://h/ldp", "info:fcres/"),
            ("http://h/ldp#a", "info:fcres/#a"),
            ("http://h/ldp/%7eu%2fv", "info:fcres/~u%2Fv"),
            ("http://h/ldp/%c3%a9é", "info:fcres/éé"),
            ("http://h/ldp/%FF%41", "info:fcres/%FFA"),
        ] {
            assert_eq!(root().inside(outside), inside);
        }
        assert_eq!(uid_of("info:fcres/a%2Fb"), None);
        assert_eq!(uid_of("info:fcres/%FF"), None);
        assert_eq!(uid_of("info:fcres/%4"), None);
    }

    #[test]
    fn others_stay() {
        for iri in ["http://h/ldpx", "http://h/", "urn:x", "info:fcresx/"] {
            assert_eq!(root().inside(iri), iri);
            assert_eq!(root().outside(iri), iri);
            assert_eq!(uid_of(iri), None);
        }
    }

    #[test]
    fn inside_only_translates_nothing() {
        for iri in ["info:fcres/é%20#x", "http://h/ldp/a"] {
            assert_eq!(Root::inside_only().inside(iri), iri);
            assert_eq!(Root::inside_only().outside(iri), iri);
        }
    }

    #[test]
    fn a_root_is_an_absolute_url() {
        for url in [
            "",
            "/ldp",
            "h/ldp",
            "http://h/?a",
            "http://h/#",
            "http://h/ b",
        ] {
            assert!(Root::new(url).is_err(), "{url}");
        }
    }
}
