//! The syntaxes and their media types.

/// The syntaxes of RDF that resources are read and written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `text/turtle`
    Turtle,
    /// `application/n-triples`
    NTriples,
    /// `application/rdf+xml`
    RdfXml,
    /// `application/ld+json`
    JsonLd,
}

impl Format {
    /// All of them, the preferred one first.
    pub const ALL: [Format; 4] = [
        Format::Turtle,
        Format::NTriples,
        Format::RdfXml,
        Format::JsonLd,
    ];

    /// The format of a media type without parameters, or none. Case does not count.
    pub fn from_media_type(name: &str) -> Option<Format> {
        Format::ALL
            .into_iter()
            .find(|format| format.media_type().eq_ignore_ascii_case(name))
    }

    /// `text/turtle` and so on, without parameters.
    pub fn media_type(self) -> &'static str {
        match self {
            Format::Turtle => "text/turtle",
            Format::NTriples => "application/n-triples",
            Format::RdfXml => "application/rdf+xml",
            Format::JsonLd => "application/ld+json",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_name_their_formats() {
        for format in Format::ALL {
            assert_eq!(Format::from_media_type(format.media_type()), Some(format));
        }
        assert_eq!(Format::from_media_type("Text/Turtle"), Some(Format::Turtle));
        assert_eq!(Format::from_media_type("text/turtle; charset=utf-8"), None);
        assert_eq!(Format::from_media_type("application/n-quads"), None);
    }
}
