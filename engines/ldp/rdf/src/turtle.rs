//! Turtle as most documents are, straight into an encoder.
//!
//! It reads the common part of the syntax several times faster than the library, as no triple is
//! ever an object of its own. At anything else, and at anything that may be wrong, it gives up: the
//! library then reads the document from its beginning, and says what is wrong with it, and where.

use crate::Root;
use crate::encoder::{Encoder, Node, Value};
use memchr::{memchr, memchr2};
use oxiri::Iri;
use oxrdf::vocab::{rdf, xsd};

/// Reads all of `text` into `encoder`, whose text has a limit; false if it gave up, and what is in the
/// encoder is no graph.
pub(crate) fn read(
    text: &[u8],
    base: &Iri<&str>,
    root: &Root,
    limit: usize,
    encoder: &mut Encoder,
) -> bool {
    let Ok(text) = simdutf8::basic::from_utf8(text) else {
        return false;
    };
    let mut reader = Reader {
        text,
        at: 0,
        base,
        root,
        encoder,
        prefixes: Vec::new(),
        unescaped: String::new(),
        limit,
        itself: None,
    };
    reader.document().is_some()
}

/// Documents with more prefixes are left to the library.
const MOST_PREFIXES: usize = 64;

/// The `Option` of its functions: none is to give up.
struct Reader<'r> {
    text: &'r str,
    at: usize,
    base: &'r Iri<&'r str>,
    root: &'r Root,
    encoder: &'r mut Encoder,
    prefixes: Vec<Prefix<'r>>,
    unescaped: String,
    limit: usize,
    /// The number of the base, `<>`.
    itself: Option<usize>,
}

struct Prefix<'r> {
    name: &'r str,
    /// The inside IRI that local names are added to.
    namespace: String,
}

impl<'r> Reader<'r> {
    fn document(&mut self) -> Option<()> {
        loop {
            self.space();
            match self.peek() {
                0 if self.at == self.text.len() => return Some(()),
                b'@' => {
                    self.word("@prefix")?;
                    self.prefix()?;
                    self.space();
                    self.expect(b'.')?;
                }
                b'P' | b'p' if self.word("PREFIX").is_some() => self.prefix()?,
                _ => self.statement()?,
            }
        }
    }

    /// Takes a keyword, in any case, and the space behind it.
    fn word(&mut self, word: &str) -> Option<()> {
        let rest = &self.text.as_bytes()[self.at..];
        let found = rest.get(..word.len())?;
        let end = rest.get(word.len())?;
        // The library tells cases of @prefix apart; that is left to it.
        let same = found == word.as_bytes()
            || (!word.starts_with('@') && found.eq_ignore_ascii_case(word.as_bytes()));
        (same && end.is_ascii_whitespace()).then(|| self.at += word.len())
    }

    fn prefix(&mut self) -> Option<()> {
        self.space();
        let name = self.take(is_name);
        if !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        self.expect(b':')?;
        self.space();
        self.expect(b'<')?;
        let iri = self.resolve()?;
        // They are looked for one after the other.
        if self.prefixes.len() == MOST_PREFIXES {
            return None;
        }
        // So that a local name cannot end the authority, nor make the IRI one of the root.
        if !iri.ends_with(['/', '#']) || self.root.as_str().starts_with(&iri) {
            return None;
        }
        self.prefixes.retain(|prefix| prefix.name != name);
        self.prefixes.push(Prefix {
            name,
            namespace: self.root.inside(&iri).into_owned(),
        });
        Some(())
    }

    fn statement(&mut self) -> Option<()> {
        let subject = match self.peek() {
            b'_' => self.blank()?,
            _ => Node::Iri(self.iri()?),
        };
        self.space();
        loop {
            let predicate = self.predicate()?;
            loop {
                self.space();
                let object = self.object()?;
                self.encoder.add(subject, predicate, object);
                if self.encoder.text_len() > self.limit {
                    return None;
                }
                self.space();
                if self.peek() != b',' {
                    break;
                }
                self.at += 1;
            }
            let mut another = false;
            while self.peek() == b';' {
                another = true;
                self.at += 1;
                self.space();
            }
            if self.peek() == b'.' {
                self.at += 1;
                return Some(());
            }
            if !another {
                return None;
            }
        }
    }

    fn predicate(&mut self) -> Option<usize> {
        let rest = &self.text.as_bytes()[self.at..];
        if let [b'a', b' ' | b'\t' | b'\r' | b'\n' | b'<', ..] = rest {
            self.at += 1;
            return Some(self.encoder.iri([rdf::TYPE.as_str(), ""]));
        }
        self.iri()
    }

