//! Terms of RDF in Python: an IRI is a `str`; a literal and a blank node have classes of their own.

use ldp_rdf::{BlankNode, Literal, NamedNode, NamedOrBlankNode, Term, TermRef, Triple};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A blank node; its name means something within one graph only.
#[pyclass(name = "BlankNode", module = "ldp", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PyBlankNode(BlankNode);

#[pymethods]
impl PyBlankNode {
    #[new]
    fn new(value: String) -> PyResult<Self> {
        let node = BlankNode::new(value.as_str())
            .map_err(|error| PyValueError::new_err(format!("blank node {value:?}: {error}")))?;
        Ok(PyBlankNode(node))
    }

    #[getter]
    fn value(&self) -> &str {
        self.0.as_str()
    }

    fn __repr__(&self) -> String {
        format!("BlankNode({:?})", self.0.as_str())
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }
}

/// A literal: a text, and its datatype or language.
#[pyclass(name = "Literal", module = "ldp", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PyLiteral(Literal);

#[pymethods]
impl PyLiteral {
    #[new]
    #[pyo3(signature = (value, *, datatype = None, language = None))]
    fn new(value: String, datatype: Option<String>, language: Option<String>) -> PyResult<Self> {
        Ok(PyLiteral(match (datatype, language) {
            (None, None) => Literal::new_simple_literal(value),
            (Some(datatype), None) => Literal::new_typed_literal(value, iri(&datatype)?),
            (None, Some(language)) => Literal::new_language_tagged_literal(value, &language)
                .map_err(|error| {
                    PyValueError::new_err(format!("language {language:?}: {error}"))
                })?,
            (Some(_), Some(_)) => {
                return Err(PyValueError::new_err(
                    "a literal has a datatype or a language, not both",
                ));
            }
        }))
    }

    #[getter]
    fn value(&self) -> &str {
        self.0.value()
    }

    #[getter]
    fn datatype(&self) -> &str {
        self.0.datatype().as_str()
    }

    #[getter]
    fn language(&self) -> Option<&str> {
        self.0.language()
    }

    fn __repr__(&self) -> String {
        format!("Literal({})", self.0)
    }

    fn __str__(&self) -> &str {
        self.0.value()
    }
}

/// An IRI from its text.
pub fn iri(text: &str) -> PyResult<NamedNode> {
    NamedNode::new(text).map_err(|error| PyValueError::new_err(format!("IRI {text:?}: {error}")))
}

/// A term from ours or from rdflib's, whose literals and blank nodes are strings too.
pub fn term(value: &Bound<'_, PyAny>) -> PyResult<Term> {
    if let Ok(literal) = value.cast::<PyLiteral>() {
        return Ok(literal.get().0.clone().into());
    }
    if let Ok(node) = value.cast::<PyBlankNode>() {
        return Ok(node.get().0.clone().into());
    }
    let Ok(text) = value.cast::<PyString>() else {
        let found = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "a term is a str (an IRI), ldp.Literal, ldp.BlankNode or a term of rdflib, not {found}"
        )));
    };
    match value.get_type().name()?.to_cow()?.as_ref() {
        "Literal" => {
            let datatype: Option<String> = value.getattr("datatype")?.extract()?;
            let language: Option<String> = value.getattr("language")?.extract()?;
            // rdflib gives a tagged literal no datatype, or that of tagged literals.
            let datatype = datatype.filter(|_| language.is_none());
            Ok(PyLiteral::new(text.to_string(), datatype, language)?
                .0
                .into())
        }
        "BNode" => Ok(PyBlankNode::new(text.to_string())?.0.into()),
        _ => Ok(iri(text.to_cow()?.as_ref())?.into()),
    }
}

/// A term that can stand as a subject.
pub fn subject(value: &Bound<'_, PyAny>) -> PyResult<NamedOrBlankNode> {
    match term(value)? {
        Term::NamedNode(node) => Ok(node.into()),
        Term::BlankNode(node) => Ok(node.into()),
        Term::Literal(literal) => Err(PyValueError::new_err(format!(
            "the literal {literal} cannot be a subject"
        ))),
    }
}

/// A term that can stand as a predicate.
pub fn predicate(value: &Bound<'_, PyAny>) -> PyResult<NamedNode> {
    match term(value)? {
        Term::NamedNode(node) => Ok(node),
        other => Err(PyValueError::new_err(format!(
            "a predicate is an IRI, not {other}"
        ))),
    }
}

/// Triples from an iterable of sequences of three terms, such as a graph of rdflib.
pub fn triples(values: &Bound<'_, PyAny>) -> PyResult<Vec<Triple>> {
    values
        .try_iter()?
        .map(|item| {
            let [s, p, o]: [Bound<'_, PyAny>; 3] = item?.extract()?;
            Ok(Triple::new(subject(&s)?, predicate(&p)?, term(&o)?))
        })
        .collect()
}

/// A term as Python sees it.
pub fn to_python<'py>(py: Python<'py>, term: TermRef<'_>) -> PyResult<Bound<'py, PyAny>> {
    match term {
        TermRef::NamedNode(node) => Ok(PyString::new(py, node.as_str()).into_any()),
        TermRef::BlankNode(node) => Ok(Bound::new(py, PyBlankNode(node.into_owned()))?.into_any()),
        TermRef::Literal(literal) => {
            Ok(Bound::new(py, PyLiteral(literal.into_owned()))?.into_any())
        }
    }
}
