//! The graph of a resource in Python: encoded bytes, decoded as far as a caller asks.

use crate::children::Children;
use crate::format;
use crate::pattern::Pattern;
use crate::term::to_python;
use ldp_rdf::{Graph, NamedNodeRef, Root, Term, TermRef, TripleRef, Writer};
use ldp_repository::vocabulary::PREFIXES;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyTuple};

const XSD_STRING: NamedNodeRef<'_> =
    NamedNodeRef::new_unchecked("http://www.w3.org/2001/XMLSchema#string");

/// An immutable set of triples, taken when its resource was read.
///
/// The parts are disjoint: what the user said, and what the server says of it. Only the listing of
/// children grows with the repository, so it is kept as names and becomes triples when asked for.
#[pyclass(name = "Graph", module = "ldp", frozen)]
#[derive(Default)]
pub struct PyGraph {
    parts: Vec<Graph>,
    children: Children,
}

/// The last term of a column. Triples come grouped, so subjects and predicates repeat.
#[derive(Default)]
struct Last<'py>(Option<(Term, Bound<'py, PyAny>)>);

impl<'py> Last<'py> {
    fn get(
        &mut self,
        term: TermRef<'_>,
        convert: impl Fn(TermRef<'_>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.0 {
            Some((last, converted)) if last.as_ref() == term => Ok(converted.clone()),
            _ => {
                let converted = convert(term)?;
                self.0 = Some((term.into_owned(), converted.clone()));
                Ok(converted)
            }
        }
    }
}

impl PyGraph {
    /// The graph of these parts.
    pub fn new(parts: Vec<Graph>, children: Children) -> Self {
        PyGraph { parts, children }
    }

    /// The graph of one part.
    pub fn of(part: Graph) -> Self {
        PyGraph::new(vec![part], Children::default())
    }

    fn each<E>(
        &self,
        pattern: &Pattern,
        mut found: impl FnMut(TripleRef<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for part in &self.parts {
            let reader = part.reader();
            for triple in reader.matching(pattern.subject(), pattern.predicate(), pattern.object())
            {
                found(triple)?;
            }
        }
        self.children.each(pattern, found)
    }

    fn each_tuple<'py>(
        &self,
        py: Python<'py>,
        pattern: &Pattern,
        convert: impl Fn(TermRef<'_>) -> PyResult<Bound<'py, PyAny>>,
        mut found: impl FnMut(Bound<'py, PyTuple>) -> PyResult<()>,
    ) -> PyResult<()> {
        let (mut subjects, mut predicates) = (Last::default(), Last::default());
        self.each(pattern, |triple| {
            let subject = subjects.get(triple.subject.into(), &convert)?;
            let predicate = predicates.get(triple.predicate.into(), &convert)?;
            found(PyTuple::new(
                py,
                [subject, predicate, convert(triple.object)?],
            )?)
        })
    }

    fn tuples<'py>(&self, py: Python<'py>, pattern: &Pattern) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        self.each_tuple(
            py,
            pattern,
            |term| to_python(py, term),
            |tuple| list.append(tuple),
        )?;
        Ok(list)
    }
}

#[pymethods]
impl PyGraph {
    fn __len__(&self) -> usize {
        self.parts.iter().map(Graph::len).sum::<usize>() + self.children.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.tuples(py, &Pattern::default())?.try_iter()
    }

    fn __contains__(&self, triple: &Bound<'_, PyAny>) -> PyResult<bool> {
        let pattern = Pattern::of(triple)?;
        // The first triple that is found ends the search, as an error would.
        Ok(self.each(&pattern, |_| Err(())).is_err())
    }

    fn __repr__(&self) -> String {
        format!("<ldp.Graph of {} triples>", self.__len__())
    }

    #[pyo3(name = "match", signature = (s = None, p = None, o = None))]
    fn matching<'py>(
        &self,
        py: Python<'py>,
        s: Option<&Bound<'py, PyAny>>,
        p: Option<&Bound<'py, PyAny>>,
        o: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.tuples(py, &Pattern::new(s, p, o)?)
    }

    #[pyo3(signature = (format = "turtle"))]
    fn serialize(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let format = format::named(format)?;
        let written = py.detach(|| {
            let mut writer = Writer::new(format, &Root::inside_only(), &PREFIXES, Vec::new());
            self.each(&Pattern::default(), |triple| writer.triple(triple))?;
            writer.finish()
        });
        String::from_utf8(written?).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn to_rdflib<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rdflib = py.import("rdflib")?;
        let iri = rdflib.getattr("URIRef")?;
        let blank = rdflib.getattr("BNode")?;
        let literal = rdflib.getattr("Literal")?;
        let convert = |term: TermRef<'_>| match term {
            TermRef::NamedNode(node) => iri.call1((node.as_str(),)),
            TermRef::BlankNode(node) => blank.call1((node.as_str(),)),
            TermRef::Literal(node) => {
                let options = PyDict::new(py);
                // "01"^^xsd:integer is to stay "01".
                options.set_item("normalize", false)?;
                match node.language() {
                    Some(language) => options.set_item("lang", language)?,
                    None if node.datatype() == XSD_STRING => {}
                    None => {
                        options.set_item("datatype", iri.call1((node.datatype().as_str(),))?)?
                    }
                }
                literal.call((node.value(),), Some(&options))
            }
        };
        let graph = rdflib.getattr("Graph")?.call0()?;
        let add = graph.getattr("add")?;
        self.each_tuple(py, &Pattern::default(), convert, |tuple| {
            add.call1((tuple,))?;
            Ok(())
        })?;
        Ok(graph)
    }
}