    fn object(&mut self) -> Option<Value> {
        match self.peek() {
            b'"' => self.literal(),
            b'_' => Some(Value::Node(self.blank()?)),
            b'+' | b'-' | b'0'..=b'9' => self.integer(),
            b't' | b'f' => match self.boolean() {
                Some(value) => Some(value),
                None => Some(Value::Node(Node::Iri(self.iri()?))),
            },
            _ => Some(Value::Node(Node::Iri(self.iri()?))),
        }
    }

    fn blank(&mut self) -> Option<Node> {
        self.expect(b'_')?;
        self.expect(b':')?;
        let label = self.take(|byte| byte.is_ascii_alphanumeric());
        if label.is_empty() || !self.ends_here() {
            return None;
        }
        Some(self.encoder.blank(label))
    }

    fn integer(&mut self) -> Option<Value> {
        let start = self.at;
        if matches!(self.peek(), b'+' | b'-') {
            self.at += 1;
        }
        let digits = self.take(|byte| byte.is_ascii_digit());
        // A dot may be the beginning of decimals.
        if digits.is_empty() || self.peek() == b'.' || !self.ends_here() {
            return None;
        }
        Some(self.typed(start, xsd::INTEGER.as_str()))
    }

    fn boolean(&mut self) -> Option<Value> {
        let start = self.at;
        let word = self.take(is_name);
        if matches!(word, "true" | "false") && self.ends_here() {
            return Some(self.typed(start, xsd::BOOLEAN.as_str()));
        }
        self.at = start;
        None
    }

    fn typed(&mut self, start: usize, datatype: &str) -> Value {
        let text = self.encoder.text(&self.text[start..self.at]);
        Value::Typed(self.encoder.iri([datatype, ""]), text)
    }

    fn literal(&mut self) -> Option<Value> {
        self.expect(b'"')?;
        let bytes = self.text.as_bytes();
        if bytes[self.at..].starts_with(b"\"\"") {
            return None;
        }
        let start = self.at;
        self.at += memchr2(b'"', b'\\', &bytes[start..])?;
        let mut value = &self.text[start..self.at];
        if self.peek() == b'\\' {
            self.unescaped.clear();
            self.unescaped.push_str(value);
            self.unescape()?;
            value = &self.unescaped;
        }
        // What is between the quotes in the text: the end of a line must be escaped.
        if memchr2(b'\n', b'\r', &bytes[start..self.at]).is_some() {
            return None;
        }
        self.at += 1;
        let text = self.encoder.text(value);
        match self.peek() {
            b'@' => {
                self.at += 1;
                let tag = self.take(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
                let plain = tag.bytes().all(|byte| byte.is_ascii_alphabetic());
                if !plain || !(2..=3).contains(&tag.len()) {
                    return None;
                }
                let tag = self.encoder.text(&tag.to_ascii_lowercase());
                Some(Value::Tagged(tag, text))
            }
            b'^' => {
                self.at += 1;
                self.expect(b'^')?;
                let datatype = self.iri()?;
                // The other two forms written as this one: the table has no IRI for them.
                let other = [xsd::STRING.as_str(), rdf::LANG_STRING.as_str()];
                if other.contains(&self.encoder.iri_text(datatype)) {
                    return None;
                }
                Some(Value::Typed(datatype, text))
            }
            _ => Some(Value::Plain(text)),
        }
    }

    /// Reads from an escape to the closing quote.
    fn unescape(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        while self.peek() == b'\\' {
            self.unescaped.push(match bytes.get(self.at + 1)? {
                b't' => '\t',
                b'b' => '\u{8}',
                b'n' => '\n',
                b'r' => '\r',
                b'f' => '\u{c}',
                b'"' => '"',
                b'\'' => '\'',
                b'\\' => '\\',
                _ => return None,
            });
            let start = self.at + 2;
            self.at = start + memchr2(b'"', b'\\', &bytes[start..])?;
            self.unescaped.push_str(&self.text[start..self.at]);
        }
        Some(())
    }

    fn iri(&mut self) -> Option<usize> {
        if self.peek() != b'<' {
            return self.prefixed_name();
        }
        self.at += 1;
        let rest = &self.text[self.at..];
        if let Some(len) = plain_iri(rest.as_bytes()) {
            self.at += len + 1;
            return Some(self.encoder.iri(self.root.inside_parts(&rest[..len])?));
        }
        if self.peek() == b'>' {
            if let Some(itself) = self.itself {
                self.at += 1;
                return Some(itself);
            }
            let iri = self.resolve()?;
            let itself = self.encoder.iri([&self.root.inside(&iri), ""]);
            self.itself = Some(itself);
            return Some(itself);
        }
        let iri = self.resolve()?;
        Some(self.encoder.iri([&self.root.inside(&iri), ""]))
    }

    /// Reads to the closing bracket and resolves what it reads.
    fn resolve(&mut self) -> Option<String> {
        let rest = &self.text[self.at..];
        let iri = &rest[..memchr(b'>', rest.as_bytes())?];
        self.at += iri.len() + 1;
        // A backslash begins an escape; other characters that do not belong there are refused.
        let resolved = self.base.resolve(iri).ok()?;
        Some(resolved.into_inner())
    }

    fn prefixed_name(&mut self) -> Option<usize> {
        let name = self.take(is_name);
        self.expect(b':')?;
        let local = self.take(is_name);
        if local.starts_with('-') || !self.ends_here() {
            return None;
        }
        let prefix = self.prefixes.iter().find(|prefix| prefix.name == name)?;
        Some(self.encoder.iri([&prefix.namespace, local]))
    }

    /// Whether a name or a number ends here for sure.
    fn ends_here(&self) -> bool {
        match &self.text.as_bytes()[self.at..] {
            [b' ' | b'\t' | b'\r' | b'\n' | b';' | b',', ..] | [b'.'] => true,
            [b'.', next, ..] => next.is_ascii_whitespace(),
            _ => false,
        }
    }

    fn peek(&self) -> u8 {
        // No syntax has a zero outside of literals.
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek() == byte).then(|| self.at += 1)
    }

