//! Documents to triples.

use crate::encoder::Encoder;
use crate::{Format, Graph, Root, expansion, json_depth, turtle, xml_literal, xml_work};
use oxiri::Iri;
use oxjsonld::{JsonLdParser, JsonLdSyntaxError};
use oxrdf::{GraphName, Literal, Term, Triple, TripleRef, vocab::rdf};
use oxrdfxml::RdfXmlParser;
use oxttl::{NTriplesParser, TurtleParser, TurtleSyntaxError};
use std::fmt;

/// Why a text is not RDF: what was found, at which line and column (from 1), and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// One sentence, without the place.
    pub message: String,
    /// The place, if the syntax has lines: from 1. Columns count characters.
    pub place: Option<(u64, u64)>,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.place {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for SyntaxError {}

impl SyntaxError {
    fn new(message: impl fmt::Display) -> SyntaxError {
        SyntaxError {
            message: message.to_string(),
            place: None,
        }
    }
}

impl From<TurtleSyntaxError> for SyntaxError {
    fn from(error: TurtleSyntaxError) -> Self {
        let start = error.location().start;
        SyntaxError {
            message: error.message().to_owned(),
            place: Some((start.line + 1, start.column + 1)),
        }
    }
}

/// Reads `text` as `format` into a graph; relative IRIs are resolved against `base`, an outside URL.
/// IRIs below `root` become inside ones.
pub fn parse(format: Format, text: &[u8], base: &str, root: &Root) -> Result<Graph, SyntaxError> {
    // Of UTF-8, which no syntax of RDF but XML and JSON knows; editors write it anyway.
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let limit = text_limit(text);
    let mut encoder = Encoder::for_document(text.len());
    if format == Format::Turtle {
        let base = Iri::parse(base).map_err(|error| bad_base(base, error))?;
        if turtle::read(text, &base, root, limit, &mut encoder) {
            return Ok(encoder.finish());
        }
        encoder = Encoder::default();
    }
    parse_triples(format, text, base, |triple| {
        encoder.push(triple, |iri| root.inside(iri));
        match encoder.text_len() <= limit {
            true => Ok(()),
            false => Err(SyntaxError::new(format!(
                "the IRIs and literals written out take more than {limit} bytes"
            ))),
        }
    })?;
    Ok(encoder.finish())
}

/// Reads `text` as `format` and hands over each triple as it is written; relative IRIs are resolved
/// against `base`. What came before an error was handed over.
fn parse_triples(
    format: Format,
    text: &[u8],
    base: &str,
    mut take: impl FnMut(TripleRef<'_>) -> Result<(), SyntaxError> + Send,
) -> Result<(), SyntaxError> {
    match format {
        Format::Turtle => {
            let parser = TurtleParser::new()
                .with_base_iri(base)
                .map_err(|error| bad_base(base, error))?;
            for triple in parser.for_slice(text) {
                take(triple?.as_ref())?;
            }
        }
        Format::NTriples => {
            for triple in NTriplesParser::new().for_slice(text) {
                take(triple?.as_ref())?;
            }
        }
        Format::RdfXml => {
            expansion::check(text, text_limit(text)).map_err(SyntaxError::new)?;
            xml_work::check(text).map_err(SyntaxError::new)?;
            let parser = RdfXmlParser::new()
                .with_base_iri(base)
                .map_err(|error| bad_base(base, error))?;
            let mut triples = parser.for_slice(text);
            // Other XML literals than these are texts that the client wrote: they stay.
            let has_xml = expansion::has_xml_literals(text);
            while let Some(triple) = triples.next() {
                let mut triple: Triple = triple.map_err(|error| SyntaxError {
                    message: error.to_string(),
                    place: Some(place_of(text, triples.buffer_position())),
                })?;
                if let Term::Literal(literal) = &mut triple.object
                    && has_xml
                    && literal.datatype() == rdf::XML_LITERAL
                    && let Some(xml) = xml_literal::tidy(literal.value())
                {
                    *literal = Literal::new_typed_literal(xml, rdf::XML_LITERAL);
                }
                take(triple.as_ref())?;
            }
        }
        Format::JsonLd => {
            json_depth::check(text).map_err(SyntaxError::new)?;
            json_depth::with_stack(|| parse_json_ld(text, base, take))?;
        }
    }
    Ok(())
}

fn parse_json_ld(
    text: &[u8],
    base: &str,
    mut take: impl FnMut(TripleRef<'_>) -> Result<(), SyntaxError>,
) -> Result<(), SyntaxError> {
    let parser = JsonLdParser::new()
        .with_base_iri(base)
        .map_err(|error| bad_base(base, error))?;
    for quad in parser.for_slice(text) {
        let quad = quad.map_err(|error| json_ld_error(text, &error))?;
        if !is_default(&quad.graph_name) {
            return Err(SyntaxError::new(format!(
                "a named graph {}: expected triples of the default graph only",
                quad.graph_name
            )));
        }
        take(Triple::from(quad).as_ref())?;
    }
    Ok(())
}

/// How many bytes the IRIs and literals of a document may take: a long prefix, used often, makes
/// much of little.
fn text_limit(text: &[u8]) -> usize {
    (text.len() * 8).saturating_add(16 << 20)
}

/// Whether this is the default graph: without a name, or with the one that Apache Jena gives it
/// when it writes JSON-LD.
fn is_default(graph: &GraphName) -> bool {
    match graph {
        GraphName::DefaultGraph => true,
        GraphName::NamedNode(name) => name.as_str() == "urn:x-arq:DefaultGraphNode",
        GraphName::BlankNode(_) => false,
    }
}

fn bad_base(base: &str, error: impl fmt::Display) -> SyntaxError {
    SyntaxError::new(format!("the base {base:?} is not an absolute IRI: {error}"))
}

/// An error of JSON has its place, also before the first colon of its text; one of JSON-LD has none.
fn json_ld_error(text: &[u8], error: &JsonLdSyntaxError) -> SyntaxError {
    let message = error.to_string();
    match (error.location(), message.split_once(": ")) {
        (Some(place), Some((_, message))) => SyntaxError {
            message: message.to_owned(),
            place: Some(place_of(text, place.start.offset)),
        },
        _ => SyntaxError::new(message),
    }
}

/// The line and column of a byte.
fn place_of(text: &[u8], offset: u64) -> (u64, u64) {
    let before = &text[..text
        .len()
        .min(usize::try_from(offset).unwrap_or(usize::MAX))];
    let line = before.split(|&byte| byte == b'\n').count();
    let start = before
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    // Continuation bytes of UTF-8 begin no character.
    let column = before[start..]
        .iter()
        .filter(|&&byte| byte & 0xC0 != 0x80)
        .count();
    (line as u64, column as u64 + 1)
}
