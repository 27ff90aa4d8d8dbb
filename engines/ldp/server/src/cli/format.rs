//! Formats by the names of the command line.

use ldp_rdf::Format as Rdf;
use ldp_sparql::Format;

/// A syntax of RDF.
pub fn rdf(name: &str) -> Result<Rdf, String> {
    let short = match name {
        "turtle" => Some(Rdf::Turtle),
        "ntriples" => Some(Rdf::NTriples),
        "rdfxml" => Some(Rdf::RdfXml),
        "jsonld" => Some(Rdf::JsonLd),
        _ => Rdf::from_media_type(name),
    };
    short.ok_or_else(|| "expected turtle, ntriples, rdfxml, jsonld or a media type".to_owned())
}

/// A format of the answer to a query.
pub fn answer(name: &str) -> Result<Format, String> {
    let short = match name {
        "json" => Some(Format::Json),
        "xml" => Some(Format::Xml),
        "csv" => Some(Format::Csv),
        "tsv" => Some(Format::Tsv),
        _ => rdf(name)
            .ok()
            .map(Format::Rdf)
            .or_else(|| Format::from_media_type(name)),
    };
    short.ok_or_else(|| {
        "expected json, xml, csv or tsv; turtle, ntriples, rdfxml or jsonld; or a media type"
            .to_owned()
    })
}
