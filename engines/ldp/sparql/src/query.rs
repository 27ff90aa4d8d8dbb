use crate::count::counted;
use crate::dataset::Data;
use crate::functions::Refusal;
use crate::memory::Aside;
use crate::watched::Watched;
use crate::{
    Error, Form, Format, Limits, Stop, keywords, limits, nesting, planning, standard, xml,
};
use ldp_rdf::{Root, Writer};
use ldp_repository::View;
use oxrdf::{NamedNode, NamedOrBlankNode, Term};
use sparesults::{QueryResultsFormat, QueryResultsSerializer};
use spareval::{
    CancellationToken, QueryDatasetSpecification, QueryResults, QuerySolutionIter, QueryTripleIter,
    QueryableDataset,
};
use spargebra::algebra::GraphPattern;
use spargebra::{Query, SparqlParser};
use std::io::{BufWriter, ErrorKind, Write};

/// How a query is to be read and answered.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the query may take.
    pub limits: Limits,
    /// Ends the query before.
    pub stop: Stop,
    /// What relative IRIs of the query are relative to: an outside URL.
    pub base: Option<String>,
    /// The graphs whose union is the default graph (`default-graph-uri`); they replace `FROM`.
    pub default_graphs: Vec<String>,
    /// The graphs that `GRAPH` can name (`named-graph-uri`); they replace `FROM NAMED`.
    pub named_graphs: Vec<String>,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// In which format.
    pub format: Format,
    /// How many rows or triples; 1 for a boolean.
    pub rows: u64,
}

/// Answers a query from a view of a repository, which clients see at `root`.
///
/// The default graph is the union of all: what users wrote and what the server says. Each resource
/// has three named graphs, called `info:fcsystem/graph/` and then `userdata/_main`, `admin` or
/// `structure`, and the path of the resource. For `choose` and errors see [`evaluate`].
pub fn query(
    view: &View,
    root: &Root,
    text: &str,
    options: &Options,
    choose: impl FnOnce(Form) -> Option<Format> + Send,
    sink: &mut (dyn Write + Send),
) -> Result<Answer, Error> {
    // Before the evaluation, which has a limit of memory of its own and gives way to other threads.
    view.snapshot().make_index();
    let data = |token: &CancellationToken| Data::new(view, root, token);
    // Graphs of the request make another default graph.
    let union = options.default_graphs.is_empty() && options.named_graphs.is_empty();
    let simplify = |data: &Data, query| match union {
        true => counted(data, query),
        false => Ok(query),
    };
    answer(data, simplify, root, text, options, choose, sink)
}

/// Answers a query from a dataset.
///
/// `choose` is called once, before anything is written, with the form of the result; it gives the
/// format, or none if the client takes no format of that form, which is [`Error::Format`].
///
/// The dataset is made by `dataset` on the thread that evaluates; its own loops should end when the
/// token is cancelled. An error can come after a part of
/// the result has been written.
pub fn evaluate<'a, D: QueryableDataset<'a>>(
    dataset: impl FnOnce(&CancellationToken) -> Result<D, Error> + Send,
    root: &Root,
    text: &str,
    options: &Options,
    choose: impl FnOnce(Form) -> Option<Format> + Send,
    sink: &mut (dyn Write + Send),
) -> Result<Answer, Error> {
    answer(
        dataset,
        |_, query| Ok(query),
        root,
        text,
        options,
        choose,
        sink,
    )
}

/// As [`evaluate`], with what the dataset knows of the query put into it first.
fn answer<'a, D: QueryableDataset<'a>>(
    dataset: impl FnOnce(&CancellationToken) -> Result<D, Error> + Send,
    simplify: impl FnOnce(&D, Query) -> Result<Query, Error> + Send,
    root: &Root,
    text: &str,
    options: &Options,
    choose: impl FnOnce(Form) -> Option<Format> + Send,
    sink: &mut (dyn Write + Send),
) -> Result<Answer, Error> {
    nesting::check(text)?;
    limits::run(&options.limits, &options.stop, |token| {
        let query = parse(text, options.base.as_deref())?;
        let form = form(&query);
        let format = choose(form)
            .filter(|format| form.formats().contains(format))
            .ok_or_else(|| unacceptable(form))?;
        let dataset = dataset(&token)?;
        let mut query = simplify(&dataset, query)?;
        let dataset = Watched::new(dataset, &token);
        let refusal = Refusal::default();
        let evaluator = planning::planned(refusal.evaluator(token), pattern(&mut query))?;
        let mut prepared = evaluator.prepare(&query);
        select_graphs(prepared.dataset_mut(), options)?;
        let mut sink = BufWriter::with_capacity(64 << 10, Aside(sink));
        let rows = refusal.or(prepared
            .execute(dataset)
            .map_err(Error::from)
            .and_then(|found| write(found, format, root, options.limits.rows, &mut sink)))?;
        sink.flush()?;
        Ok(Answer { format, rows })
    })
}

