//! XPath's regular expressions in those of the crate `regex`.

use regex::{Regex, RegexBuilder};
use std::iter::Peekable;
use std::str::Chars;

/// Bytes that a compiled pattern may take.
const SIZE: usize = 1 << 20;

const NAME_START: &str = r":A-Z_a-z\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{37D}\x{37F}-\x{1FFF}\x{200C}\x{200D}\x{2070}-\x{218F}\x{2C00}-\x{2FEF}\x{3001}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFFD}\x{10000}-\x{EFFFF}";
const NAME_MORE: &str = r"\-.0-9\x{B7}\x{300}-\x{36F}\x{203F}\x{2040}";
/// The categories of characters that Unicode has.
const CATEGORIES: &str = "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po Z Zs Zl Zp S Sm Sc Sk So C Cc Cf Co Cn";

/// How a pattern is to be read.
#[derive(Clone, Copy, Default)]
pub(crate) struct Flags {
    dot_all: bool,
    lines: bool,
    any_case: bool,
    spaced: bool,
    literal: bool,
}

impl Flags {
    /// From their letters; none if one is unknown.
    pub fn parse(text: &str) -> Option<Flags> {
        let mut flags = Flags::default();
        for letter in text.chars() {
            *match letter {
                's' => &mut flags.dot_all,
                'm' => &mut flags.lines,
                'i' => &mut flags.any_case,
                'x' => &mut flags.spaced,
                'q' => &mut flags.literal,
                _ => return None,
            } = true;
        }
        Some(flags)
    }
}

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub regex: Regex,
    /// By the flag `q`: the replacement is literal, too.
    pub is_literal: bool,
}

/// Why a text gives no pattern.
enum Bad {
    /// It is none.
    Wrong,
    /// It is one, with something that cannot be had.
    Lacking(&'static str),
}

impl Pattern {
    /// None if the text is no pattern; an error if it is one that cannot be had.
    pub fn compile(text: &str, flags: Flags) -> Result<Option<Pattern>, String> {
        let refuse = |what: &str| {
            Err(format!(
                "the pattern {text:?} has {what}, which is not offered"
            ))
        };
        let translated = match flags.literal {
            true => Ok(regex::escape(text)),
            false => Translator::of(text, flags.spaced).alternatives(false),
        };
        let translated = match translated {
            Ok(translated) => translated,
            Err(Bad::Wrong) => return Ok(None),
            Err(Bad::Lacking(what)) => return refuse(what),
        };
        let built = RegexBuilder::new(&translated)
            .size_limit(SIZE)
            .dot_matches_new_line(flags.dot_all)
            .multi_line(flags.lines && !flags.literal)
            .case_insensitive(flags.any_case)
            .build();
        match built {
            Ok(regex) => Ok(Some(Pattern {
                regex,
                is_literal: flags.literal,
            })),
            Err(regex::Error::CompiledTooBig(_)) => refuse("too many repetitions"),
            // A range that begins behind its end, and the like.
            Err(_) => Ok(None),
        }
    }
}

struct Translator<'a> {
    rest: Peekable<Chars<'a>>,
    spaced: bool,
    depth: usize,
}

