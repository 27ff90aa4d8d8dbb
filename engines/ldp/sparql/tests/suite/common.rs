//! A small repository with everything that a query can meet, and queries over it.

use ldp_rdf::{Format as Syntax, Root};
use ldp_repository::{Body, Options as Opening, Preferences, Repository, View, WriteOptions};
use ldp_sparql::{Answer, Error, Format, Options};
use ldp_store::{Durability, Model};
use oxrdf::{Dataset, NamedOrBlankNode, Term, Triple};
use sparesults::{QueryResultsFormat, QueryResultsParser, SliceQueryResultsParserOutput};
use std::collections::{BTreeMap, BTreeSet};

/// How often each row comes.
pub type Answers = BTreeSet<String>;

/// The repository in a folder of its own.
pub struct Fixture {
    pub repository: Repository,
    pub root: Root,
    _folder: tempfile::TempDir,
}

impl Fixture {
    /// Containers, a tombstone, fragments, blank nodes, a binary, direct and indirect members.
    pub fn new() -> Self {
        let fixture = Self::empty();
        let none = |_: &mut WriteOptions| {};
        let direct = |options: &mut WriteOptions| options.model = Some(Model::DirectContainer);
        let indirect = |options: &mut WriteOptions| options.model = Some(Model::IndirectContainer);
        fixture.put(
            "/a",
            "<> dc:title \"A\" ; ex:part <#f> . <#f> a ldp:Container ; dc:title \"F\"@en .",
            none,
        );
        fixture.put(
            "/a/1",
            "<> dc:title \"1\" ; ex:next </ldp/a/2> ; ex:number 1, 2.5, 1e3, true .",
            none,
        );
        fixture.put(
            "/a/2",
            "<> dc:title \"2\" ; ex:next </ldp/a/1>, <http://other/x> ; a ex:Thing .",
            none,
        );
        fixture.put(
            "/a/3",
            "<> ex:part [ dc:title \"blank\" ; ex:part [] ] , </ldp/a#f> ; ex:next </ldp/a> .",
            |o| {
                o.model = Some(Model::RdfSource);
            },
        );
        fixture.put(
            "/ä ö/x",
            "<> dc:title \"Umlaut\" ; ex:next </ldp/%C3%A4%20%C3%B6> .",
            none,
        );
        fixture.put(
            "/direct",
            "<> ldp:membershipResource </ldp/a> ; ldp:hasMemberRelation ex:hasItem .",
            direct,
        );
        fixture.put("/direct/m1", "<> dc:title \"m1\" .", none);
        fixture.put("/direct/m2", "", none);
        fixture.put(
            "/inverse",
            "<> ldp:membershipResource </ldp/a> ; ldp:isMemberOfRelation ex:isItemOf .",
            direct,
        );
        fixture.put("/inverse/i1", "", none);
        fixture.put("/plain", "", direct);
        fixture.put("/plain/p1", "", none);
        fixture.put(
            "/indirect",
            "<> ldp:membershipResource </ldp/a#f> ; ldp:hasMemberRelation ex:hasItem ; ldp:insertedContentRelation ex:proxyFor .",
            indirect,
        );
        fixture.put(
            "/indirect/p",
            "<> ex:proxyFor <http://other/member>, </ldp/a/1> .",
            none,
        );
        fixture.put("/dead", "<> dc:title \"dead\" ; ex:next </ldp/a/1> .", none);
        fixture.put("/dead/child", "<> dc:title \"dead\" .", none);
        let options = WriteOptions::default();
        let deleted = fixture.repository.delete("/dead", true, &options);
        deleted.and_then(|pending| pending.wait()).expect("deleted");
        let content = fixture
            .repository
            .store()
            .put_content(&b"bytes"[..], "image/png", Some("x.png"))
            .expect("stored");
        let binary = fixture
            .repository
            .put("/binary", Body::Binary(content), &options);
        binary.and_then(|pending| pending.wait()).expect("written");
        fixture
    }

    /// A repository with a root alone.
    pub fn empty() -> Self {
        Self::with(|_| {})
    }

    /// The same, opened as told.
    pub fn with(change: impl FnOnce(&mut Opening)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut options = Opening::default();
        options.store.durability = Durability::None;
        change(&mut options);
        Self {
            repository: Repository::open(folder.path(), options).expect("a repository"),
            root: Root::new("http://h/ldp").expect("a root"),
            _folder: folder,
        }
    }

    /// Writes a resource in Turtle.
    pub fn put(&self, uid: &str, turtle: &str, options: impl FnOnce(&mut WriteOptions)) {
        let mut write = WriteOptions::default();
        options(&mut write);
        let text = format!(
            "{}{turtle}",
            PREFIXES
                .map(|(name, iri)| format!("@prefix {name}: <{iri}> .\n"))
                .concat()
        );
        let body = Body::Text {
            format: Syntax::Turtle,
            text: text.as_bytes(),
            root: &self.root,
        };
        let written = self
            .repository
            .put(uid, body, &write)
            .and_then(|pending| pending.wait());
        written.unwrap_or_else(|error| panic!("{uid}: {error}"));
    }

