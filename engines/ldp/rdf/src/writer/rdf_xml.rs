//! RDF/XML: one description a subject, one element a triple.

use super::text::Outside;
use super::{Last, Shared};
use oxrdf::{NamedOrBlankNodeRef, TermRef, TripleRef, vocab::xsd};
use std::io::{self, Write};

pub(super) struct RdfXml {
    /// Name and namespace; `rdf` is always the first.
    prefixes: Vec<(String, String)>,
    last: Last,
}

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

impl RdfXml {
    pub(super) fn new(prefixes: &[(&str, &str)]) -> RdfXml {
        let others = prefixes
            .iter()
            .filter(|(name, namespace)| *name != "rdf" && *namespace != RDF && !name.is_empty());
        RdfXml {
            prefixes: [("rdf", RDF)]
                .iter()
                .chain(others)
                .map(|&(name, namespace)| (name.to_owned(), namespace.to_owned()))
                .collect(),
            last: Last::default(),
        }
    }

    pub(super) fn triple(
        &mut self,
        out: &mut impl Write,
        outside: &Outside,
        triple: TripleRef<'_>,
    ) -> io::Result<()> {
        // All that cannot be written is found before anything of the triple is.
        let iri = outside.iri(triple.predicate);
        let (namespace, local) = qualified(&iri)?;
        if let TermRef::Literal(literal) = triple.object {
            check(literal.value())?;
        }
        match self.last.next(triple) {
            Shared::Nothing => self.head(out)?,
            Shared::Document => out.write_all(b"  </rdf:Description>\n")?,
            Shared::Subject | Shared::SubjectAndPredicate => {
                return self.property(out, outside, namespace, local, triple.object);
            }
        }
        out.write_all(b"  <rdf:Description")?;
        node(out, outside, triple.subject, "about")?;
        out.write_all(b">\n")?;
        self.property(out, outside, namespace, local, triple.object)
    }

    pub(super) fn finish(self, out: &mut impl Write) -> io::Result<()> {
        match self.last.subject {
            None => self.head(out)?,
            Some(_) => out.write_all(b"  </rdf:Description>\n")?,
        }
        out.write_all(b"</rdf:RDF>\n")
    }

    fn head(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rdf:RDF")?;
        for (name, namespace) in &self.prefixes {
            write!(out, " xmlns:{name}")?;
            attribute(out, namespace)?;
        }
        out.write_all(b">\n")
    }

    fn property(
        &self,
        out: &mut impl Write,
        outside: &Outside,
        namespace: &str,
        local: &str,
        object: TermRef<'_>,
    ) -> io::Result<()> {
        let known = self.prefixes.iter().find(|(_, other)| other == namespace);
        let name = match known {
            Some((prefix, _)) => format!("{prefix}:{local}"),
            None => local.to_owned(),
        };
        write!(out, "    <{name}")?;
        if known.is_none() {
            out.write_all(b" xmlns")?;
            attribute(out, namespace)?;
        }
        let literal = match object {
            TermRef::NamedNode(iri) => {
                node(out, outside, iri.into(), "resource")?;
                return out.write_all(b"/>\n");
            }
            TermRef::BlankNode(blank) => {
                node(out, outside, blank.into(), "resource")?;
                return out.write_all(b"/>\n");
            }
            TermRef::Literal(literal) => literal,
        };
        if let Some(language) = literal.language() {
            out.write_all(b" xml:lang")?;
            attribute(out, language)?;
        } else if literal.datatype() != xsd::STRING {
            out.write_all(b" rdf:datatype")?;
            attribute(out, &outside.iri(literal.datatype()))?;
        }
        out.write_all(b">")?;
        escape(out, literal.value())?;
        writeln!(out, "</{name}>")
    }
}

fn node(
    out: &mut impl Write,
    outside: &Outside,
    node: NamedOrBlankNodeRef<'_>,
    attribute_name: &str,
) -> io::Result<()> {
    match node {
        NamedOrBlankNodeRef::NamedNode(iri) => {
            write!(out, " rdf:{attribute_name}")?;
            attribute(out, &outside.iri(iri))
        }
        NamedOrBlankNodeRef::BlankNode(node) => {
            out.write_all(b" rdf:nodeID")?;
            attribute(out, node.as_str())
        }
    }
}

fn attribute(out: &mut impl Write, value: &str) -> io::Result<()> {
    out.write_all(b"=\"")?;
    escape(out, value)?;
    out.write_all(b"\"")
}

fn escape(out: &mut impl Write, text: &str) -> io::Result<()> {
    let special = |byte: &u8| *byte < b' ' || b"&<>\"".contains(byte);
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(special) {
        out.write_all(&rest[..at])?;
        match rest[at] {
            b'&' => out.write_all(b"&amp;")?,
            b'<' => out.write_all(b"&lt;")?,
            b'>' => out.write_all(b"&gt;")?,
            b'"' => out.write_all(b"&quot;")?,
            b'\n' => out.write_all(b"\n")?,
            other => write!(out, "&#{other};")?,
        }
        rest = &rest[at + 1..];
    }
    out.write_all(rest)
}

/// The namespace and the local name of a predicate: the longest end that is a name of XML.
fn qualified(iri: &str) -> io::Result<(&str, &str)> {
    let start = iri
        .char_indices()
        .rev()
        .take_while(|&(_, c)| is_name(c))
        .filter(|&(_, c)| is_name_start(c))
        .last();
    match start.map(|(at, _)| iri.split_at(at)) {
        Some((RDF, local)) if SYNTAX.contains(&local) => invalid(format!(
            "the predicate <{iri}> means another thing as an element of RDF/XML"
        )),
        Some((namespace, local)) if !namespace.is_empty() && namespace != XMLNS => {
            Ok((namespace, local))
        }
        _ => invalid(format!(
            "the predicate <{iri}> does not end in a name of XML, as RDF/XML needs"
        )),
    }
}

/// The namespace of `xmlns` itself, which none may declare.
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// The names in the namespace of RDF that are part of the syntax and no properties.
const SYNTAX: [&str; 12] = [
    "Description",
    "ID",
    "RDF",
    "about",
    "aboutEach",
    "aboutEachPrefix",
    "bagID",
    "datatype",
    "li",
    "nodeID",
    "parseType",
    "resource",
];

fn invalid<T>(message: String) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::InvalidData, message))
}

/// A character that may begin a name; colons are left out, as in all names with namespaces.
fn is_name_start(c: char) -> bool {
    matches!(c, 'A'..='Z' | '_' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}'
        | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}'
        | '\u{200C}' | '\u{200D}' | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}'
        | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}'
        | '\u{10000}'..='\u{EFFFF}')
}

fn is_name(c: char) -> bool {
    is_name_start(c)
        || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}'
            | '\u{203F}' | '\u{2040}')
}

/// Whether XML 1.0 has all the characters.
fn check(text: &str) -> io::Result<()> {
    let absent = |c: char| {
        (c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{FFFE}' | '\u{FFFF}')
    };
    match text.chars().find(|&c| absent(c)) {
        None => Ok(()),
        Some(c) => invalid(format!(
            "a literal holds U+{:04X}, which XML does not have",
            u32::from(c)
        )),
    }
}
