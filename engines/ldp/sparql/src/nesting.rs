//! A bound on the shape of a text: parser, planner and evaluation descend by recursion, into brackets
//! and along chains of operators, triples and groups alike.

use crate::Error;
use ldp_rdf::SyntaxError;

/// How deep brackets may stand within each other.
const DEPTH: usize = 128;

/// How many links the chains of a text may have together: operators and brackets; what is joined
/// (triples, steps of paths, groups) counts [`JOIN`] times, since the planner orders joins in cubic
/// time.
const LINKS: usize = 1000;

/// For how many links a join counts.
const JOIN: usize = 5;

/// How many brackets may stand within each other that the parser reads twice.
const TWICE: usize = 8;

/// What the parser reads with one argument more first, and then anew.
const READ_TWICE: [&str; 4] = ["REGEX", "SUBSTR", "REPLACE", "GROUP_CONCAT"];

/// Refuses text with brackets deeper than [`DEPTH`], with more than [`TWICE`] that are read twice within each
/// other, or with more than [`LINKS`] links.
///
/// What stands in strings, in IRIs and in comments does not count; the data of `VALUES`, `INSERT DATA`
/// and `DELETE DATA` and the commas of lists are no links, as they are read one after the other. Where
/// `<` can begin an IRI or mean "less than", what follows counts, or is refused if it would hide more.
pub(crate) fn check(text: &str) -> Result<(), Error> {
    scan(text, |_, _| {})
}

/// Gives each word to `each` that is no part of a name, a string, an IRI or a comment, with its place; up to
/// what [`check`] refuses.
pub(crate) fn each_word<'t>(text: &'t str, each: impl FnMut(usize, &'t str)) {
    _ = scan(text, each);
}

fn scan<'t>(text: &'t str, mut each: impl FnMut(usize, &'t str)) -> Result<(), Error> {
    let bytes = text.as_bytes();
    let refuse = |at, message| {
        let place = Some(place(text, at));
        Err(Error::Syntax(SyntaxError { message, place }))
    };
    // Each with how many of those around it are read twice.
    let mut open: Vec<(u8, usize)> = Vec::new();
    // How often the next bracket is read twice.
    let mut twice = 0;
    let mut links = 0_usize;
    // Whether the next brace opens a block of data, and how many brackets are open around such one.
    let mut before_data = false;
    let mut data = None;
    // The last byte that is neither space nor comment.
    let mut last = b' ';
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let mut weight = 0;
        // Words that follow each other in parentheses are a collection: triples for each.
        let inside = open.last().map_or(b' ', |(bracket, _)| *bracket);
        let follows = inside == b'(' && !b" (,=<!|&+-*/^?$:@.".contains(&last);
        match byte {
            b'(' | b'[' | b'{' => {
                if byte == b'{' && std::mem::take(&mut before_data) {
                    data = data.or(Some(open.len()));
                }
                let around = open.last().map_or(0, |(_, twice)| *twice);
                open.push((byte, around + std::mem::take(&mut twice)));
                if open.last().is_some_and(|(_, twice)| *twice > TWICE) {
                    let names = READ_TWICE.join(", ");
                    return refuse(
                        at,
                        format!("more than {TWICE} of !, {names} stand within each other"),
                    );
                }
                if open.len() > DEPTH {
                    return refuse(at, format!("brackets stand deeper than {DEPTH}"));
                }
                weight = match byte {
                    // A collection in a collection is two triples.
                    b'(' if last == b'(' => 2 * JOIN,
                    b'(' => 1,
                    _ => JOIN,
                };
            }
            b')' | b']' | b'}' => {
                open.pop();
                data = data.filter(|around| open.len() > *around);
            }
            b'#' => at += length_until(&bytes[at..], |byte| matches!(byte, b'\n' | b'\r')),
            b'"' | b'\'' => {
                at = string_end(bytes, at);
                weight = if follows { JOIN } else { 0 };
            }
            b'<' => {
                let end = iri_end(bytes, at);
                let inner = &bytes[at..end];
                // Only in parentheses there are comparisons, and only after an operand.
                let doubtful = data.is_none()
                    && inside == b'('
                    && !b"(,=!|&+*/^".contains(&last)
                    && !is_absolute(inner);
                if doubtful && inner.iter().any(|byte| b"()[]#'\\".contains(byte)) {
                    let message =
                        "expected a space after \"<\": what follows can be an IRI or a comparison";
                    return refuse(start, message.to_owned());
                }
                if !doubtful {
                    at = end;
                }
                weight = if follows { JOIN } else { 0 };
            }
            b'?' | b'$' if follows => weight = JOIN,
            // What is escaped in a name is ASCII; else the next word would begin within a character.
            b'\\' => at += usize::from(bytes.get(at + 1).is_some_and(u8::is_ascii)),
            b',' if inside == b'(' => {}
            b',' | b';' | b'.' | b'/' => weight = JOIN,
            b'+' | b'*' | b'|' | b'&' | b'!' | b'^' | b'-' => weight = 1,
            _ if is_word(byte) => {
                let word = &bytes[at..at + length_until(&bytes[at..], |byte| !is_word(byte))];
                let is_name = at > 0 && b"?$:@.-%\\".contains(&bytes[at - 1]);
                weight = if follows { JOIN } else { 0 };
                if !is_name && bytes.get(at + word.len()) != Some(&b':') {
                    each(at, &text[at..at + word.len()]);
                    let mut names = READ_TWICE.iter();
                    let again = names.any(|name| name.as_bytes().eq_ignore_ascii_case(word));
                    twice += usize::from(again);
                }
                before_data |= !is_name
                    && (word.eq_ignore_ascii_case(b"VALUES") || word.eq_ignore_ascii_case(b"DATA"));
                at += word.len() - 1;
            }
            _ => {}
        }
        if byte != b'#' && !byte.is_ascii_whitespace() {
            last = byte;
        }
        // Only names come between what is read twice and its bracket.
        twice = match byte {
            b'!' if bytes.get(at + 1) != Some(&b'=') => twice + 1,
            b'#' | b'<' | b':' | b' ' | b'\t' | b'\r' | b'\n' => twice,
            _ if is_word(byte) => twice,
            _ => 0,
        };
        links += if data.is_none() { weight } else { 0 };
        if links > LINKS {
            return refuse(
                start,
                format!("there are more than {LINKS} operators, triples and brackets"),
            );
        }
        at += 1;
    }
    Ok(())
}