    pub fn view(&self) -> View {
        self.repository.view()
    }

    /// All triples that GET shows of all resources, as clients see them, each once.
    pub fn described(&self) -> Vec<Triple> {
        let view = self.view();
        let mut found = BTreeMap::new();
        for resource in view.snapshot().resources() {
            let resource = resource.expect("a resource");
            view.describe(&resource, &Preferences::default(), &mut |triple| {
                let triple = ldp_repository::scope_blank_nodes(triple, resource.rid);
                let triple = self.outside(triple);
                found.insert(triple.to_string(), triple);
                Ok::<_, ldp_repository::Error>(())
            })
            .expect("a description");
        }
        found.into_values().collect()
    }

    fn outside(&self, triple: Triple) -> Triple {
        let named = |node: oxrdf::NamedNode| {
            oxrdf::NamedNode::new_unchecked(self.root.outside(node.as_str()))
        };
        Triple {
            subject: match triple.subject {
                NamedOrBlankNode::NamedNode(node) => named(node).into(),
                node => node,
            },
            predicate: triple.predicate,
            object: match triple.object {
                Term::NamedNode(node) => named(node).into(),
                term => term,
            },
        }
    }

    /// The answer to a query, and what was written.
    pub fn query(
        &self,
        text: &str,
        format: Format,
        options: &Options,
    ) -> (Result<Answer, Error>, Vec<u8>) {
        let mut written = Vec::new();
        let answer = ldp_sparql::query(
            &self.view(),
            &self.root,
            text,
            options,
            |_| Some(format),
            &mut written,
        );
        (answer, written)
    }

    /// The triples of a CONSTRUCT, written as in N-Triples.
    pub fn triples(&self, text: &str) -> BTreeSet<String> {
        let (answer, written) =
            self.query(text, Format::Rdf(Syntax::NTriples), &Options::default());
        answer.unwrap_or_else(|error| panic!("{text}: {error}"));
        oxttl::NTriplesParser::new()
            .for_slice(&written)
            .map(|triple| triple.expect("N-Triples").to_string())
            .collect()
    }

    /// How many rows a pattern has.
    pub fn count(&self, pattern: &str) -> usize {
        let text = prefixed(&format!("SELECT * WHERE {{ {pattern} }}"));
        let (answer, _) = self.query(&text, Format::Tsv, &Options::default());
        let answer = answer.unwrap_or_else(|error| panic!("{text}: {error}"));
        usize::try_from(answer.rows).expect("a count")
    }

    /// The rows of a SELECT or the boolean of an ASK.
    pub fn rows(&self, text: &str) -> Answers {
        let (answer, written) = self.query(text, Format::Json, &Options::default());
        answer.unwrap_or_else(|error| panic!("{text}: {error}"));
        rows(&written)
    }
}

/// The same from a plain dataset.
pub fn rows_of(data: &Dataset, text: &str) -> Answers {
    let mut written = Vec::new();
    let root = Root::new("http://h/ldp").expect("a root");
    let choose = |_| Some(Format::Json);
    ldp_sparql::evaluate(
        |_| Ok(data),
        &root,
        text,
        &Options::default(),
        choose,
        &mut written,
    )
    .unwrap_or_else(|error| panic!("{text}: {error}"));
    rows(&written)
}

/// Rows with their number, so that equal ones count.
fn rows(json: &[u8]) -> Answers {
    match QueryResultsParser::from_format(QueryResultsFormat::Json)
        .for_slice(json)
        .expect("JSON")
    {
        SliceQueryResultsParserOutput::Boolean(value) => Answers::from([value.to_string()]),
        SliceQueryResultsParserOutput::Solutions(rows) => {
            let mut counts = BTreeMap::<String, usize>::new();
            for row in rows {
                let row: BTreeMap<String, String> = row
                    .expect("a row")
                    .iter()
                    .map(|(variable, term)| (variable.to_string(), term.to_string()))
                    .collect();
                *counts.entry(format!("{row:?}")).or_default() += 1;
            }
            counts
                .into_iter()
                .map(|(row, count)| format!("{count} x {row}"))
                .collect()
        }
    }
}

const PREFIXES: [(&str, &str); 6] = [
    ("ldp", "http://www.w3.org/ns/ldp#"),
    ("dc", "http://purl.org/dc/terms/"),
    ("ex", "http://example.org/"),
    ("fedora", "http://fedora.info/definitions/v4/repository#"),
    ("premis", "http://www.loc.gov/premis/rdf/v1#"),
    (
        "ebucore",
        "http://www.ebu.ch/metadata/ontologies/ebucore/ebucore#",
    ),
];

/// A query with the prefixes of the tests.
pub fn prefixed(query: &str) -> String {
    let prefixes = PREFIXES.map(|(name, iri)| format!("PREFIX {name}: <{iri}> "));
    format!("{}{query}", prefixes.concat())
}
