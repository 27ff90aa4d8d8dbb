//! `REGEX` and `REPLACE` as XPath has them: `fn:matches` and `fn:replace`.

use crate::xpath::{Flags, Pattern};
use oxrdf::{Literal, Term, vocab::xsd};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Patterns of one evaluation that are kept.
const MOST: usize = 64;

/// Compiled patterns by their text and flags; none where they are no patterns.
#[derive(Default)]
pub(crate) struct Patterns(Mutex<HashMap<Key, Option<Arc<Pattern>>>>);

type Key = (String, String);

impl Patterns {
    fn get(&self, text: &str, flags: &str) -> Result<Option<Arc<Pattern>>, String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (text.to_owned(), flags.to_owned());
        if let Some(pattern) = known.get(&key) {
            return Ok(pattern.clone());
        }
        let pattern = match Flags::parse(flags) {
            Some(flags) => Pattern::compile(text, flags)?.map(Arc::new),
            None => None,
        };
        if known.len() == MOST {
            known.clear();
        }
        known.insert(key, pattern.clone());
        Ok(pattern)
    }
}

/// `REGEX(text, pattern, flags)`; no value is an error of the expression, the error is that the pattern is
/// right and cannot be had.
pub(crate) fn matches(patterns: &Patterns, terms: &[Term]) -> Result<Option<Term>, String> {
    let (text, pattern, flags) = match terms {
        [text, pattern] => (string(text), plain(pattern), Some("")),
        [text, pattern, flags] => (string(text), plain(pattern), plain(flags)),
        _ => return Ok(None),
    };
    let (Some(text), Some(pattern), Some(flags)) = (text, pattern, flags) else {
        return Ok(None);
    };
    let pattern = patterns.get(pattern, flags)?;
    Ok(pattern.map(|pattern| Literal::from(pattern.regex.is_match(text.value())).into()))
}

/// `REPLACE(text, pattern, replacement, flags)`, likewise.
pub(crate) fn replace(patterns: &Patterns, terms: &[Term]) -> Result<Option<Term>, String> {
    let (text, pattern, replacement, flags) = match terms {
        [text, pattern, with] => (string(text), plain(pattern), plain(with), Some("")),
        [text, pattern, with, flags] => (string(text), plain(pattern), plain(with), plain(flags)),
        _ => return Ok(None),
    };
    let (Some(text), Some(pattern), Some(replacement), Some(flags)) =
        (text, pattern, replacement, flags)
    else {
        return Ok(None);
    };
    let Some(pattern) = patterns.get(pattern, flags)? else {
        return Ok(None);
    };
    let groups = pattern.regex.captures_len() - 1;
    let pieces = match pattern.is_literal {
        true => Some(vec![Piece::Text(replacement.to_owned())]),
        false => pieces(replacement, groups),
    };
    let Some(pieces) = pieces.filter(|_| !pattern.regex.is_match("")) else {
        return Ok(None);
    };
    let replaced = pattern
        .regex
        .replace_all(text.value(), |captures: &regex::Captures<'_>| {
            let text_of = |piece: &Piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Group(number) => captures
                    .get(*number)
                    .map_or(String::new(), |found| found.as_str().to_owned()),
            };
            pieces.iter().map(text_of).collect::<String>()
        });
    Ok(Some(match text.language() {
        Some(language) => Literal::new_language_tagged_literal_unchecked(replaced, language).into(),
        None => Literal::new_simple_literal(replaced).into(),
    }))
}

/// A string, with a language perhaps.
fn string(term: &Term) -> Option<&Literal> {
    match term {
        Term::Literal(literal)
            if literal.language().is_some() || literal.datatype() == xsd::STRING =>
        {
            Some(literal)
        }
        _ => None,
    }
}

/// The text of a string without a language.
fn plain(term: &Term) -> Option<&str> {
    string(term)
        .filter(|literal| literal.language().is_none())
        .map(Literal::value)
}

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Group(usize),
}

