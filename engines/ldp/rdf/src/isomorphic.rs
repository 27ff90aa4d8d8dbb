//! Equality of graphs up to the names of blank nodes.

use oxrdf::{Graph, Triple, graph::CanonicalizationAlgorithm};

/// Whether two sets of triples are the same graph, but for the names of their blank nodes.
///
/// For tests and verification: graphs made to be symmetric can take exponential time.
pub fn isomorphic(a: &[Triple], b: &[Triple]) -> bool {
    let canonical = |triples: &[Triple]| {
        let mut graph: Graph = triples.iter().collect();
        graph.canonicalize(CanonicalizationAlgorithm::Unstable);
        graph
    };
    canonical(a) == canonical(b)
}
