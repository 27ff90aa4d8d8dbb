//! The memory that bodies take together.

use super::harness::{Server, TURTLE};
use axum::body::{Body, Bytes};
use futures_util::stream::{StreamExt, once};
use ldp_repository::Options;
use ldp_server::http::Limits;
use std::convert::Infallible;
use std::sync::mpsc::channel;
use tokio::sync::oneshot;

const KIB: usize = 1 << 10;

/// A document of so many bytes.
fn document(size: usize) -> String {
    format!("<> <urn:p> \"{}\" .", "x".repeat(size))
}

#[test]
fn bodies_have_a_common_bound() {
    let limits = Limits {
        rdf: 1 << 20,
        bodies: 1 << 20,
        ..Limits::default()
    };
    let server = Server::with(Options::default(), limits);
    let (end, ended) = oneshot::channel::<()>();
    let (tell, is_read) = channel();
    // It is there but for its last byte.
    let (begin, last) = (document(900 * KIB), Bytes::from_static(b"\n"));
    let pieces = once(async { Ok::<_, Infallible>(begin.into()) }).chain(once(async move {
        let _ = tell.send(());
        let _ = ended.await;
        Ok(last)
    }));
    let body = Body::from_stream(pieces);
    let send = |path: &str, size| server.send(path, &[TURTLE], document(size));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| server.send("PUT /ldp/a", &[TURTLE], body));
        is_read.recv().expect("that the first piece was read");
        let refused = send("PUT /ldp/b", 300 * KIB);
        assert_eq!(refused.status, 503);
        assert_eq!(refused.header("retry-after"), "1");
        assert!(refused.body.contains("1048576 bytes"), "{}", refused.body);
        // What is small passes beside it.
        assert_eq!(send("PUT /ldp/c", 60 * KIB).status, 201);
        let _ = end.send(());
        assert_eq!(waiting.join().expect("an answer").status, 201);
    });
    // What was taken is given back, after a refusal too.
    for _ in 0..3 {
        assert_eq!(send("PUT /ldp/d", 2_000 * KIB).status, 413);
    }
    assert_eq!(send("PUT /ldp/b", 1_000 * KIB).status, 201);
}