impl<'a> Translator<'a> {
    fn of(text: &'a str, spaced: bool) -> Translator<'a> {
        Translator {
            rest: text.chars().peekable(),
            spaced,
            depth: 0,
        }
    }

    fn next(&mut self) -> Result<char, Bad> {
        self.rest.next().ok_or(Bad::Wrong)
    }

    fn take(&mut self, wanted: char) -> bool {
        self.rest.next_if_eq(&wanted).is_some()
    }

    /// Up to the end, or to the bracket that closes.
    fn alternatives(&mut self, in_group: bool) -> Result<String, Bad> {
        let mut out = String::new();
        // Whether something stands before that may be repeated.
        let mut atom = false;
        while let Some(c) = self.rest.next() {
            match c {
                ' ' | '\t' | '\n' | '\r' if self.spaced => continue,
                ')' if in_group => return Ok(out),
                '(' => {
                    self.depth += 1;
                    if self.depth > 100 {
                        return Err(Bad::Lacking("more than 100 groups in groups"));
                    }
                    out.push('(');
                    if self.take('?') {
                        if !self.take(':') {
                            return Err(Bad::Wrong);
                        }
                        out.push_str("?:");
                    }
                    out.push_str(&self.alternatives(true)?);
                    out.push(')');
                    self.depth -= 1;
                    atom = true;
                }
                '|' => {
                    out.push('|');
                    atom = false;
                }
                '^' | '$' => {
                    out.push(c);
                    atom = false;
                }
                '*' | '+' | '?' | '{' => {
                    if !std::mem::take(&mut atom) {
                        return Err(Bad::Wrong);
                    }
                    out.push(c);
                    if c == '{' {
                        out.push_str(&self.count()?);
                    }
                    if self.take('?') {
                        out.push('?');
                    }
                }
                '.' => {
                    out.push('.');
                    atom = true;
                }
                '[' => {
                    out.push_str(&self.class()?);
                    atom = true;
                }
                '\\' => {
                    out.push_str(&self.escape()?);
                    atom = true;
                }
                ')' | ']' | '}' => return Err(Bad::Wrong),
                c => {
                    push_literal(&mut out, c);
                    atom = true;
                }
            }
        }
        match in_group {
            true => Err(Bad::Wrong),
            false => Ok(out),
        }
    }

    /// Behind `{`: a number, or two, or one and a comma.
    fn count(&mut self) -> Result<String, Bad> {
        let mut out = String::new();
        let (mut comma, mut digits) = (false, 0);
        loop {
            let c = self.next()?;
            out.push(c);
            match c {
                '0'..='9' => digits += 1,
                ',' if !comma && digits > 0 => comma = true,
                '}' if digits > 0 => return Ok(out),
                _ => return Err(Bad::Wrong),
            }
        }
    }

    /// Behind `\`, as a class or an escaped character of the crate.
    fn escape(&mut self) -> Result<String, Bad> {
        let c = self.next()?;
        Ok(match c {
            'n' | 'r' | 't' => format!("\\{c}"),
            '\\' | '|' | '.' | '?' | '*' | '+' | '(' | ')' | '{' | '}' | '-' | '[' | ']' | '^'
            | '$' => {
                format!("\\{c}")
            }
            '1'..='9' => return Err(Bad::Lacking("a reference to a group")),
            's' => r"[ \t\n\r]".to_owned(),
            'S' => r"[^ \t\n\r]".to_owned(),
            'd' => r"\p{Nd}".to_owned(),
            'D' => r"\P{Nd}".to_owned(),
            'w' => r"[^\p{P}\p{Z}\p{C}]".to_owned(),
            'W' => r"[\p{P}\p{Z}\p{C}]".to_owned(),
            'i' => format!("[{NAME_START}]"),
            'I' => format!("[^{NAME_START}]"),
            'c' => format!("[{NAME_START}{NAME_MORE}]"),
            'C' => format!("[^{NAME_START}{NAME_MORE}]"),
            'p' | 'P' => {
                if !self.take('{') {
                    return Err(Bad::Wrong);
                }
                let mut name = String::new();
                loop {
                    match self.next()? {
                        '}' => break,
                        letter => name.push(letter),
                    }
                }
                if name.starts_with("Is") {
                    return Err(Bad::Lacking("a block of Unicode"));
                }
                if !CATEGORIES.split(' ').any(|category| category == name) {
                    return Err(Bad::Wrong);
                }
                format!("\\{c}{{{name}}}")
            }
            _ => return Err(Bad::Wrong),
        })
    }

    /// Behind `[`.
    fn class(&mut self) -> Result<String, Bad> {
        self.depth += 1;
        if self.depth > 100 {
            return Err(Bad::Lacking("more than 100 groups in groups"));
        }
        let mut out = String::from(if self.take('^') { "[^" } else { "[" });
        let start = out.len();
        loop {
            match self.next()? {
                ']' if out.len() > start => break,
                '-' if self.rest.peek() == Some(&'[') && out.len() > start => {
                    self.next()?;
                    let without = self.class()?;
                    if !self.take(']') {
                        return Err(Bad::Wrong);
                    }
                    self.depth -= 1;
                    return Ok(format!("[{out}]--{without}]"));
                }
                '[' | ']' => return Err(Bad::Wrong),
                '\\' => out.push_str(&self.escape()?),
                // Between two characters it makes a range.
                '-' if out.len() > start && self.rest.peek() != Some(&']') => out.push('-'),
                c => push_literal(&mut out, c),
            }
        }
        self.depth -= 1;
        out.push(']');
        Ok(out)
    }
}

fn push_literal(out: &mut String, c: char) {
    if c.is_ascii_punctuation() {
        out.push('\\');
    }
    out.push(c);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_what_xpath_says() {
        // Pattern, flags, texts that match, texts that do not; between bars.
        for (pattern, flags, yes, no) in [
            ("^a.c$", "", "abc", "ac|abbc|a\nc"),
            ("^a.c$", "s", "abc|a\nc", "ac"),
            ("^b$", "m", "a\nb\nc", "ab"),
            ("^b$", "", "b", "a\nb\nc"),
            ("^A$", "i", "a|A", "b"),
            ("^a b$", "x", "ab", "a b"),
            ("^[a b]$", "x", " |a", "c"),
            ("a#b", "", "a#b", "a"),
            ("a.b", "q", "a.b", "acb"),
            (r"^\i\c*$", "", "a|_x|:b-1.é", "1|-a|"),
            (r"^\I\C$", "", "1 ", "aa"),
            (r"^\w$", "", "a|1|é|+", "_|-| |."),
            (r"^\W$", "", "_|-| ", "a"),
            (r"^\s\S$", "", " a", "\u{a0}a|  "),
            (r"^\d\D$", "", "1a|٣a", "a1"),
            (r"^\p{Lu}\P{Lu}$", "", "Aa", "AA"),
            (r"^[\p{L}\d_]+$", "", "a1_", "a-"),
            ("^[a-z-[aeiou]]+$", "", "xyz", "a|xa"),
            ("^[^a-z-[0-9]]+$", "", "A_", "a|1"),
            ("^[-a]$", "", "-|a", "b"),
            ("^[a-]$", "", "-|a", "b"),
            ("^[^a]$", "", "b", "a"),
            ("^[a^]$", "", "a|^", "b"),
            ("^[a&&b]$", "", "a|&|b", "c"),
            ("^[a~~b]$", "", "a|~|b", "c"),
            (r"^\^\$\\\-\[\]$", "", r"^$\-[]", "a"),
            ("^(?:ab){2}$", "", "abab", "ab"),
            ("^a{2,}b{1,2}?$", "", "aab|aaabb", "ab"),
            ("a|b", "", "a|b", "c"),
        ] {
            let flags = Flags::parse(flags).unwrap();
            let compiled = Pattern::compile(pattern, flags).unwrap();
            let regex = compiled.unwrap_or_else(|| panic!("{pattern} is one")).regex;
            for (texts, expected) in [(yes, true), (no, false)] {
                for text in texts
                    .split('|')
                    .filter(|_| pattern != "^(?:ab){2}$" || !texts.is_empty())
                {
                    assert_eq!(regex.is_match(text), expected, "{pattern} {text:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_pattern_is_told_from_what_cannot_be_had() {
        for pattern in [
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            "a{",
            "a{,2}",
            "a{2,1}",
            "*",
            "a**",
            "a*+",
            "|*",
            "^*",
            "[]",
            "[^]",
            "[b-a]",
            "[[a]]",
            "[a-[b]c]",
            r"\",
            r"\b",
            r"\x41",
            r"\u0041",
            r"\0",
            r"\_",
            r"\#",
            r"\p",
            r"\p{",
            r"\p{Greek}",
            r"\pL",
            "(?i)a",
            "(?P<n>a)",
            "(?<n>a)",
            "(?=a)",
            "(?",
        ] {
            let found = Pattern::compile(pattern, Flags::default());
            assert!(matches!(found, Ok(None)), "{pattern}: {found:?}");
        }
        let deep = "(".repeat(10_000);
        for pattern in [r"(a)\1", r"\p{IsGreek}", "(a{1000}){1000}", &deep] {
            let found = Pattern::compile(pattern, Flags::default());
            assert!(found.is_err(), "{pattern}: {found:?}");
        }
        assert!(Flags::parse("g").is_none());
    }
}
