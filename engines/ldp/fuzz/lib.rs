//! What the fuzz targets do with an input. A panic is a finding, in whatever thread; so is too much time or
//! memory, of which libFuzzer has the limits.

use axum::Router;
use axum::body::{Body as HttpBody, to_bytes};
use axum::http::Request;
use ldp_rdf::{
    Format, Graph, NamedNode, NamedOrBlankNode, Root, Term, Triple, Writer, isomorphic, parse,
};
use ldp_repository::{Body, Options, Repository, WriteOptions};
use ldp_server::http::{App, Limits as Most, router};
use ldp_sparql::{Limits, Options as Asked, Stop};
use ldp_store::{Durability, Model};
use oxttl::TurtleParser;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

#[global_allocator]
static ALLOCATOR: ldp_sparql::Counted = ldp_sparql::Counted;

const BASE: &str = "http://h/ldp/a";

/// More blank nodes are not compared: to compare graphs made to be symmetric takes exponential time.
const BLANKS: usize = 6;

fn root() -> Root {
    Root::new("http://h/ldp").expect("a root")
}

/// A document that is read comes back from every syntax as it was; Turtle is read as a library reads it.
pub fn document(format: Format, text: &[u8]) {
    let graph = parse(format, text, BASE, &root()).ok();
    if format == Format::Turtle {
        // Blank nodes without a label get a random one, but always in the same order.
        assert_eq!(
            graph,
            with_library(text),
            "another graph than the library's"
        );
    }
    let Some(graph) = graph else { return };
    let triples: Vec<Triple> = graph.triples().collect();
    for written in Format::ALL {
        // RDF/XML has no way to write some predicates and characters, which is an error.
        let Ok(text) = write(written, &graph) else {
            assert_eq!(written, Format::RdfXml, "cannot be written");
            continue;
        };
        let again = match parse(written, &text, BASE, &root()) {
            Ok(again) => again,
            Err(error) => panic!(
                "as {written:?}: {error}\n{}",
                String::from_utf8_lossy(&text)
            ),
        };
        let again: Vec<Triple> = again.triples().collect();
        assert!(
            blanks(&triples) > BLANKS || isomorphic(&triples, &again),
            "as {written:?} another graph:\n{}",
            String::from_utf8_lossy(&text)
        );
    }
}

fn write(format: Format, graph: &Graph) -> std::io::Result<Vec<u8>> {
    let mut writer = Writer::new(format, &root(), &[("e", "http://e/")], Vec::new());
    for triple in graph.reader().iter() {
        writer.triple(triple)?;
    }
    writer.finish()
}

fn blanks(triples: &[Triple]) -> usize {
    let nodes = triples.iter().flat_map(|triple| {
        let subject = match &triple.subject {
            NamedOrBlankNode::BlankNode(node) => Some(node.as_str()),
            NamedOrBlankNode::NamedNode(_) => None,
        };
        let object = match &triple.object {
            Term::BlankNode(node) => Some(node.as_str()),
            _ => None,
        };
        [subject, object].into_iter().flatten()
    });
    nodes.collect::<std::collections::HashSet<_>>().len()
}

fn with_library(text: &[u8]) -> Option<Graph> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let parser = TurtleParser::new().with_base_iri(BASE).expect("a base");
    let triples: Result<Vec<Triple>, _> = parser.for_slice(text).collect();
    let inside = |iri: &NamedNode| NamedNode::new_unchecked(root().inside(iri.as_str()));
    let moved = triples.ok()?.into_iter().map(|triple| Triple {
        subject: match triple.subject {
            NamedOrBlankNode::NamedNode(subject) => inside(&subject).into(),
            blank => blank,
        },
        predicate: inside(&triple.predicate),
        object: match triple.object {
            Term::NamedNode(object) => inside(&object).into(),
            Term::Literal(literal) if literal.language().is_none() => {
                let datatype = inside(&literal.datatype().into_owned());
                ldp_rdf::Literal::new_typed_literal(literal.value(), datatype).into()
            }
            other => other,
        },
    });
    Some(Graph::encode(&moved.collect::<Vec<_>>()))
}

/// A repository with a container, two sources and a binary, and a server over it.
struct Served {
    repository: Arc<Repository>,
    router: Router,
    runtime: Runtime,
    _folder: tempfile::TempDir,
}

