//! The names of syntaxes that Python callers use: media types, and the short names of rdflib.

use ldp_rdf::Format;
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;

/// The format of a name.
pub fn named(name: &str) -> PyResult<Format> {
    let short = match name {
        "turtle" | "ttl" => Some(Format::Turtle),
        "nt" | "ntriples" => Some(Format::NTriples),
        "xml" | "pretty-xml" => Some(Format::RdfXml),
        "json-ld" => Some(Format::JsonLd),
        _ => Format::from_media_type(name),
    };
    short.ok_or_else(|| {
        PyValueError::new_err(format!(
            "unknown format {name:?}: turtle, nt, xml, json-ld or their media types"
        ))
    })
}