fn parse(text: &str, base: Option<&str>) -> Result<Query, Error> {
    let mut query = parser(base)?.parse_query(&keywords::small_booleans(text))?;
    standard::query(&mut query);
    Ok(query)
}

/// A parser with a base, if there is one.
pub(crate) fn parser(base: Option<&str>) -> Result<SparqlParser, Error> {
    let parser = SparqlParser::new();
    match base {
        Some(base) => parser
            .with_base_iri(base)
            .map_err(|error| Error::syntax(format!("the base {base} is no IRI: {error}"))),
        None => Ok(parser),
    }
}

fn form(query: &Query) -> Form {
    match query {
        Query::Select { .. } => Form::Rows,
        Query::Ask { .. } => Form::Boolean,
        Query::Construct { .. } | Query::Describe { .. } => Form::Triples,
    }
}

fn pattern(query: &mut Query) -> &mut GraphPattern {
    match query {
        Query::Select { pattern, .. }
        | Query::Ask { pattern, .. }
        | Query::Construct { pattern, .. }
        | Query::Describe { pattern, .. } => pattern,
    }
}

fn unacceptable(form: Form) -> Error {
    let names: Vec<&str> = form.formats().iter().map(|f| f.media_type()).collect();
    Error::Format(format!("the result can be had as {}", names.join(", ")))
}

/// Applies the graphs of the request, if it names any.
fn select_graphs(dataset: &mut QueryDatasetSpecification, options: &Options) -> Result<(), Error> {
    if options.default_graphs.is_empty() && options.named_graphs.is_empty() {
        return Ok(());
    }
    let node = |iri: &String| {
        NamedNode::new(iri)
            .map_err(|error| Error::syntax(format!("the graph {iri} is no IRI: {error}")))
    };
    let default: Result<Vec<_>, _> = options.default_graphs.iter().map(node).collect();
    let named: Result<Vec<_>, _> = options.named_graphs.iter().map(node).collect();
    dataset.set_default_graph(default?.into_iter().map(Into::into).collect());
    dataset.set_available_named_graphs(named?.into_iter().map(NamedOrBlankNode::from).collect());
    Ok(())
}

/// Writes results, at most `limit` rows or triples.
fn write(
    results: QueryResults<'_>,
    format: Format,
    root: &Root,
    limit: u64,
    sink: &mut impl Write,
) -> Result<u64, Error> {
    match (results, format.of_rows(), format) {
        (QueryResults::Solutions(rows), Some(format), Format::Xml) => {
            write_rows(rows, format, xml::check, limit, xml::Sink(sink))
        }
        (QueryResults::Solutions(rows), Some(format), _) => {
            write_rows(rows, format, |_| Ok(()), limit, sink)
        }
        (QueryResults::Boolean(answer), Some(format), _) => {
            QueryResultsSerializer::from_format(format)
                .serialize_boolean_to_writer(sink, answer)?;
            Ok(1)
        }
        (QueryResults::Graph(results), _, Format::Rdf(format)) => {
            write_triples(results, Writer::new(format, root, &[], sink), limit)
        }
        (QueryResults::Graph(_), ..) => Err(unacceptable(Form::Triples)),
        (_, None, _) => Err(unacceptable(Form::Rows)),
    }
}

fn write_rows(
    rows: QuerySolutionIter<'_>,
    format: QueryResultsFormat,
    check: impl Fn(&Term) -> Result<(), Error>,
    limit: u64,
    sink: impl Write,
) -> Result<u64, Error> {
    let variables = rows.variables().to_vec();
    let mut writer = QueryResultsSerializer::from_format(format)
        .serialize_solutions_to_writer(sink, variables)?;
    let mut count = 0;
    for row in rows {
        let row = row?;
        if count == limit {
            return Err(Error::Rows(limit));
        }
        row.values().iter().flatten().try_for_each(&check)?;
        writer.serialize(row.iter())?;
        count += 1;
    }
    writer.finish()?;
    Ok(count)
}

fn write_triples(
    triples: QueryTripleIter<'_>,
    mut writer: Writer<impl Write>,
    limit: u64,
) -> Result<u64, Error> {
    let mut count = 0;
    for triple in triples {
        let triple = triple?;
        if count == limit {
            return Err(Error::Rows(limit));
        }
        writer
            .triple(triple.as_ref())
            .map_err(|error| match error.kind() {
                ErrorKind::InvalidData => Error::Format(error.to_string()),
                _ => Error::Write(error),
            })?;
        count += 1;
    }
    writer.finish()?;
    Ok(count)
}