/// Whether a byte is part of a word: a keyword, a name or a number.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
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

/// Whether what follows `<` can only be an IRI: no comparison goes on with `word://`.
fn is_absolute(iri: &[u8]) -> bool {
    let scheme = length_until(&iri[1.min(iri.len())..], |byte| !is_word(byte));
    scheme > 0 && iri[1 + scheme..].starts_with(b"://")
}

/// Where the IRI that begins at `start` ends; `start` itself if it is the sign for "less than".
/// Escapes such as `\u00e9` are part of an IRI.
fn iri_end(bytes: &[u8], start: usize) -> usize {
    let stop = |byte: u8| byte <= b' ' || b"<>\"{}|^`".contains(&byte);
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

    fn refused(text: &str) -> Option<(u64, u64)> {
        match check(text) {
            Ok(()) => None,
            Err(Error::Syntax(error)) => error.place,
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn depth_counts_brackets() {
        let deep = |n| format!("SELECT *\nWHERE {{{}{}}}", "{".repeat(n), "}".repeat(n));
        assert_eq!(refused(&deep(127)), None);
        assert_eq!(refused(&deep(128)), Some((2, 135)));
    }

    #[test]
    fn links_count_what_is_chained() {
        for (link, most) in [
            ("+1", 995),
            ("-?x", 995),
            ("||?x", 497),
            ("/<urn:a>", 199),
            (" . ?s ?p ?o", 199),
            (", ?o", 199),
            (" {}", 199),
            ("(1)", 995),
            ("[] ", 199),
        ] {
            let text = |n| format!("ASK {{ {} }}", link.repeat(n));
            assert_eq!(refused(&text(most)), None, "{link}");
            assert!(refused(&text(most + 1)).is_some(), "{link}");
        }
    }

    #[test]
    fn what_is_read_twice_is_counted_where_it_nests() {
        for (open, most) in [
            ("!(", 8),
            ("! str (", 8),
            ("! <urn:f> (", 8),
            ("! EXISTS { FILTER(", 8),
            ("regex(", 8),
            ("!Regex (", 4),
            ("SUBSTR(1, ", 8),
            ("replace(", 8),
            ("GROUP_CONCAT(", 8),
            // These are read once.
            ("!?x && (", 60),
            ("1 != (", 60),
            ("str(", 60),
            ("ex:regex(", 60),
            ("?regex = (", 60),
            ("'!' = (", 60),
        ] {
            let text = |n| format!("ASK {{ FILTER({}", open.repeat(n));
            assert_eq!(refused(&text(most)), None, "{open}");
            assert!(most == 60 || refused(&text(most + 1)).is_some(), "{open}");
        }
        let beside = "regex(?x, 'a') && !(?y) && ".repeat(50);
        assert_eq!(refused(&format!("ASK {{ FILTER({beside} true)")), None);
    }

    #[test]
    fn what_is_read_one_after_the_other_is_no_chain() {
        for (head, piece) in [
            ("", "\"(+\" "),
            ("", "\'\'\'((\'+(\'\'\' "),
            ("", "<a:(+.> "),
            ("", "#((+\n"),
            ("", "\"\\\"((+\" "),
            ("ASK { VALUES ?x { ", "-1.5 ex:a.b "),
            ("ASK { VALUES (?x ?y) { ", "(1 -1) "),
            ("INSERT data { ", "<> <p> 1.5, 2 ; <q> 3 . "),
            ("ASK { FILTER(?x IN (1", ", 1"),
        ] {
            assert_eq!(
                refused(&format!("{head}{}", piece.repeat(5000))),
                None,
                "{head}{piece}"
            );
        }
        let after = format!(
            "INSERT DATA {{ <> <p> 1 }} ; {}",
            "INSERT { ?s ?p ?o } WHERE {} ; ".repeat(500)
        );
        assert!(refused(&after).is_some());
        assert!(
            refused(&format!(
                "ASK {{ ?s ?p ?values {{ {} }} }}",
                "{} ".repeat(1001)
            ))
            .is_some()
        );
        for hidden in [
            ("FILTER(?a<", "(", ">2)"),
            ("FILTER(1 < ", "(", ">2)"),
            ("FILTER(?a<1", "+1", ">2)"),
            ("FILTER(?a<", "!", "1>2)"),
            ("FILTER(?a<1)FILTER(", "!", "1)"),
            ("FILTER(?a<#>'\n", "(", "'\n)"),
            ("?s <\\u0041#> ?o . FILTER", "(", ""),
            ("?s <'> ?o . FILTER", "(", " ?s <'> ?o"),
            ("?s ?p (", " 1", ")"),
            ("?s ?p (", " ?x", ")"),
            ("?s ?p (", "'a'", ")"),
            ("?s ?p (", "<a>", ")"),
            ("?s ?p ex:a.DATA {", "{}", "}"),
        ] {
            let (head, piece, tail) = hidden;
            let text = format!("ASK {{ {head}{}{tail} }}", piece.repeat(2000));
            assert!(refused(&text).is_some(), "{hidden:?}");
        }
        for common in [
            "FILTER(?a<5&&?b>3)",
            "FILTER(?a < (?b) && (?c > 3))",
            "FILTER(?a IN (<urn:a(b)>, <#it's>))",
            "?s ?p (<a> ?b <http://example.org/x_(y)#z>) ; <#p> <urn:a(b>",
            "FILTER(?x = <urn:((> || ?y != <#z>)",
            "VALUES (?x ?y) { (1 <#it's>) (<#a> <urn:(>) }",
        ] {
            assert_eq!(refused(&format!("ASK {{ {common} }}")), None, "{common}");
        }
        for open in [
            "\"never closed ((",
            "\\",
            "\\é",
            "\"\\é",
            "<\\é",
            "<",
            "\'\'\'",
        ] {
            assert_eq!(refused(open), None, "{open}");
        }
    }
}
