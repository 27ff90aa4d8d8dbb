//! The binary itself: start, restart, end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running `ldp serve`; killed when the test fails.
pub struct Process {
    child: Child,
    pub address: String,
}

impl Process {
    pub fn start(data: &Path, arguments: &[&str]) -> Process {
        Process::start_by("exec \"$@\"", data, arguments)
    }

    /// By a line of the shell, to which it is `"$@"`.
    pub fn start_by(line: &str, data: &Path, arguments: &[&str]) -> Process {
        let mut child = Command::new("sh")
            .args(["-c", line, "sh", env!("CARGO_BIN_EXE_ldp")])
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output"))
            .read_line(&mut line)
            .expect("a line");
        let address = line
            .trim()
            .split_once("://")
            .expect("its address")
            .1
            .to_string();
        Process { child, address }
    }

    /// Sends one request on a connection of its own; gives the whole answer.
    pub fn send(&self, request: &str, header: &str, body: &str) -> String {
        let mut answer = String::new();
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let whole = self.whole(request, header, body);
        stream.write_all(whole.as_bytes()).expect("a request");
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// As `send`, of a request that is refused before all of it is read: then the server closes,
    /// and what it said until then counts.
    fn send_too_much(&self, request: &str, header: &str) -> String {
        let mut answer = String::new();
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let _ = stream.write_all(self.whole(request, header, "").as_bytes());
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    fn whole(&self, request: &str, header: &str, body: &str) -> String {
        format!(
            "{request} HTTP/1.1\r\nHost: {}\r\n{header}Connection: close\r\n\
             Content-Type: text/turtle\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
    }

    /// Sends it the signal of this name.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([name, &pid]).status();
        assert!(sent.expect("kill").success());
    }

    pub fn terminate(mut self) {
        self.signal("-TERM");
        assert!(self.child.wait().expect("its end").success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_was_answered_is_there_after_a_restart() {
    let dir = tempfile::TempDir::new().expect("a folder");
    for (i, durability) in ["sync", "bg=20", "none"].into_iter().enumerate() {
        let process = Process::start(dir.path(), &["--durability", durability]);
        let answer = process.send(&format!("PUT /ldp/r{i}"), "", "<> <urn:p> 1 .");
        assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
        process.terminate();
    }
    let process = Process::start(dir.path(), &[]);
    for i in 0..3 {
        let answer = process.send(&format!("GET /ldp/r{i}"), "", "");
        assert!(
            answer.starts_with("HTTP/1.1 200 ") && answer.contains("urn:p"),
            "{answer}"
        );
        assert!(answer.contains("content-length: "), "{answer}");
    }
    let head = process.send("HEAD /ldp/r0", "", "");
    assert!(
        head.starts_with("HTTP/1.1 200 ") && !head.contains("urn:p"),
        "{head}"
    );
    let large = process.send_too_much(
        "GET /ldp/r0",
        &format!("X-Large: {}\r\n", "x".repeat(1 << 20)),
    );
    assert!(
        large.starts_with("HTTP/1.1 431 "),
        "{}",
        &large[..large.len().min(200)]
    );
}

#[test]
fn the_command_line_says_what_it_expects() {
    let output = Command::new(env!("CARGO_BIN_EXE_ldp"))
        .args(["serve", "--data", "x", "--durability", "later"])
        .output()
        .expect("a process");
    assert!(!output.status.success());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("sync, bg=MILLISECONDS or none"), "{error}");
}

#[test]
fn clients_that_stay_or_go_do_no_harm() {
    let dir = tempfile::TempDir::new().expect("a folder");
    let process = Process::start(dir.path(), &[]);
    let upload = "PUT /ldp/b HTTP/1.1\r\nHost: h\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhalf";
    let mut gone = TcpStream::connect(&process.address).expect("a connection");
    gone.write_all(upload.as_bytes())
        .expect("half of a request");
    drop(gone);
    let answer = process.send("GET /ldp/b", "", "");
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    let mut idle = TcpStream::connect(&process.address).expect("a connection");
    idle.write_all(b"GET /health HTTP/1.1\r\nHost: h\r\n\r\n")
        .expect("a request");
    idle.read_exact(&mut [0; 12])
        .expect("the begin of an answer");
    let start = std::time::Instant::now();
    process.terminate();
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

/// What comes on a connection until it ends.
fn rest(stream: &mut TcpStream) -> String {
    let mut told = Vec::new();
    let _ = stream.read_to_end(&mut told);
    String::from_utf8_lossy(&told).into_owned()
}

#[test]
fn heads_and_bodies_that_do_not_come_end() {
    let dir = tempfile::TempDir::new().expect("a folder");
    let process = Process::start(dir.path(), &["--head-time", "1", "--body-time", "1"]);
    let connect = || TcpStream::connect(&process.address).expect("a connection");
    let begun = Instant::now();
    let mut heads: Vec<TcpStream> = ["", "GET /ldp HTT", "GET /ldp HTTP/1.1\r\nhost: h\r\n"]
        .iter()
        .map(|part| {
            let mut stream = connect();
            stream.write_all(part.as_bytes()).expect("a part");
            stream
        })
        .collect();
    let mut dripping = connect();
    let head = "PUT /ldp/a HTTP/1.1\r\nhost: h\r\ncontent-type: text/turtle\r\ncontent-length: 1000\r\n\r\n";
    dripping.write_all(head.as_bytes()).expect("a head");
    let mut drip = dripping.try_clone().expect("a copy");
    let dripped = std::thread::spawn(move || {
        while drip.write_all(b" ").is_ok() && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    for stream in &mut heads {
        let told = rest(stream);
        assert!(
            told.is_empty() || told.starts_with("HTTP/1.1 408"),
            "{told}"
        );
    }
    let told = rest(&mut dripping);
    assert!(told.starts_with("HTTP/1.1 408"), "{told}");
    assert!(begun.elapsed() < Duration::from_secs(15));
    drop(dripping);
    dripped.join().expect("the end of the drip");
    assert!(process.send("GET /ldp", "", "").starts_with("HTTP/1.1 200"));
    process.terminate();
}

#[test]
fn idle_connections_make_room() {
    let dir = tempfile::TempDir::new().expect("a folder");
    for (line, arguments) in [
        ("exec \"$@\"", &["--max-connections", "10"][..]),
        // As many descriptors as a server needs, and few more.
        ("ulimit -n 60 && exec \"$@\"", &[]),
    ] {
        let process = Process::start_by(line, dir.path(), arguments);
        let mut idle = Vec::new();
        for _ in 0..100 {
            let mut stream = TcpStream::connect(&process.address).expect("a connection");
            stream.write_all(b"GET /ldp HTTP/1.1\r\n").expect("a part");
            idle.push(stream);
        }
        let begun = Instant::now();
        for _ in 0..5 {
            assert!(process.send("GET /ldp", "", "").starts_with("HTTP/1.1 200"));
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{line}");
        process.terminate();
    }
}

#[test]
fn many_connections_may_come_at_once() {
    let dir = tempfile::TempDir::new().expect("a folder");
    let process = Process::start(dir.path(), &[]);
    process.signal("-STOP");
    let address = process.address.parse().expect("an address");
    // One without a place would wait for more than a second.
    let waiting: Vec<TcpStream> = (0..500)
        .map(|_| TcpStream::connect_timeout(&address, Duration::from_millis(900)))
        .collect::<Result<_, _>>()
        .expect("a place for each");
    process.signal("-CONT");
    assert!(process.send("GET /ldp", "", "").starts_with("HTTP/1.1 200"));
    drop(waiting);
    process.terminate();
}

#[test]
fn clients_that_do_not_take_their_answers_end() {
    let dir = tempfile::TempDir::new().expect("a folder");
    let process = Process::start(dir.path(), &["--max-connections", "4", "--body-time", "1"]);
    // More than the system takes for a client that reads nothing.
    let answer = process.send(
        "PUT /ldp/b",
        "Content-Type: text/plain\r\n",
        &"x".repeat(32 << 20),
    );
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    let _unread: Vec<TcpStream> = (0..4)
        .map(|_| {
            let mut stream = TcpStream::connect(&process.address).expect("a connection");
            let request = b"GET /ldp/b HTTP/1.1\r\nhost: h\r\n\r\n";
            stream.write_all(request).expect("a request");
            stream
        })
        .collect();
    let begun = Instant::now();
    loop {
        let mut stream = TcpStream::connect(&process.address).expect("a connection");
        let _ = stream.write_all(process.whole("GET /health", "", "").as_bytes());
        if rest(&mut stream).starts_with("HTTP/1.1 200") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "no room");
        std::thread::sleep(Duration::from_millis(100));
    }
    process.terminate();
}

/// The threads of the process that evaluate queries.
fn queries(process: &Process) -> usize {
    let threads = std::fs::read_dir(format!("/proc/{}/task", process.child.id())).expect("threads");
    threads
        .filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("comm")).ok())
        .filter(|name| name.trim() == "sparql")
        .count()
}

#[test]
fn queries_whose_client_has_gone_end() {
    let dir = tempfile::TempDir::new().expect("a folder");
    let process = Process::start(dir.path(), &["--query-time", "100"]);
    let objects: Vec<String> = (0..200).map(|i| i.to_string()).collect();
    let body = format!("<> <urn:p> {} .", objects.join(", "));
    let answer = process.send("PUT /ldp/a", "", &body);
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    let product = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l";
    let count = format!("SELECT (COUNT(*) AS ?n) {{ {product} }}");
    let terms = [r#"{"pred": "urn:p", "op": "!=", "val": "x"}"#; 5].join(", ");
    for (request, kind, body) in [
        ("POST /query/sparql", "sparql-query", count.clone()),
        (
            "PATCH /ldp/a",
            "sparql-update",
            format!("INSERT {{ <> <urn:n> ?n }} WHERE {{ {count} }}"),
        ),
        // Its first rows are on their way when the client goes.
        (
            "POST /query/sparql",
            "sparql-query",
            format!("SELECT * {{ {product} }}"),
        ),
        (
            "POST /query/term_search",
            "json",
            format!("{{\"terms\": [{terms}]}}"),
        ),
    ] {
        let mut client = TcpStream::connect(&process.address).expect("a connection");
        let head = format!(
            "{request} HTTP/1.1\r\nhost: h\r\ncontent-type: application/{kind}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        client
            .write_all((head + &body).as_bytes())
            .expect("a query");
        let begun = Instant::now();
        let waited = |what: &dyn Fn() -> bool| {
            while !what() {
                assert!(begun.elapsed() < Duration::from_secs(30), "{body}");
                std::thread::sleep(Duration::from_millis(10));
            }
        };
        waited(&|| queries(&process) == 1);
        drop(client);
        waited(&|| queries(&process) == 0);
    }
    process.terminate();
}