/// A replacement: `$N` is a group, `\$` and `\\` are `$` and `\`; none if it is something else.
fn pieces(replacement: &str, groups: usize) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = replacement.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => text.push(rest.next().filter(|c| matches!(c, '\\' | '$'))?),
            '$' => {
                let mut number = rest.next()?.to_digit(10)? as usize;
                // As many digits as there are groups for: the others are text.
                while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10))
                    && number * 10 + digit as usize <= groups
                {
                    number = number * 10 + digit as usize;
                    rest.next();
                }
                pieces.push(Piece::Text(std::mem::take(&mut text)));
                if number <= groups {
                    pieces.push(Piece::Group(number));
                }
            }
            c => text.push(c),
        }
    }
    pieces.push(Piece::Text(text));
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(texts: &[&str]) -> Vec<Term> {
        texts
            .iter()
            .map(|text| Literal::new_simple_literal(*text).into())
            .collect()
    }

    #[test]
    fn replacements_are_those_of_xpath() {
        for (arguments, expected) in [
            (
                &["Doe John", r"^(\w+) (\w+)$", "$2_$1"][..],
                Some("John_Doe"),
            ),
            (&["12", "(1)(2)", "$1a$2b"], Some("1a2b")),
            (&["12", "(1)(2)", "$12"], Some("12")),
            (&["12", "(1)(2)", "$3$1"], Some("1")),
            (&["12", "(1)(2)", "$0$0"], Some("1212")),
            (
                &[
                    "abcdefghijk",
                    "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)",
                    "$11$111",
                ],
                Some("kk1"),
            ),
            (&["a", "a", r"\$"], Some("$")),
            (&["a", "a", r"\\"], Some(r"\")),
            (&["a", "a", r"\\$0\$1"], Some(r"\a$1")),
            (&["a", "(a)|(b)", "[$2]"], Some("[]")),
            (&["abracadabra", "bra", "*"], Some("a*cada*")),
            (&["abracadabra", "a.*a", "*"], Some("*")),
            (&["abracadabra", "a.*?a", "*"], Some("*c*bra")),
            (&["abracadabra", "a", ""], Some("brcdbr")),
            (&["AAAA", "A+?", "b"], Some("bbbb")),
            (&["darted", "^(.*?)d(.*)$", "$1c$2"], Some("carted")),
            (&["a.b", ".", "$", "q"], Some("a$b")),
            (&["aB", "b", "-", "i"], Some("a-")),
            (&["a b", "a b", "-", "x"], Some("a b")),
            // Errors: what matches the empty text, and what is no replacement, pattern or flag.
            (&["abracadabra", ".*?", "$1"], None),
            (&["a", "a", "$"], None),
            (&["a", "a", "$x"], None),
            (&["a", "a", "${x}"], None),
            (&["a", "a", r"\"], None),
            (&["a", "a", r"\n"], None),
            (&["a", "(", "b"], None),
            (&["a", "a", "b", "z"], None),
        ] {
            let found = replace(&Patterns::default(), &terms(arguments)).unwrap();
            let expected = expected.map(|text| Literal::new_simple_literal(text).into());
            assert_eq!(found, expected, "{arguments:?}");
        }
        let tagged: Term = Literal::new_language_tagged_literal_unchecked("a", "en").into();
        let found = replace(
            &Patterns::default(),
            &[vec![tagged], terms(&["a", "b"])].concat(),
        );
        let expected = Literal::new_language_tagged_literal_unchecked("b", "en").into();
        assert_eq!(found, Ok(Some(expected)));
    }

    #[test]
    fn a_pattern_that_cannot_be_had_is_refused() {
        for pattern in [r"(ab)\1", r"\p{IsBasicLatin}"] {
            let patterns = Patterns::default();
            assert!(
                matches(&patterns, &terms(&["abab", pattern])).is_err(),
                "{pattern}"
            );
            assert!(
                replace(&patterns, &terms(&["abab", pattern, "c"])).is_err(),
                "{pattern}"
            );
        }
    }
}
