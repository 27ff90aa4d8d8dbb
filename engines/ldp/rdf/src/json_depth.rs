//! JSON-LD that the parser would descend into too deep, or misread: refused before it does.
//!
//! The parser calls itself for values in values, for terms that others are defined by, and for contexts
//! inside definitions. A stack that overflows ends the process.

use crate::json_number;
use json_event_parser::{JsonEvent, SliceJsonParser};
use std::collections::HashMap;

/// How deep objects and arrays may stand in each other.
const DEPTH: usize = 128;
/// How many terms may need one another in a row, with those of contexts inside definitions.
const TERMS: usize = 64;
/// The stack for both, several times over also without the compiler's optimizations. Memory that is not
/// touched is not taken.
const STACK: usize = 64 << 20;

/// Runs the parser of what was checked. The threads of a server have 2 MiB, which few levels fill.
///
/// # Panics
/// When there is no thread to be had, or the parser panics.
pub(crate) fn with_stack<T: Send>(parse: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let parser = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, parse)
            .expect("a thread for a parser");
        parser
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Whether the parser may read `text`; the error says why not. What is no JSON is left to the parser,
/// which reads no further than this.
pub(crate) fn check(text: &[u8]) -> Result<(), String> {
    let mut parser = SliceJsonParser::new(text);
    let mut open: Vec<Frame> = Vec::new();
    let mut is_context = false;
    while let Ok(event) = parser.parse_next() {
        let of_context = std::mem::take(&mut is_context);
        match event {
            JsonEvent::StartObject => open.push(match open.last() {
                _ if of_context => Frame::Context(Context::default()),
                Some(Frame::Contexts) => Frame::Context(Context::default()),
                _ => Frame::Other,
            }),
            JsonEvent::StartArray => open.push(match of_context {
                true => Frame::Contexts,
                false => Frame::Other,
            }),
            JsonEvent::EndObject | JsonEvent::EndArray => {
                if let Some(Frame::Context(context)) = open.pop() {
                    let terms = context.terms_in_a_row();
                    if terms > TERMS {
                        return Err(format!(
                            "{terms} terms of a context that need one another: expected {TERMS} at most"
                        ));
                    }
                    if let Some(outer) = innermost(&mut open) {
                        outer.nest(terms);
                    }
                }
            }
            JsonEvent::ObjectKey(key) => {
                is_context = key == "@context";
                if let Some(Frame::Context(context)) = open.last_mut() {
                    context.define(&key);
                }
            }
            JsonEvent::String(value) => {
                if let Some(context) = innermost(&mut open) {
                    context.refer(&value);
                }
            }
            JsonEvent::Number(number) if json_number::is_misread(&number) => {
                return Err(format!(
                    "the number {number}: whole numbers of 21 digits are read as xsd:double; expected a text with \
                     the type xsd:integer"
                ));
            }
            JsonEvent::Number(_) | JsonEvent::Boolean(_) | JsonEvent::Null => {}
            JsonEvent::Eof => break,
        }
        if open.len() > DEPTH {
            return Err(format!("values stand in each other deeper than {DEPTH}"));
        }
    }
    Ok(())
}

enum Frame {
    /// An object behind `@context`, or in an array behind it.
    Context(Context),
    /// An array behind `@context`.
    Contexts,
    Other,
}

fn innermost(open: &mut [Frame]) -> Option<&mut Context> {
    open.iter_mut().rev().find_map(|frame| match frame {
        Frame::Context(context) => Some(context),
        _ => None,
    })
}

#[derive(Default)]
struct Context {
    names: HashMap<String, usize>,
    terms: Vec<Term>,
    /// The term whose definition is being read.
    current: usize,
}

#[derive(Default)]
struct Term {
    /// What may be other terms of this context.
    needs: Vec<String>,
    /// The most terms in a row of a context inside the definition.
    nested: usize,
}

impl Context {
    fn define(&mut self, name: &str) {
        let next = self.terms.len();
        self.current = *self.names.entry(name.to_owned()).or_insert(next);
        if self.current == next {
            self.terms.push(Term::default());
        }
        self.refer(name);
    }

    /// The parser looks for terms in whole texts and in what stands before a colon.
    fn refer(&mut self, text: &str) {
        if let Some(term) = self.terms.get_mut(self.current) {
            term.needs.push(text.to_owned());
            if let Some((prefix, _)) = text.split_once(':') {
                term.needs.push(prefix.to_owned());
            }
        }
    }

    fn nest(&mut self, terms: usize) {
        if let Some(term) = self.terms.get_mut(self.current) {
            term.nested = term.nested.max(terms);
        }
    }

    /// The most that may be defined in a row, each because the one before needs it. Where terms need each
    /// other in a circle that is all of them: the parser finds the circle only after it went around.
    fn terms_in_a_row(&self) -> usize {
        let needs: Vec<Vec<usize>> = (self.terms.iter().enumerate())
            .map(|(term, Term { needs, .. })| {
                let found = needs.iter().filter_map(|text| self.names.get(text));
                found.copied().filter(|&needed| needed != term).collect()
            })
            .collect();
        let weight = |term: usize| 1 + self.terms[term].nested;
        // The most in a row from each term on, when it is known.
        let mut rows: Vec<Option<usize>> = vec![None; self.terms.len()];
        let mut is_open = vec![false; self.terms.len()];
        for start in 0..self.terms.len() {
            let mut path = vec![(start, 0)];
            while let Some((term, at)) = path.last_mut() {
                let term = *term;
                is_open[term] = true;
                match needs[term].get(*at) {
                    Some(&needed) if rows[needed].is_some() => *at += 1,
                    Some(&needed) if is_open[needed] => {
                        return (0..self.terms.len()).map(weight).sum();
                    }
                    Some(&needed) => path.push((needed, 0)),
                    None => {
                        let longest = needs[term].iter().filter_map(|&needed| rows[needed]).max();
                        rows[term] = Some(weight(term) + longest.unwrap_or(0));
                        path.pop();
                    }
                }
            }
        }
        rows.into_iter().flatten().max().unwrap_or(0)
    }
}
