//! What a caller gives to make a resource of: triples, RDF as text, or bytes.

use crate::error::refused;
use crate::stream::Source;
use crate::{format, term};
use ldp_rdf::{Format, Graph, Root};
use ldp_repository::{Body, Repository, WriteOptions};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

/// The keyword arguments of `create` and `create_or_replace`.
pub struct Given {
    state: State,
    /// How to write it.
    pub options: WriteOptions,
}

enum State {
    Empty,
    Text(Format, Vec<u8>),
    Graph(Graph),
    Bytes {
        source: Source,
        media_type: String,
        filename: Option<String>,
    },
}

impl Given {
    /// From keyword arguments; an unknown one is an error, and so are two that contradict each other.
    pub fn new(arguments: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let (mut graph, mut rdf_data, mut stream) = (None, None, None);
        let mut rdf_format = Format::Turtle;
        let mut media_type = "application/octet-stream".to_owned();
        let (mut filename, mut digest, mut digest_name) = (None, None::<String>, None::<String>);
        let mut options = WriteOptions {
            lenient: true,
            ..WriteOptions::default()
        };
        for (name, value) in arguments.into_iter().flatten() {
            let name: String = name.extract()?;
            match name.as_str() {
                _ if value.is_none() => {}
                "graph" => graph = Some(Graph::encode(&term::triples(&value)?)),
                "rdf_data" => rdf_data = Some(text(&value)?),
                "rdf_fmt" => rdf_format = format::named(&value.extract::<String>()?)?,
                "stream" => stream = Some(Source::new(&value)?),
                "mimetype" => media_type = value.extract()?,
                "filename" => filename = Some(value.extract()?),
                "prov_cksum" => digest = Some(value.extract()?),
                "prov_cksum_algo" => digest_name = Some(value.extract()?),
                "handling" => options.lenient = lenient(&value.extract::<String>()?)?,
                _ => {
                    return Err(PyTypeError::new_err(format!(
                        "unexpected keyword argument {name:?}"
                    )));
                }
            }
        }
        match (&mut stream, digest_name, digest) {
            (Some(source), Some(name), Some(digest)) => source.expect(&name, &digest)?,
            (_, None, None) => {}
            _ => {
                return Err(PyValueError::new_err(
                    "prov_cksum and prov_cksum_algo go together, with a stream",
                ));
            }
        }
        let state = match (graph, rdf_data, stream) {
            (None, None, None) => State::Empty,
            (Some(graph), None, None) => State::Graph(graph),
            (None, Some(text), None) => State::Text(rdf_format, text),
            (None, None, Some(source)) => State::Bytes {
                source,
                media_type,
                filename,
            },
            _ => {
                return Err(PyValueError::new_err(
                    "give one of graph, rdf_data and stream",
                ));
            }
        };
        Ok(Given { state, options })
    }

    /// Calls `write` with the body, its bytes in the store already.
    pub fn write<T>(
        self,
        repository: &Repository,
        write: impl FnOnce(Body<'_>, &WriteOptions) -> Result<T, ldp_repository::Error>,
    ) -> PyResult<T> {
        let options = self.options;
        let root = &Root::inside_only();
        match self.state {
            State::Empty => write(Body::Empty, &options),
            State::Graph(graph) => write(Body::Graph(graph), &options),
            State::Text(format, text) => write(
                Body::Text {
                    format,
                    text: &text,
                    root,
                },
                &options,
            ),
            State::Bytes {
                mut source,
                media_type,
                filename,
            } => {
                let content =
                    repository
                        .store()
                        .put_content(&mut source, &media_type, filename.as_deref());
                source.finish()?;
                let content = content.map_err(refused)?;
                write(Body::Binary(content), &options)
            }
        }
        .map_err(refused)
    }
}

/// `Prefer: handling` by its name.
pub fn lenient(name: &str) -> PyResult<bool> {
    match name {
        "lenient" => Ok(true),
        "strict" => Ok(false),
        _ => Err(PyValueError::new_err(format!(
            "handling is strict or lenient, not {name:?}"
        ))),
    }
}

fn text(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_cow()?.into_owned().into_bytes());
    }
    let found = value.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "rdf_data is bytes or str, not {found}"
    )))
}
