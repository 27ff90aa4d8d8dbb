//! A bound on the depth of a text, since the parser descends by recursion.

use crate::Error;
use ldp_rdf::SyntaxError;

/// How deep brackets may stand within each other.
const DEPTH: usize = 128;

/// Refuses text whose brackets stand deeper than [`DEPTH`].
///
/// Brackets in strings, in IRIs and in comments do not count.
pub(crate) fn check(text: &str) -> Result<(), Error> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                if depth > DEPTH {
                    return Err(Error::Syntax(SyntaxError {
                        message: format!("brackets stand deeper than {DEPTH}"),
                        place: Some(place(text, at)),
                    }));
                }
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'#' => at += length_until(&bytes[at..], |byte| matches!(byte, b'\n' | b'\r')),
            b'"' | b'\'' => at = string_end(bytes, at),
            b'<' => at = iri_end(bytes, at),
            b'\\' => at += 1,
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

/// How many bytes come before the first that fits, or all.
fn length_until(bytes: &[u8], fits: impl Fn(u8) -> bool) -> usize {
    bytes
        .iter()
        .position(|&byte| fits(byte))
        .unwrap_or(bytes.len())
}

/// Where the string that begins at `start` ends: the place of its last quote.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let long = [quote; 3];
    let (mut at, close): (usize, &[u8]) = if bytes[start..].starts_with(&long) {
        (start + 3, &long)
    } else {
        (start + 1, &long[..1])
    };
    while at < bytes.len() && !bytes[at..].starts_with(close) {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + close.len() - 1
}

/// Where the IRI that begins at `start` ends; `start` itself if it is the sign for "less than".
fn iri_end(bytes: &[u8], start: usize) -> usize {
    let stop = |byte: u8| byte <= b' ' || b"<>\"{}|^`\\".contains(&byte);
    let end = start + 1 + length_until(&bytes[start + 1..], stop);
    if bytes.get(end) == Some(&b'>') {
        end
    } else {
        start
    }
}

/// The line and the column of a byte, from 1.
fn place(text: &str, at: usize) -> (u64, u64) {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    (line as u64, column as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_only_brackets_of_the_language() {
        let deep = |open: &str, close: &str, n| {
            format!("SELECT *\nWHERE {{{}{}}}", open.repeat(n), close.repeat(n))
        };
        assert!(check(&deep("{", "}", 127)).is_ok());
        let Err(Error::Syntax(error)) = check(&deep("{", "}", 128)) else {
            panic!("not refused");
        };
        assert_eq!(error.place, Some((2, 135)));
        for quiet in [
            "\"(\" ",
            "'''((''(''' ",
            "<a:(> ",
            "#((\n",
            "\"\\\"((\" ",
            "?a < ?b (?c > ?d) ",
        ] {
            assert!(check(&quiet.repeat(1000)).is_ok(), "{quiet}");
        }
        assert!(check("\"never closed ((").is_ok());
        assert!(check("\\").is_ok());
    }
}