    fn take(&mut self, belongs: impl Fn(u8) -> bool) -> &'r str {
        let rest = &self.text[self.at..];
        let len = rest.bytes().position(|byte| !belongs(byte));
        let taken = &rest[..len.unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Skips space and comments.
    fn space(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'#' => {
                    let rest = &self.text.as_bytes()[self.at..];
                    self.at += memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// The length of an absolute IRI before a `>` that is valid and resolved for sure: of HTTP, with a
/// plain host, without escapes and without segments that begin with a dot.
fn plain_iri(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"http")?;
    let rest = rest.strip_prefix(b"s").unwrap_or(rest);
    let rest = rest.strip_prefix(b"://")?;
    let count = |bytes: &[u8], belongs: fn(u8) -> bool| {
        let end = bytes.iter().position(|&byte| !belongs(byte));
        end.unwrap_or(bytes.len())
    };
    let host = count(rest, |byte| {
        byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-'
    });
    let mut rest = &rest[host..];
    if let Some(port) = rest.strip_prefix(b":") {
        rest = &port[count(port, |byte| byte.is_ascii_digit())..];
    }
    if host == 0 || !matches!(rest.first(), Some(b'/' | b'>')) {
        return None;
    }
    let mut before = 0;
    let mut fragment = false;
    for (at, &byte) in rest.iter().enumerate() {
        match byte {
            b'>' => return Some(text.len() - rest.len() + at),
            b'.' if before == b'/' => return None,
            b'#' if fragment => return None,
            b'#' => fragment = true,
            _ if PLAIN[usize::from(byte)] => {}
            _ => return None,
        }
        before = byte;
    }
    None
}

/// The characters of paths, queries and fragments, but for escapes and beyond ASCII.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        plain[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let others = b"-._~!$&'()*+,;=:@/?";
    let mut i = 0;
    while i < others.len() {
        plain[others[i] as usize] = true;
        i += 1;
    }
    plain
};

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(text: &str) -> bool {
        let base = Iri::parse("http://h/ldp/x").unwrap();
        let root = Root::new("http://h/ldp").unwrap();
        read(text.as_bytes(), &base, &root, 1000, &mut Encoder::default())
    }

    #[test]
    fn common_documents_are_read_here() {
        for text in [
            "",
            "# nothing\n",
            "@prefix e: <http://e/#> .\n<> a e:T ; e:p <#a>, <../b>, <http://e/c> .",
            "prefix : <http://e/>\n:a :b \"c\", \"d\"@en, \"e\"^^:f, \"\\\"g\\\\\", 1, -2, true .",
            "_:a <http://e/p> _:b ;; . _:b <http://e/p> <http://h/ldp> .",
            "<http://e/s> <http://e/p> <urn:x:y>, <http://e/é%20>.",
        ] {
            assert!(reads(text), "{text}");
        }
    }

    #[test]
    fn others_are_left_to_the_library() {
        for text in [
            "<> <p> [] .",
            "<> <p> (1) .",
            "<> <p> 1.5 .",
            "<> <p> \"\"\"a\"\"\" .",
            "<> <p> \"\\u00e9\" .",
            "<> <p> \"a\"@en-US .",
            "<> <p> e:x .",
            "<> <p> <q> <r> .",
            "<> <p> <q>",
            "<> <p q> <r> .",
            "@prefix e: <http://h/> . e:ldp e:p e:q .",
            "@prefix e: <http://e/> . e:a\\,b e:p e:q .",
            "@base <http://e/> .",
        ] {
            assert!(!reads(text), "{text}");
        }
    }
}