static SERVED: LazyLock<Served> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = Options::default();
    options.store.durability = Durability::None;
    let repository = Repository::open(&folder.path().join("store"), options).expect("a repository");
    let put = |uid: &str, body, model| {
        let options = WriteOptions {
            model: Some(model),
            ..WriteOptions::default()
        };
        repository
            .put(uid, body, &options)
            .and_then(|pending| pending.wait())
            .expect("a resource");
    };
    let text = b"<> <http://e/p> 1, 2.5, \"t\"@en, </ldp/a>, [ <http://e/q> <#f> ] .";
    let seen = root();
    let rdf = || Body::Text {
        format: Format::Turtle,
        text,
        root: &seen,
    };
    put("/a", rdf(), Model::BasicContainer);
    put("/a/1", rdf(), Model::RdfSource);
    put("/a/2", Body::Empty, Model::RdfSource);
    let bytes = repository
        .store()
        .put_content(&b"0123456789"[..], "text/plain", None)
        .expect("content");
    put("/b", Body::Binary(bytes), Model::Binary);
    let repository = Arc::new(repository);
    let most = Most {
        query: few(),
        ..Most::default()
    };
    Served {
        router: router(App::new(repository.clone(), None, most, None)),
        runtime: Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime"),
        repository,
        _folder: folder,
    }
});

/// What a query may take here: an input that reaches it is no finding, one that passes it is.
fn few() -> Limits {
    Limits {
        time: Duration::from_secs(1),
        memory: 512 << 20,
        rows: 10_000,
    }
}

/// A query over the repository, each form in its first format.
pub fn query(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let asked = Asked {
        limits: few(),
        base: Some(BASE.into()),
        ..Asked::default()
    };
    let mut sink = Vec::new();
    let first = |form: ldp_sparql::Form| form.formats().first().copied();
    let _ = ldp_sparql::query(
        &SERVED.repository.view(),
        &root(),
        text,
        &asked,
        first,
        &mut sink,
    );
}

/// A patch of one graph; what comes of it can be written and read.
pub fn patch(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let before = b"<> <http://e/p> 1, \"t\"@en, </ldp/b>, [ <http://e/q> <#f> ] .";
    let before = parse(Format::Turtle, before, BASE, &root()).expect("a graph");
    if let Ok(after) = ldp_sparql::update(&before, text, BASE, &root(), &few(), &Stop::default()) {
        let written = write(Format::NTriples, &after).expect("a document");
        parse(Format::NTriples, &written, BASE, &root()).expect("the document is read");
    }
}

/// A request: a line `METHOD path`, lines `name: value`, an empty line, the body. It is answered in a transaction
/// that is rolled back, so that each input finds the same repository. No answer says 500.
pub fn request(input: &[u8]) {
    let end = input.windows(2).position(|two| two == b"\n\n");
    let (head, body) = end.map_or((input, &b""[..]), |at| (&input[..at], &input[at + 2..]));
    let mut lines = head.split(|byte| *byte == b'\n');
    let line = lines.next().unwrap_or_default();
    let mut words = line.splitn(2, |byte| *byte == b' ');
    let (method, path) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let transaction = SERVED.repository.begin().expect("a transaction");
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "h");
    for header in lines {
        let at = header
            .iter()
            .position(|byte| *byte == b':')
            .unwrap_or(header.len());
        let value = header.get(at + 1..).unwrap_or_default().trim_ascii();
        if !header[..at].eq_ignore_ascii_case(b"atomic-id") {
            request = request.header(&header[..at], value);
        }
    }
    let request = request
        .header("atomic-id", &transaction)
        .body(HttpBody::from(body.to_vec()));
    if let Ok(request) = request {
        SERVED.runtime.block_on(async {
            let answer = SERVED
                .router
                .clone()
                .oneshot(request)
                .await
                .expect("an answer");
            assert_ne!(answer.status(), 500);
            // A transaction that it began.
            let location = answer.headers().get("location");
            let began = location.and_then(|url| url.to_str().ok()?.split_once("/fcr:tx/"));
            if let Some((_, begun)) = began {
                SERVED.repository.rollback(begun).expect("its end");
            }
            let kind = answer.headers().get("content-type");
            // Events have no end.
            if kind.is_none_or(|kind| !kind.as_bytes().starts_with(b"text/event-stream")) {
                let _ = to_bytes(answer.into_body(), 16 << 20).await;
            }
        });
    }
    // What the request itself has ended is no longer there.
    let _ = SERVED.repository.rollback(&transaction);
}
