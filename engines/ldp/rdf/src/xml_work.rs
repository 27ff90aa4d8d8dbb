//! RDF/XML that takes more than time in proportion to its length: refused before it does.
//!
//! The parser compares each attribute of a tag with all before it, and looks for a prefix among all
//! namespaces that are declared around it.

use memchr::memchr;
use memchr::memmem::Finder;

/// Comparisons for each byte, and for any document.
const PER_BYTE: u64 = 32;
const ALWAYS: u64 = 1 << 20;

/// Whether the parser may read `text`; the error says why not.
pub(crate) fn check(text: &[u8]) -> Result<(), String> {
    let most = ALWAYS + PER_BYTE * text.len() as u64;
    match comparisons(text, most) {
        found if found <= most => Ok(()),
        _ => Err(format!(
            "attributes and namespaces that take more than {most} comparisons: expected fewer in a tag and around it"
        )),
    }
}

/// How often the parser compares names, or a number above `most`. Tags end where quick-xml, which the
/// parser is built on, ends them.
fn comparisons(text: &[u8], most: u64) -> u64 {
    let ends = [Finder::new("-->"), Finder::new("]]>"), Finder::new("?>")];
    let skip = |end: usize, at: usize| {
        let found = ends[end].find(&text[at..]);
        found.map_or(text.len(), |found| at + found)
    };
    // Namespaces that each open element declares, and their sum.
    let mut open: Vec<u64> = Vec::new();
    let mut around = 0;
    let mut sum = 0_u64;
    let mut at = 0;
    while let Some(found) = memchr(b'<', &text[at..])
        && sum <= most
    {
        at += found + 1;
        match &text[at..] {
            [b'!', b'-', ..] => at = skip(0, at),
            [b'!', b'[', ..] => at = skip(1, at),
            [b'!', ..] => at = end_of_doctype(text, at),
            [b'?', ..] => at = skip(2, at),
            [b'/', ..] => {
                sum += around;
                around -= open.pop().unwrap_or(0);
            }
            _ => {
                let tag = Tag::read(&text[at..]);
                at += tag.length;
                around += tag.namespaces;
                sum += tag.attributes * tag.attributes + (tag.attributes + 1) * around;
                match tag.is_empty {
                    true => around -= tag.namespaces,
                    false => open.push(tag.namespaces),
                }
            }
        }
    }
    sum
}

/// Behind the declarations in a document type: where its angle brackets are closed.
fn end_of_doctype(text: &[u8], start: usize) -> usize {
    let mut open = 1;
    for (at, byte) in text.iter().enumerate().skip(start) {
        match byte {
            b'<' => open += 1,
            b'>' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return at;
        }
    }
    text.len()
}

struct Tag {
    length: usize,
    attributes: u64,
    namespaces: u64,
    is_empty: bool,
}

impl Tag {
    /// From behind its `<`.
    fn read(text: &[u8]) -> Tag {
        let mut tag = Tag {
            length: text.len(),
            attributes: 0,
            namespaces: 0,
            is_empty: false,
        };
        let mut quote = None;
        for (at, byte) in text.iter().enumerate() {
            match (quote, byte) {
                (Some(open), byte) if byte == open => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => tag.attributes += 1,
                (None, b'x') if text[at..].starts_with(b"xmlns") => tag.namespaces += 1,
                (None, b'>') => {
                    tag.length = at;
                    tag.is_empty = at > 0 && text[at - 1] == b'/';
                    break;
                }
                _ => {}
            }
        }
        tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> u64 {
        comparisons(text.as_bytes(), u64::MAX)
    }

    #[test]
    fn comparisons_are_counted() {
        for (text, expected) in [
            ("", 0),
            ("<a></a>", 0),
            ("<a b='1' c='2'/>", 4),
            ("<a xmlns='u'/>", 1 + 2),
            ("<a xmlns:b='u' xmlns='u'><b:c/></a>", 4 + 3 * 2 + 2 + 2),
            ("<a xmlns='u'/><b/>", 3),
            ("<a b='>' c=\"'<x y=z\"/>", 4),
            ("<!-- <a b='1'> --><a/>", 0),
            ("<![CDATA[<a b='1'>]]>", 0),
            ("<?xml version='1.0'?><a/>", 0),
            ("<!DOCTYPE a [<!ENTITY b \"<c d='1'>\">]><a/>", 0),
            ("<a b='1'", 1),
            ("<a b='1", 1),
            ("</a>", 0),
        ] {
            assert_eq!(count(text), expected, "{text}");
        }
    }

    #[test]
    fn comparisons_grow_as_documents_do_or_are_refused() {
        let attributes = |n: usize| {
            let all: String = (0..n).map(|i| format!(" a{i}='1'")).collect();
            format!("<r{all}/>")
        };
        let nested = |n: usize| {
            let open: String = (0..n).map(|i| format!("<p{i}:a xmlns:p{i}='u'>")).collect();
            let close: String = (0..n).rev().map(|i| format!("</p{i}:a>")).collect();
            open + &close
        };
        let around = |n: usize| {
            let all: String = (0..n).map(|i| format!(" xmlns:p{i}='u'")).collect();
            format!("<r{all}>{}</r>", "<p0:a/>".repeat(n))
        };
        for document in [attributes as fn(usize) -> String, nested, around] {
            assert_eq!(check(document(100).as_bytes()), Ok(()));
            assert!(check(document(20_000).as_bytes()).is_err());
        }
        // What writers write: a declaration for each property, and none around.
        let flat = "<r:p xmlns:r='u' r:about='x'>text</r:p>".repeat(100_000);
        assert_eq!(check(format!("<a>{flat}</a>").as_bytes()), Ok(()));
    }
}
