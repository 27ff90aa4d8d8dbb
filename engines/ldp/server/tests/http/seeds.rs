//! The requests that the fuzzer begins with.

use crate::harness::{Server, TURTLE};
use crate::transactions::begin;
use std::fs;

/// Each is sent in a transaction that is rolled back, so that all find the same repository.
#[test]
fn seeds_are_answered() {
    let server = Server::new();
    let text = ("content-type", "text/plain");
    server.run(&[
        ("PUT /ldp/a/1", &[TURTLE], "<> <http://e/p> 1 .", 201, &[]),
        ("PUT /ldp/b", &[text], "0123456789", 201, &[]),
    ]);
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/seeds/request");
    for seed in fs::read_dir(seeds).expect("seeds") {
        let path = seed.expect("a seed").path();
        let seed = fs::read_to_string(&path).expect("its text");
        let (head, body) = seed.split_once("\n\n").expect("a head and a body");
        let (request, headers) = head.split_once('\n').unwrap_or((head, ""));
        // The answer to GET has no end.
        let request = request.replace("GET /ldp/a/fcr:events", "HEAD /ldp/a/fcr:events");
        let transaction = begin(&server);
        let mut headers: Vec<_> = headers
            .lines()
            .map(|line| line.split_once(':').expect("name: value"))
            .map(|(name, value)| (name, value.trim()))
            .collect();
        headers.push(("atomic-id", &transaction));
        let answer = server.send(&request, &headers, body.to_owned());
        assert!(answer.status < 500, "{path:?}: {}", answer.body);
        server.send(&format!("DELETE /ldp/fcr:tx/{transaction}"), &[], "");
    }
}
