//! `repository.query`: questions to the whole repository.

use crate::error::unanswered;
use crate::format;
use crate::pattern::Pattern;
use crate::repository::Handle;
use crate::term::{self, to_python};
use ldp_rdf::{Literal, NamedNode, Root, Term};
use ldp_sparql::{Condition, Form, Format, Limits, Operator, Options, TermSearch};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyMapping, PySet, PyString};
use std::collections::HashSet;
use std::time::Duration;

/// Asks the whole repository.
#[pyclass(module = "ldp", frozen)]
pub struct Query(pub Handle);

#[pymethods]
impl Query {
    #[pyo3(signature = (s = None, p = None, o = None, return_full = false))]
    fn triple_match<'py>(
        &self,
        py: Python<'py>,
        s: Option<&Bound<'py, PyAny>>,
        p: Option<&Bound<'py, PyAny>>,
        o: Option<&Bound<'py, PyAny>>,
        return_full: bool,
    ) -> PyResult<Bound<'py, PySet>> {
        let pattern = Pattern::new(s, p, o)?;
        let view = self.0.get()?.view();
        let (subject, predicate, object) =
            (pattern.subject(), pattern.predicate(), pattern.object());
        let found = PySet::empty(py)?;
        let root = Root::inside_only();
        for triple in
            ldp_sparql::matching(&view, &root, subject, predicate, object).map_err(unanswered)?
        {
            let triple = triple.map_err(unanswered)?;
            let triple = triple.as_ref();
            let subject = to_python(py, triple.subject.into())?;
            if return_full {
                let predicate = to_python(py, triple.predicate.into())?;
                found.add((subject, predicate, to_python(py, triple.object)?))?;
            } else {
                found.add(subject)?;
            }
        }
        Ok(found)
    }

    #[pyo3(signature = (terms, or_logic = false))]
    fn term_query(
        &self,
        py: Python<'_>,
        terms: &Bound<'_, PyAny>,
        or_logic: bool,
    ) -> PyResult<HashSet<String>> {
        let terms = terms
            .try_iter()?
            .map(|term| condition(&term?))
            .collect::<PyResult<_>>()?;
        let search = TermSearch {
            terms,
            all: !or_logic,
        };
        let view = self.0.get()?.view();
        let root = Root::inside_only();
        let found = py
            .detach(|| ldp_sparql::term_search(&view, &root, &search, &Options::default()))
            .map_err(unanswered)?;
        Ok(found.into_iter().map(NamedNode::into_string).collect())
    }

    #[pyo3(signature = (qry_str, fmt = None, *, timeout = 30.0))]
    fn sparql_query(
        &self,
        py: Python<'_>,
        qry_str: &str,
        fmt: Option<&str>,
        timeout: f64,
    ) -> PyResult<Vec<u8>> {
        let time = Duration::try_from_secs_f64(timeout)
            .map_err(|error| PyValueError::new_err(format!("timeout {timeout}: {error}")))?;
        let limits = Limits {
            time,
            ..Limits::default()
        };
        let options = Options {
            limits,
            ..Options::default()
        };
        let wanted = fmt.map(named).transpose()?;
        let view = self.0.get()?.view();
        let mut answer = Vec::new();
        py.detach(|| {
            let choose = |form: Form| wanted.or_else(|| form.formats().first().copied());
            ldp_sparql::query(
                &view,
                &Root::inside_only(),
                qry_str,
                &options,
                choose,
                &mut answer,
            )
        })
        .map_err(unanswered)?;
        Ok(answer)
    }
}

/// The format of results of a name.
fn named(name: &str) -> PyResult<Format> {
    match name {
        "json" => Ok(Format::Json),
        "xml" => Ok(Format::Xml),
        "csv" => Ok(Format::Csv),
        "tsv" => Ok(Format::Tsv),
        _ => match Format::from_media_type(name) {
            Some(format) => Ok(format),
            None => Ok(Format::Rdf(format::named(name)?)),
        },
    }
}

/// A condition from `{"pred": …, "op": …, "val": …}` or the three in a sequence.
fn condition(term: &Bound<'_, PyAny>) -> PyResult<Condition> {
    let (predicate, operator, value) = match term.cast::<PyMapping>() {
        Ok(term) => (
            term.get_item("pred")?,
            term.get_item("op")?,
            term.get_item("val")?,
        ),
        Err(_) => term.extract()?,
    };
    let operator: String = operator.extract()?;
    let operator = match operator.as_str() {
        "_id" => Operator::Is,
        "=" => Operator::Equal,
        "!=" => Operator::NotEqual,
        "<" => Operator::Less,
        ">" => Operator::Greater,
        "<=" => Operator::LessOrEqual,
        ">=" => Operator::GreaterOrEqual,
        _ => {
            return Err(PyValueError::new_err(format!(
                "op is _id, =, !=, <, >, <= or >=, not {operator:?}"
            )));
        }
    };
    Ok(Condition {
        predicate: term::predicate(&predicate)?,
        operator,
        value: operand(&value)?,
    })
}

/// A term, or a number, a boolean or a text that is no IRI, as a literal.
fn operand(value: &Bound<'_, PyAny>) -> PyResult<Term> {
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Literal::from(value.is_true()).into());
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Literal::from(value.extract::<i64>()?).into());
    }
    if let Ok(value) = value.cast::<PyFloat>() {
        return Ok(Literal::from(value.value()).into());
    }
    match term::term(value) {
        Err(_) if value.is_instance_of::<PyString>() => {
            Ok(Literal::from(value.extract::<String>()?).into())
        }
        term => term,
    }
}
