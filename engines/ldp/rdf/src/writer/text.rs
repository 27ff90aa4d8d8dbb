//! Terms as Turtle and N-Triples write them both.

use crate::Root;
use crate::root::strip_inside;
use oxrdf::{LiteralRef, NamedNodeRef, vocab::xsd};
use std::borrow::Cow;
use std::io::{self, Write};

/// From inside IRIs to outside ones.
pub(super) struct Outside(Root);

impl Outside {
    pub(super) fn new(root: &Root) -> Outside {
        Outside(root.clone())
    }

    pub(super) fn iri<'a>(&self, iri: NamedNodeRef<'a>) -> Cow<'a, str> {
        self.0.outside(iri.as_str())
    }

    /// Writes `<IRI>`. What no IRI may hold is escaped, so that no term can end another.
    pub(super) fn write_iri(&self, out: &mut impl Write, iri: NamedNodeRef<'_>) -> io::Result<()> {
        match strip_inside(iri.as_str()) {
            Some(rest) => self.write_inside(out, iri, rest),
            None => write_whole(out, iri.as_str()),
        }
    }

    /// Writes `<IRI>` of an inside one, whose path is `rest`. A listing of a container is made of
    /// these, so the common case has one look at the bytes and no allocation.
    pub(super) fn write_inside(
        &self,
        out: &mut impl Write,
        iri: NamedNodeRef<'_>,
        rest: &str,
    ) -> io::Result<()> {
        let plain = |byte: u8| allowed(byte) & byte.is_ascii();
        if !rest.bytes().fold(true, |all, byte| all & plain(byte)) {
            return write_whole(out, &self.iri(iri));
        }
        out.write_all(b"<")?;
        out.write_all(self.0.as_str().as_bytes())?;
        out.write_all(rest.as_bytes())?;
        out.write_all(b">")
    }
}

/// Whether an IRI may hold the byte. No branch, so that a compiler can look at many at a time.
fn allowed(byte: u8) -> bool {
    (byte > b' ')
        & (byte != b'<')
        & (byte != b'>')
        & (byte != b'"')
        & (byte != b'\\')
        & (byte != b'^')
        & (byte != b'`')
        & ((byte < b'{') | (byte == b'~') | (byte > 0x7f))
}

fn write_whole(out: &mut impl Write, iri: &str) -> io::Result<()> {
    out.write_all(b"<")?;
    if iri.bytes().fold(true, |all, byte| all & allowed(byte)) {
        out.write_all(iri.as_bytes())?;
        return out.write_all(b">");
    }
    for c in iri.chars() {
        match u8::try_from(c) {
            Ok(byte) if !allowed(byte) => write!(out, "\\u{:04X}", byte)?,
            _ => write!(out, "{c}")?,
        }
    }
    out.write_all(b">")
}

/// Writes `"text"`.
pub(super) fn write_string(out: &mut impl Write, text: &str) -> io::Result<()> {
    let special = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\\' | 0x7f);
    out.write_all(b"\"")?;
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(special) {
        out.write_all(&rest[..at])?;
        match rest[at] {
            b'"' => out.write_all(b"\\\"")?,
            b'\\' => out.write_all(b"\\\\")?,
            b'\n' => out.write_all(b"\\n")?,
            b'\r' => out.write_all(b"\\r")?,
            b'\t' => out.write_all(b"\\t")?,
            other => write!(out, "\\u{other:04X}")?,
        }
        rest = &rest[at + 1..];
    }
    out.write_all(rest)?;
    out.write_all(b"\"")
}

/// Writes the text of a literal and its language, and hands its data type over if it needs one.
pub(super) fn write_literal<W: Write>(
    out: &mut W,
    literal: LiteralRef<'_>,
    datatype: impl FnOnce(&mut W, NamedNodeRef<'_>) -> io::Result<()>,
) -> io::Result<()> {
    write_string(out, literal.value())?;
    if let Some(language) = literal.language() {
        out.write_all(b"@")?;
        out.write_all(language.as_bytes())
    } else if literal.datatype() == xsd::STRING {
        Ok(())
    } else {
        out.write_all(b"^^")?;
        datatype(out, literal.datatype())
    }
}
