use sparesults::QueryResultsFormat;

/// What a query gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// SELECT: rows.
    Rows,
    /// ASK: true or false.
    Boolean,
    /// CONSTRUCT and DESCRIBE: triples.
    Triples,
}

/// A format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `application/sparql-results+json`
    Json,
    /// `application/sparql-results+xml`
    Xml,
    /// `text/csv`
    Csv,
    /// `text/tab-separated-values`
    Tsv,
    /// A syntax of RDF, for triples.
    Rdf(ldp_rdf::Format),
}

impl Form {
    /// The formats that can hold it; the first is the one for clients that name none.
    pub fn formats(self) -> &'static [Format] {
        match self {
            Self::Rows | Self::Boolean => &[Format::Json, Format::Xml, Format::Csv, Format::Tsv],
            Self::Triples => &[
                Format::Rdf(ldp_rdf::Format::Turtle),
                Format::Rdf(ldp_rdf::Format::NTriples),
                Format::Rdf(ldp_rdf::Format::RdfXml),
                Format::Rdf(ldp_rdf::Format::JsonLd),
            ],
        }
    }
}

impl Format {
    /// The format of a media type without parameters, or none.
    pub fn from_media_type(name: &str) -> Option<Self> {
        Some(match name {
            "application/sparql-results+json" | "application/json" => Self::Json,
            "application/sparql-results+xml" | "application/xml" | "text/xml" => Self::Xml,
            "text/csv" => Self::Csv,
            "text/tab-separated-values" => Self::Tsv,
            other => Self::Rdf(ldp_rdf::Format::from_media_type(other)?),
        })
    }

    /// Its media type, without parameters.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/sparql-results+json",
            Self::Xml => "application/sparql-results+xml",
            Self::Csv => "text/csv",
            Self::Tsv => "text/tab-separated-values",
            Self::Rdf(format) => format.media_type(),
        }
    }

    /// The format of rows that it is, if it is one.
    pub(crate) fn of_rows(self) -> Option<QueryResultsFormat> {
        Some(match self {
            Self::Json => QueryResultsFormat::Json,
            Self::Xml => QueryResultsFormat::Xml,
            Self::Csv => QueryResultsFormat::Csv,
            Self::Tsv => QueryResultsFormat::Tsv,
            Self::Rdf(_) => return None,
        })
    }
}
