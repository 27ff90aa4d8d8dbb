//! The manifests of the W3C test suites, and their documents.

use oxrdf::{Graph, NamedNode, NamedNodeRef, NamedOrBlankNode, Term, TermRef, Triple};
use oxrdfxml::RdfXmlParser;
use oxttl::TurtleParser;
use std::fs;
use std::path::PathBuf;

/// The IRI that the root of the test data has in the tests.
pub const BASE: &str = "http://tests.example/";

const MF: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
const QT: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#";
const UT: &str = "http://www.w3.org/2009/sparql/tests/test-update#";
const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";

/// One test. Documents are named by their IRIs, which [`read`] takes.
pub struct Test {
    /// Folder and name: `sparql11/bind#bind01`.
    pub id: String,
    /// The last part of its class, such as `QueryEvaluationTest`.
    pub kind: String,
    /// The query or update.
    pub text: String,
    /// The data before.
    pub data: Documents,
    /// The document with the result of a query.
    pub result: Option<String>,
    /// The data after an update.
    pub after: Documents,
    /// Whether rows that repeat may be left out.
    pub lax: bool,
}

/// The documents of a dataset.
#[derive(Default)]
pub struct Documents {
    pub default: Vec<String>,
    /// Name of the graph, document.
    pub named: Vec<(String, String)>,
}

/// The tests of all manifests in the folders `sparql10` and `sparql11`.
pub fn tests() -> Vec<Test> {
    let mut tests = Vec::new();
    for suite in ["sparql/sparql10", "sparql/sparql11"] {
        let mut folders: Vec<_> = fs::read_dir(root().join(suite))
            .expect("the test data")
            .map(|entry| entry.expect("the test data").file_name().into_string().expect("a name"))
            .collect();
        folders.sort();
        for folder in folders {
            tests.extend(manifest(&format!("{suite}/{folder}")));
        }
    }
    tests
}

/// The text of a document.
pub fn read(iri: &str) -> String {
    let path = iri.strip_prefix(BASE).expect("a document of the test data");
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The triples of a document.
pub fn triples(iri: &str) -> Vec<Triple> {
    let text = read(iri);
    if iri.ends_with(".rdf") {
        let parser = RdfXmlParser::new().with_base_iri(iri).expect("an IRI");
        parser.for_slice(&text).map(|triple| triple.expect("RDF/XML")).collect()
    } else {
        let parser = TurtleParser::new().with_base_iri(iri).expect("an IRI");
        parser.for_slice(&text).map(|triple| triple.expect("Turtle")).collect()
    }
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/w3c-rdf-tests"))
}

fn manifest(folder: &str) -> Vec<Test> {
    let iri = format!("{BASE}{folder}/manifest.ttl");
    let graph: Graph = triples(&iri).into_iter().collect();
    let manifest = Reader(&graph);
    let start = NamedNode::new_unchecked(iri);
    let mut list = manifest.one(&start.into(), MF, "entries");
    let mut tests = Vec::new();
    while let Some(node) = list.as_ref().and_then(subject) {
        if let Some(entry) = manifest.one(&node, RDF, "first") {
            tests.push(manifest.test(folder, &entry));
        }
        list = manifest.one(&node, RDF, "rest");
    }
    tests
}

struct Reader<'a>(&'a Graph);

impl Reader<'_> {
    fn test(&self, folder: &str, entry: &Term) -> Test {
        let node = subject(entry).expect("a test is a node");
        let kind = text(&self.one(&node, RDF, "type").expect("a class"));
        let action = self.one(&node, MF, "action").expect("an action");
        let result = self.one(&node, MF, "result");
        let name = text(entry);
        let of_action = |namespace, name| {
            subject(&action).and_then(|action| self.one(&action, namespace, name))
        };
        let query = of_action(QT, "query").or_else(|| of_action(UT, "request"));
        Test {
            id: format!(
                "{}#{}",
                folder.trim_start_matches("sparql/"),
                name.rsplit('#').next().unwrap_or(&name)
            ),
            kind: kind.rsplit('#').next().unwrap_or(&kind).to_owned(),
            text: text(query.as_ref().unwrap_or(&action)),
            data: self.documents(&action),
            after: result.as_ref().map(|r| self.documents(r)).unwrap_or_default(),
            result: result.as_ref().map(text),
            lax: self.one(&node, MF, "resultCardinality").is_some(),
        }
    }

    fn documents(&self, of: &Term) -> Documents {
        let Some(node) = subject(of) else {
            return Documents::default();
        };
        let mut documents = Documents::default();
        for namespace in [QT, UT] {
            documents.default.extend(self.all(&node, namespace, "data").iter().map(text));
            for graph in self.all(&node, namespace, "graphData") {
                let node = subject(&graph).expect("a graph is a node");
                // Either the document itself, or a node with the name and the document.
                documents.named.push(match self.one(&node, UT, "graph") {
                    Some(document) => {
                        let name = self.one(&node, RDFS, "label").expect("a name");
                        (text(&name), text(&document))
                    }
                    None => (text(&graph), text(&graph)),
                });
            }
        }
        documents
    }

    fn one(&self, node: &NamedOrBlankNode, namespace: &str, name: &str) -> Option<Term> {
        self.all(node, namespace, name).pop()
    }

    fn all(&self, node: &NamedOrBlankNode, namespace: &str, name: &str) -> Vec<Term> {
        let predicate = format!("{namespace}{name}");
        self.0
            .objects_for_subject_predicate(node, NamedNodeRef::new_unchecked(&predicate))
            .map(TermRef::into_owned)
            .collect()
    }
}

fn subject(term: &Term) -> Option<NamedOrBlankNode> {
    match term {
        Term::NamedNode(node) => Some(node.clone().into()),
        Term::BlankNode(node) => Some(node.clone().into()),
        Term::Literal(_) => None,
    }
}

fn text(term: &Term) -> String {
    match term {
        Term::NamedNode(node) => node.as_str().to_owned(),
        Term::BlankNode(node) => node.as_str().to_owned(),
        Term::Literal(literal) => literal.value().to_owned(),
    }
}
