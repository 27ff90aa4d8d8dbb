use crate::functions::Refusal;
use crate::watched::Watched;
use crate::{Error, Limits, Stop, keywords, limits, nesting, own_graph, planning, query, standard};
use ldp_rdf::{Graph, Root};
use oxrdf::{
    BlankNode, Dataset, GraphName, GraphNameRef, NamedNode, NamedOrBlankNode, Quad, QuadRef, Term,
    Triple, TripleRef,
};
use spareval::{CancellationToken, DeleteInsertQuad};
use spargebra::algebra::GraphTarget;
use spargebra::term::{self, GroundQuad, GroundTerm};
use spargebra::{GraphUpdateOperation, Update};
use std::collections::HashMap;
use std::mem::take;

/// Applies a SPARQL update to the graph of one resource and gives the new graph.
///
/// The graph is the default graph of the update and there is no other: an update that names one is
/// [`Error::Unsupported`]. Relative IRIs, `<>` among them, are resolved against `base`, the URL of
/// the resource. The old graph stays as it is when there is an error.
pub fn update(
    graph: &Graph,
    text: &str,
    base: &str,
    root: &Root,
    limits: &Limits,
    stop: &Stop,
) -> Result<Graph, Error> {
    nesting::check(text)?;
    limits::run(limits, stop, |token| {
        let mut dataset = Dataset::new();
        for triple in graph.triples() {
            alive(&token)?;
            let triple = map_iris(triple, |iri| root.outside(iri).into_owned());
            dataset.insert(&triple.in_graph(GraphName::DefaultGraph));
        }
        run(&mut dataset, text, base, &token, own_graph::check)?;
        let mut triples = Vec::with_capacity(dataset.len());
        for quad in &dataset {
            alive(&token)?;
            let triple = Triple::from(TripleRef::from(quad));
            triples.push(map_iris(triple, |iri| root.inside(iri).into_owned()));
        }
        Ok(Graph::encode(&triples))
    })
}

/// Applies a SPARQL update to a dataset. After an error, operations before the wrong one are done.
pub fn apply(dataset: &mut Dataset, text: &str, base: &str, limits: &Limits) -> Result<(), Error> {
    nesting::check(text)?;
    limits::run(limits, &Stop::default(), |token| {
        run(dataset, text, base, &token, |_| Ok(()))
    })
}

/// Reads an update and does its operations, if the check lets it pass.
fn run(
    dataset: &mut Dataset,
    text: &str,
    base: &str,
    token: &CancellationToken,
    check: fn(&mut Update) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut update: Update =
        query::parser(Some(base))?.parse_update(&keywords::small_booleans(text))?;
    check(&mut update)?;
    standard::update(&mut update);
    for operation in take(&mut update.operations) {
        operate(dataset, operation, &update, token)?;
    }
    Ok(())
}

fn operate(
    dataset: &mut Dataset,
    operation: GraphUpdateOperation,
    update: &Update,
    token: &CancellationToken,
) -> Result<(), Error> {
    match operation {
        GraphUpdateOperation::InsertData { data } => {
            // A blank node of the text is a new one, whatever its label.
            let mut fresh = HashMap::new();
            for quad in &data {
                alive(token)?;
                dataset.insert(&inserted(quad, &mut fresh));
            }
        }
        GraphUpdateOperation::DeleteData { data } => {
            for quad in &data {
                alive(token)?;
                dataset.remove(&deleted(quad));
            }
        }
        GraphUpdateOperation::DeleteInsert {
            delete,
            insert,
            using,
            mut pattern,
        } => {
            let refusal = Refusal::default();
            let changes = planning::planned(refusal.evaluator(token.clone()), &mut pattern)?
                .prepare_delete_insert(delete, insert, update.base_iri.clone(), using, &pattern)
                .execute(Watched::new(&*dataset, token))
                .and_then(Iterator::collect::<Result<Vec<_>, _>>);
            let changes = refusal.or(changes.map_err(Error::from))?;
            // All that is deleted goes before anything is inserted.
            for change in &changes {
                alive(token)?;
                if let DeleteInsertQuad::Delete(quad) = change {
                    dataset.remove(quad);
                }
            }
            for change in changes {
                alive(token)?;
                if let DeleteInsertQuad::Insert(quad) = change {
                    dataset.insert(&quad);
                }
            }
        }
        // A graph exists as long as it has triples, so there is nothing to make.
        GraphUpdateOperation::Create { .. } => {}
        GraphUpdateOperation::Clear { graph, .. } | GraphUpdateOperation::Drop { graph, .. } => {
            clear(dataset, &graph);
        }
        GraphUpdateOperation::Load { silent: true, .. } => {}
        GraphUpdateOperation::Load { source, .. } => {
            return Err(Error::Unsupported(format!(
                "LOAD {source}: other documents are not read"
            )));
        }
    }
    Ok(())
}

/// An error once a limit is reached, which [`limits::run`] then tells in its place.
fn alive(token: &CancellationToken) -> Result<(), Error> {
    if token.is_cancelled() {
        return Err(Error::Stopped);
    }
    Ok(())
}

fn inserted(quad: &term::Quad, fresh: &mut HashMap<BlankNode, BlankNode>) -> Quad {
    let mut fresh = |node: &BlankNode| fresh.entry(node.clone()).or_default().clone();
    Quad {
        subject: match &quad.subject {
            NamedOrBlankNode::BlankNode(node) => fresh(node).into(),
            node => node.clone(),
        },
        predicate: quad.predicate.clone(),
        object: match &quad.object {
            Term::BlankNode(node) => fresh(node).into(),
            term => term.clone(),
        },
        graph_name: graph_name(&quad.graph_name),
    }
}

fn deleted(quad: &GroundQuad) -> Quad {
    Quad {
        subject: quad.subject.clone().into(),
        predicate: quad.predicate.clone(),
        object: match &quad.object {
            GroundTerm::NamedNode(node) => node.clone().into(),
            GroundTerm::Literal(literal) => literal.clone().into(),
        },
        graph_name: graph_name(&quad.graph_name),
    }
}

fn graph_name(name: &term::GraphName) -> GraphName {
    match name {
        term::GraphName::NamedNode(name) => name.clone().into(),
        term::GraphName::DefaultGraph => GraphName::DefaultGraph,
    }
}

fn clear(dataset: &mut Dataset, target: &GraphTarget) {
    let is_target = |graph: GraphNameRef<'_>| match target {
        GraphTarget::NamedNode(name) => graph == GraphNameRef::NamedNode(name.as_ref()),
        GraphTarget::DefaultGraph => graph.is_default_graph(),
        GraphTarget::NamedGraphs => !graph.is_default_graph(),
        GraphTarget::AllGraphs => true,
    };
    *dataset = dataset
        .iter()
        .filter(|quad| !is_target(quad.graph_name))
        .map(QuadRef::into_owned)
        .collect();
}

/// The triple with other IRIs.
fn map_iris(triple: Triple, map: impl Fn(&str) -> String) -> Triple {
    let named = |node: NamedNode| NamedNode::new_unchecked(map(node.as_str()));
    Triple {
        subject: match triple.subject {
            NamedOrBlankNode::NamedNode(node) => named(node).into(),
            node => node,
        },
        predicate: named(triple.predicate),
        object: match triple.object {
            Term::NamedNode(node) => named(node).into(),
            term => term,
        },
    }
}
