//! `TRUE` and `FALSE` in any case, as keywords of SPARQL are: spargebra reads them in small letters only.

use crate::nesting::each_word;
use std::borrow::Cow;

/// The text with them in small letters: nothing else changes, and no place moves. The byte order mark
/// that some editors begin a text with goes.
pub(crate) fn small_booleans(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut found = Vec::new();
    each_word(text, |start, word| {
        let is_boolean = ["true", "false"]
            .iter()
            .any(|boolean| word.eq_ignore_ascii_case(boolean) && word != *boolean);
        if is_boolean {
            found.push(start..start + word.len());
        }
    });
    if found.is_empty() {
        return text.into();
    }
    let mut text = text.to_owned();
    for range in found {
        text[range].make_ascii_lowercase();
    }
    text.into()
}
