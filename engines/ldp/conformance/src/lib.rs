//! The W3C's tests of RDF and SPARQL, as their manifests list them.
//!
//! For tests and the gate only: a manifest that is not as expected is a panic that says where.

use oxrdf::{
    Graph, NamedNodeRef, NamedOrBlankNodeRef, TermRef,
    vocab::{rdf, rdfs},
};
use oxttl::TurtleParser;
use std::path::PathBuf;

/// What relative IRIs of the tests begin with: this, their folder, and a slash.
pub const BASE: &str = "https://w3c.github.io/rdf-tests/";

const MF: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
const QT: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#";
const UT: &str = "http://www.w3.org/2009/sparql/tests/test-update#";

/// One test.
#[derive(Clone, Debug)]
pub struct Test {
    /// The folder and the local name, such as `rdf/rdf11/rdf-turtle#first`.
    pub id: String,
    /// The local name of its class, such as `TestTurtleEval` or `QueryEvaluationTest`.
    pub kind: String,
    /// What to do.
    pub action: Material,
    /// What should come of it, if the test says.
    pub result: Option<Material>,
}

/// The files of an action or a result.
#[derive(Clone, Debug, Default)]
pub struct Material {
    /// The document, query, update or result.
    pub file: Option<File>,
    /// The contents of the default graph.
    pub default: Vec<File>,
    /// The names and contents of the named graphs.
    pub named: Vec<(String, File)>,
}

/// A file of a test.
#[derive(Clone, Debug)]
pub struct File {
    /// Its IRI: the base of what is in it.
    pub iri: String,
    /// Where it lies.
    pub path: PathBuf,
}

impl File {
    /// Its bytes.
    pub fn read(&self) -> Vec<u8> {
        std::fs::read(&self.path).unwrap_or_else(|error| panic!("{}: {error}", self.path.display()))
    }
}

/// The folder of the test data, from the folder of a package: there cargo runs its tests.
pub fn data() -> PathBuf {
    PathBuf::from("../testdata/w3c-rdf-tests")
}

/// The tests of one folder of the test data, such as `sparql/sparql11/bind`.
pub fn tests(folder: &str) -> Vec<Test> {
    let iri = format!("{BASE}{folder}/manifest.ttl");
    let file = File {
        path: path_of(&iri),
        iri,
    };
    let graph: Graph = TurtleParser::new()
        .with_base_iri(&file.iri)
        .expect("an absolute base")
        .for_slice(&file.read())
        .map(|triple| triple.unwrap_or_else(|error| panic!("{}: {error}", file.iri)))
        .collect();
    let manifest = Manifest {
        folder,
        graph: &graph,
    };
    manifest.tests()
}

/// The tests of all folders below a folder of the test data, such as `sparql/sparql10`.
pub fn tests_below(folder: &str) -> Vec<Test> {
    let path = data().join(folder);
    let mut folders: Vec<String> = std::fs::read_dir(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| format!("{folder}/{}", name.to_string_lossy()))
        .collect();
    folders.sort();
    folders.iter().flat_map(|folder| tests(folder)).collect()
}

fn path_of(iri: &str) -> PathBuf {
    let name = iri.strip_prefix(BASE);
    data().join(name.unwrap_or_else(|| panic!("{iri} is not below {BASE}")))
}

struct Manifest<'g> {
    folder: &'g str,
    graph: &'g Graph,
}

impl<'g> Manifest<'g> {
    fn tests(&self) -> Vec<Test> {
        let entries = name(MF, "entries");
        let mut rest = self
            .graph
            .triples_for_predicate(entries.as_ref())
            .map(|triple| triple.object)
            .next()
            .expect("entries");
        let mut tests = Vec::new();
        // A list ends in rdf:nil, which has no first.
        while let Some(test) = self.object(node(rest), rdf::FIRST) {
            tests.push(self.test(node(test)));
            rest = self.object(node(rest), rdf::REST).expect("a rest");
        }
        tests
    }

    fn test(&self, test: NamedOrBlankNodeRef<'g>) -> Test {
        let kind = self.object(test, rdf::TYPE).expect("a class");
        Test {
            id: format!("{}#{}", self.folder, local(test.into())),
            kind: local(kind).to_owned(),
            action: self.material(test, "action").expect("an action"),
            result: self.material(test, "result"),
        }
    }

    fn material(&self, test: NamedOrBlankNodeRef<'g>, property: &str) -> Option<Material> {
        let material = match self.object(test, name(MF, property).as_ref())? {
            TermRef::NamedNode(iri) => {
                return Some(Material {
                    file: Some(file(iri)),
                    ..Material::default()
                });
            }
            material => node(material),
        };
        let files = |vocabulary, property| {
            self.objects(material, name(vocabulary, property).as_ref())
                .map(|object| file(iri(object)))
        };
        let named = self
            .objects(material, name(UT, "graphData").as_ref())
            .map(|graph| {
                let label = self.object(node(graph), rdfs::LABEL).expect("a label");
                let content = self
                    .object(node(graph), name(UT, "graph").as_ref())
                    .expect("a graph");
                let TermRef::Literal(label) = label else {
                    panic!("{}: the label {label} of a graph", self.folder);
                };
                (label.value().to_owned(), file(iri(content)))
            });
        Some(Material {
            file: files(QT, "query").chain(files(UT, "request")).next(),
            default: files(QT, "data").chain(files(UT, "data")).collect(),
            named: files(QT, "graphData")
                .map(|file| (file.iri.clone(), file))
                .chain(named)
                .collect(),
        })
    }

    fn objects(
        &self,
        subject: NamedOrBlankNodeRef<'g>,
        predicate: NamedNodeRef<'_>,
    ) -> std::vec::IntoIter<TermRef<'g>> {
        let objects: Vec<TermRef<'g>> = self
            .graph
            .triples_for_subject(subject)
            .filter(|triple| triple.predicate == predicate)
            .map(|triple| triple.object)
            .collect();
        objects.into_iter()
    }

    fn object(
        &self,
        subject: NamedOrBlankNodeRef<'g>,
        predicate: NamedNodeRef<'_>,
    ) -> Option<TermRef<'g>> {
        self.objects(subject, predicate).next()
    }
}

fn name(vocabulary: &str, local: &str) -> oxrdf::NamedNode {
    oxrdf::NamedNode::new_unchecked(format!("{vocabulary}{local}"))
}

fn iri(term: TermRef<'_>) -> NamedNodeRef<'_> {
    match term {
        TermRef::NamedNode(iri) => iri,
        other => panic!("{other} is not an IRI"),
    }
}

fn node(term: TermRef<'_>) -> NamedOrBlankNodeRef<'_> {
    match term {
        TermRef::NamedNode(iri) => iri.into(),
        TermRef::BlankNode(blank) => blank.into(),
        TermRef::Literal(literal) => panic!("{literal} is not a node"),
    }
}

fn local(term: TermRef<'_>) -> &str {
    let iri = iri(term).as_str();
    iri.split_once('#').map_or(iri, |(_, local)| local)
}

fn file(iri: NamedNodeRef<'_>) -> File {
    File {
        iri: iri.as_str().to_owned(),
        path: path_of(iri.as_str()),
    }
}
