//! Changes as they are told: to who follows `fcr:events`, and to webhooks.

use crate::harness::{Server, TURTLE};
use crate::process::Process;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(30);

/// A connection that follows the events of a path.
struct Follower(BufReader<TcpStream>);

impl Follower {
    fn of(process: &Process, path: &str, header: &str) -> Follower {
        let mut stream = TcpStream::connect(&process.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let request = format!("GET {path} HTTP/1.1\r\nHost: h\r\n{header}\r\n");
        stream.write_all(request.as_bytes()).expect("a request");
        let mut follower = Follower(BufReader::new(stream));
        assert!(follower.line().starts_with("HTTP/1.1 200 "));
        while !follower.line().is_empty() {}
        follower
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a line");
        line.trim_end().to_string()
    }

    /// The next event: its number, and the activity.
    fn next(&mut self) -> (String, Value) {
        let mut number = String::new();
        loop {
            let line = self.line();
            if let Some(id) = line.strip_prefix("id: ") {
                number = id.to_string();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return (number, serde_json::from_str(data).expect("JSON"));
            }
        }
    }

    /// The next event as `Create http://h/ldp/a`.
    fn row(&mut self) -> String {
        row(&self.next().1)
    }
}

fn row(activity: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    format!(
        "{} {}",
        text(&activity["type"]),
        text(&activity["object"]["id"])
    )
}

#[test]
fn followers_are_told_of_a_resource_and_all_below_it() {
    let dir = tempfile::TempDir::new().expect("a folder");
    let process = Process::start(dir.path(), &[]);
    process.send("PUT /ldp/shelf", "", "");
    let mut all = Follower::of(&process, "/ldp/fcr:events", "");
    let mut shelf = Follower::of(
        &process,
        "/rest/shelf/fcr:events",
        "Accept: text/event-stream\r\n",
    );
    process.send("PUT /ldp/shelfmark", "", "");
    process.send("POST /ldp/shelf", "Slug: emma\r\n", "");
    process.send("DELETE /ldp/shelf", "", "");
    for expected in [
        "Create http://h/ldp/shelfmark",
        "Update http://h/ldp/",
        "Create http://h/ldp/shelf/emma",
        "Update http://h/ldp/shelf",
        "Delete http://h/ldp/shelf",
        "Delete http://h/ldp/shelf/emma",
        "Update http://h/ldp/",
    ] {
        assert_eq!(all.row(), expected);
    }
    for expected in [
        "Create http://h/rest/shelf/emma",
        "Update http://h/rest/shelf",
        "Delete http://h/rest/shelf",
        "Delete http://h/rest/shelf/emma",
    ] {
        assert_eq!(shelf.row(), expected);
    }
    process.terminate();
    assert!(
        all.0.read_to_string(&mut String::new()).is_ok(),
        "the answer has an end"
    );
}

#[test]
fn who_comes_back_is_told_what_happened_meanwhile() {
    let dir = tempfile::TempDir::new().expect("a folder");
    let process = Process::start(dir.path(), &[]);
    let mut first = Follower::of(&process, "/ldp/fcr:events", "");
    process.send("PUT /ldp/a", "", "");
    let (number, activity) = first.next();
    assert_eq!(activity["id"], format!("http://h/ldp/fcr:events#{number}"));
    drop(first);
    process.send("PUT /ldp/b", "", "");
    let header = format!("Last-Event-ID: {number}\r\n");
    let mut again = Follower::of(&process, "/ldp/fcr:events", &header);
    for expected in [
        "Update http://h/ldp/",
        "Create http://h/ldp/b",
        "Update http://h/ldp/",
    ] {
        assert_eq!(again.row(), expected);
    }
    process.terminate();
    // The next process does not know what happened before it, and says so.
    let process = Process::start(dir.path(), &[]);
    let mut again = Follower::of(&process, "/ldp/b/fcr:events", &header);
    let (number, missed) = again.next();
    assert_eq!(row(&missed), "Update http://h/ldp/b");
    assert!(missed["summary"].is_string());
    process.send("PUT /ldp/b", "", "<> <urn:p> 1 .");
    let (later, changed) = again.next();
    assert_eq!(row(&changed), "Update http://h/ldp/b");
    assert!(changed["summary"].is_null() && later != number);
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let server = Server::new();
    server.run(&[
        ("PUT /ldp/a", &[TURTLE], "", 201, &[]),
        ("GET /ldp/missing/fcr:events", &[], "", 404, &[]),
        (
            "GET /ldp/a/fcr:events",
            &[("accept", "text/turtle")],
            "",
            406,
            &[],
        ),
        (
            "GET /ldp/a/fcr:events",
            &[("last-event-id", "seven")],
            "",
            400,
            &[("body", "expected one like 12.0")],
        ),
        ("PUT /ldp/a/fcr:events", &[], "", 405, &[("allow", "GET")]),
        ("DELETE /ldp/a", &[], "", 204, &[]),
        ("GET /ldp/a/fcr:events", &[], "", 410, &[]),
    ]);
}

/// Takes one request on a connection of its own, answers it, and gives its body.
fn receive(listener: &TcpListener, status: &str) -> Value {
    let (mut stream, _) = listener.accept().expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        let line = line.trim_end().to_ascii_lowercase();
        match line.strip_prefix("content-length: ") {
            Some(text) => length = text.parse().expect("a length"),
            None if line.is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    stream.write_all(answer.as_bytes()).expect("an answer");
    serde_json::from_slice(&body).expect("JSON")
}

#[test]
fn a_webhook_is_sent_each_event_in_order_until_it_takes_it() {
    let receiver = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!(
        "http://{}/changes",
        receiver.local_addr().expect("its address")
    );
    let dir = tempfile::TempDir::new().expect("a folder");
    let root = "https://example.org/data";
    let process = Process::start(dir.path(), &["--webhook", &url, "--root", root]);
    process.send("PUT /ldp/a", "", "");
    process.send("PUT /ldp/b", "", "");
    for (status, expected) in [
        (
            "503 Service Unavailable",
            "Create https://example.org/data/a",
        ),
        ("429 Too Many Requests", "Create https://example.org/data/a"),
        ("204 No Content", "Create https://example.org/data/a"),
        ("400 Bad Request", "Update https://example.org/data/"),
        ("200 OK", "Create https://example.org/data/b"),
        ("200 OK", "Update https://example.org/data/"),
    ] {
        assert_eq!(row(&receive(&receiver, status)), expected, "{status}");
    }
    // One that is never there holds nobody up.
    process.send("PUT /ldp/c", "", "");
    drop(receiver);
    process.terminate();
}

#[test]
fn a_webhook_that_is_no_url_of_http_is_refused() {
    for url in ["ftp://host/", "/changes", "https://host/"] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_ldp"))
            .args(["serve", "--data", "x", "--webhook", url])
            .output()
            .expect("a process");
        assert!(!output.status.success());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            error.contains("expected an absolute URL of http"),
            "{error}"
        );
    }
}

#[test]
fn followers_make_room_for_others_and_go_on_later() {
    let dir = tempfile::TempDir::new().expect("a folder");
    let process = Process::start(dir.path(), &["--max-connections", "10"]);
    let mut followers: Vec<Follower> = (0..25)
        .map(|_| Follower::of(&process, "/ldp/fcr:events", ""))
        .collect();
    for _ in 0..3 {
        let answer = process.send("PUT /ldp/a", "", "");
        assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
    }
    // The newest stay.
    let newest = followers.last_mut().expect("a follower");
    assert_eq!(newest.row(), "Create http://h/ldp/a");
    process.terminate();
}

#[test]
fn head_tells_that_events_can_be_followed() {
    let server = Server::new();
    let answer = server.send("HEAD /ldp/fcr:events", &[], "");
    assert_eq!((answer.status, answer.body.as_str()), (200, ""));
    assert_eq!(answer.header("content-type"), "text/event-stream");
    assert_eq!(answer.header("content-length"), "");
}
