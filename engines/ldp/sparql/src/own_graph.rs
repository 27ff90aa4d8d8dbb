//! Updates of one resource: its graph is the default one, and there is no other.
//!
//! An update that names another one would do nothing, or empty the graph to put nothing in its place,
//! and say that all is well.

use crate::Error;
use crate::walk::{self, Visit};
use spargebra::algebra::{GraphPattern, GraphTarget};
use spargebra::term::{GraphName, GraphNamePattern};
use spargebra::{GraphUpdateOperation, Update};

/// [`Error::Unsupported`] if the update names a graph anywhere.
pub(crate) fn check(update: &mut Update) -> Result<(), Error> {
    for operation in &mut update.operations {
        if let Some(name) = named(operation) {
            return Err(Error::Unsupported(format!(
                "the update names {name}: only the triples of the resource can be read and changed, which \
                 are the default graph"
            )));
        }
    }
    Ok(())
}

/// The graph that an operation names.
fn named(operation: &mut GraphUpdateOperation) -> Option<String> {
    let of_data =
        |name: &GraphName| (*name != GraphName::DefaultGraph).then(|| format!("the graph {name}"));
    match operation {
        GraphUpdateOperation::InsertData { data } => {
            data.iter().find_map(|quad| of_data(&quad.graph_name))
        }
        GraphUpdateOperation::DeleteData { data } => {
            data.iter().find_map(|quad| of_data(&quad.graph_name))
        }
        GraphUpdateOperation::DeleteInsert {
            delete,
            insert,
            using,
            pattern,
        } => {
            let of_quads = (delete.iter().map(|quad| &quad.graph_name))
                .chain(insert.iter().map(|quad| &quad.graph_name))
                .find(|name| **name != GraphNamePattern::DefaultGraph)
                .map(|name| format!("the graph {name}"));
            let of_using = using
                .iter()
                .flat_map(|using| (using.default.iter()).chain(using.named.iter().flatten()));
            let mut graphs = Graphs(None);
            walk::pattern(pattern, &mut graphs);
            of_quads
                .or_else(|| {
                    using.as_ref().map(|_| {
                        let names: Vec<_> =
                            of_using.map(|name| format!("the graph {name}")).collect();
                        names.join(", ")
                    })
                })
                .or(graphs.0)
        }
        GraphUpdateOperation::Load { destination, .. } => of_data(destination),
        GraphUpdateOperation::Create { graph, .. } => Some(format!("the graph {graph}")),
        GraphUpdateOperation::Clear { graph, .. } | GraphUpdateOperation::Drop { graph, .. } => {
            match graph {
                GraphTarget::NamedNode(name) => Some(format!("the graph {name}")),
                GraphTarget::NamedGraphs => Some("other graphs by NAMED".to_owned()),
                GraphTarget::DefaultGraph | GraphTarget::AllGraphs => None,
            }
        }
    }
}

/// The first graph of a pattern.
struct Graphs(Option<String>);

impl Visit for Graphs {
    fn pattern(&mut self, pattern: &mut GraphPattern) {
        if let GraphPattern::Graph { name, .. } = pattern {
            self.0.get_or_insert_with(|| format!("the graph {name}"));
        }
    }
}
