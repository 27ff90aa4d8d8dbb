//! TLS and HTTP/2: the binary with certificates that are made here, and clients of both kinds.

use super::process::Process;
use axum::body::{Body, Bytes};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http2::SendRequest;
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{CertificateParams, KeyPair};
use std::convert::Infallible;
use std::error::Error;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

const PATIENCE: Duration = Duration::from_secs(20);

/// A certificate that signs itself, and its key.
struct Identity {
    certificate: String,
    key: String,
    der: CertificateDer<'static>,
}

impl Identity {
    fn new() -> Identity {
        Identity::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut CertificateParams)) -> Identity {
        let names = ["localhost".to_string(), "127.0.0.1".to_string()];
        let mut parameters = CertificateParams::new(names).expect("names");
        change(&mut parameters);
        let key = KeyPair::generate().expect("a key");
        let certificate = parameters.self_signed(&key).expect("a certificate");
        Identity {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
            der: certificate.der().clone(),
        }
    }

    fn write(&self, dir: &Path) {
        std::fs::write(dir.join("cert.pem"), &self.certificate).expect("a file");
        std::fs::write(dir.join("key.pem"), &self.key).expect("a file");
    }
}

/// A server with this certificate; what it says of errors is in the file `log`.
fn start(dir: &Path, identity: &Identity, arguments: &[&str]) -> Process {
    identity.write(dir);
    let path = |name| dir.join(name).to_str().expect("UTF-8").to_owned();
    let (certificate, key) = (path("cert.pem"), path("key.pem"));
    let files = ["--tls-cert", &certificate, "--tls-key", &key];
    let line = format!("exec \"$@\" 2>'{}'", path("log"));
    Process::start_by(&line, &dir.join("data"), &[&files, arguments].concat())
}

/// What `curl` says; to it, the certificate is the standard input.
fn curl(dir: &Path, arguments: &[&str]) -> Output {
    let mut curl = Command::new("curl");
    curl.current_dir(dir).args(["-sS", "--max-time", "20"]);
    curl.stdin(File::open(dir.join("cert.pem")).expect("a file"));
    curl.args(arguments).output().expect("curl")
}

/// What a client needs that trusts these certificates only.
fn config(trusted: &[&Identity], protocol: &[u8]) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for identity in trusted {
        roots.add(identity.der.clone()).expect("a root");
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("protocols")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    Arc::new(config)
}

type Stream = StreamOwned<ClientConnection, TcpStream>;

/// A connection whose handshake is not begun.
fn connect(process: &Process, config: &Arc<ClientConfig>) -> Stream {
    let stream = TcpStream::connect(&process.address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    let name = "localhost".try_into().expect("a name");
    let tls = ClientConnection::new(config.clone(), name).expect("a client");
    StreamOwned::new(tls, stream)
}

/// Sends one request of HTTP/1.1 and reads the answer; the connection stays.
fn get(stream: &mut Stream) -> std::io::Result<String> {
    stream.write_all(b"HEAD /ldp HTTP/1.1\r\nhost: localhost\r\n\r\n")?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        answer.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Whether the server ends a connection, by closing or by resetting it, within the time.
fn ends(stream: &mut impl Read) -> bool {
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => {
                return !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
            }
        }
    }
}

#[test]
fn curl_speaks_both_protocols() {
    let dir = TempDir::new().expect("a folder");
    let process = start(dir.path(), &Identity::new(), &[]);
    let url = format!("https://{}/ldp", process.address);
    for (option, version) in [("--http1.1", "HTTP/1.1"), ("--http2", "HTTP/2")] {
        let send = |path: &str, more: &[&str]| {
            let url = format!("{url}/{}{path}", &option[2..]);
            let common = ["-i", option, "--cacert", "cert.pem", &url];
            let output = curl(dir.path(), &[&common, more].concat());
            let told = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(told.starts_with(version), "{option} {more:?}: {output:?}");
            told
        };
        let turtle = [
            "-H",
            "content-type: text/turtle",
            "--data",
            "<> <urn:p> 1 .",
        ];
        let put = send("", &[&["-X", "PUT"], &turtle[..]].concat());
        assert!(put.starts_with(&format!("{version} 201")), "{put}");
        let location = format!("location: {url}/{}\r\n", &option[2..]);
        assert!(put.contains(&location), "{location} in {put}");
        let got = send("", &["-H", "accept: application/n-triples"]);
        assert!(
            got.contains(&format!("<{url}/{}> <urn:p>", &option[2..])),
            "{got}"
        );
        // Whether there is a body is known without its length.
        let bytes = ["-H", "content-type:", "-H", "expect:", "-T", "-"];
        for (path, put, kind) in [
            ("/bytes", &bytes[..], "octet-stream"),
            ("/none", &["-X", "PUT"], "turtle"),
        ] {
            let put = send(path, put);
            assert!(put.starts_with(&format!("{version} 201")), "{put}");
            let head = send(path, &["-I"]);
            assert!(head.contains(kind), "{path}: {head}");
        }
        let missing = send("/missing", &["-I"]);
        assert!(missing.starts_with(&format!("{version} 404")), "{missing}");
    }
    let long = format!("x: {}", "x".repeat(20_000));
    let common = ["-i", "--http2", "--cacert", "cert.pem", &url, "-H", &long];
    let told = curl(dir.path(), &common).stdout;
    assert!(
        told.starts_with(b"HTTP/2 431"),
        "{}",
        String::from_utf8_lossy(&told)
    );
    process.terminate();
}

#[test]
fn wrong_files_are_told_at_the_start() {
    let dir = TempDir::new().expect("a folder");
    Identity::new().write(dir.path());
    std::fs::write(dir.path().join("other.pem"), Identity::new().key).expect("a file");
    std::fs::write(dir.path().join("text"), "no PEM").expect("a file");
    for (arguments, code, told) in [
        (&["--tls-cert", "cert.pem"][..], 3, "--tls-key"),
        (&["--tls-key", "key.pem"], 3, "--tls-cert"),
        (
            &["--tls-cert", "none", "--tls-key", "key.pem"],
            5,
            "none: No such file",
        ),
        (
            &["--tls-cert", "cert.pem", "--tls-key", "none"],
            5,
            "none: No such file",
        ),
        (
            &["--tls-cert", "text", "--tls-key", "key.pem"],
            3,
            "text: there is no certificate",
        ),
        (
            &["--tls-cert", "key.pem", "--tls-key", "key.pem"],
            3,
            "key.pem: there is no certificate",
        ),
        (
            &["--tls-cert", "cert.pem", "--tls-key", "text"],
            3,
            "text: no key",
        ),
        (
            &["--tls-cert", "cert.pem", "--tls-key", "other.pem"],
            3,
            "cert.pem with other.pem: ",
        ),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_ldp"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data", "data"])
            .args(arguments)
            .current_dir(dir.path())
            .output()
            .expect("a process");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(told), "{arguments:?}: {error}");
        // Before anything is made.
        assert!(!dir.path().join("data").exists());
    }
}

#[test]
fn an_expired_certificate_is_for_the_client_to_refuse() {
    let dir = TempDir::new().expect("a folder");
    let expired = Identity::with(|parameters| {
        parameters.not_before = rcgen::date_time_ymd(2000, 1, 1);
        parameters.not_after = rcgen::date_time_ymd(2001, 1, 1);
    });
    let process = start(dir.path(), &expired, &[]);
    let url = format!("https://{}/ldp", process.address);
    let refused = curl(dir.path(), &["--cacert", "cert.pem", &url]);
    assert_eq!(refused.status.code(), Some(60), "{refused:?}");
    let taken = curl(dir.path(), &["--insecure", &url]);
    assert!(taken.status.success(), "{taken:?}");
    process.terminate();
}

#[test]
fn a_new_certificate_is_taken_while_clients_come() {
    let dir = TempDir::new().expect("a folder");
    let (old, new) = (Identity::new(), Identity::new());
    let process = start(dir.path(), &old, &[]);
    let both = config(&[&old, &new], b"http/1.1");
    let takes_only = |identity: &Identity| {
        get(&mut connect(&process, &config(&[identity], b"http/1.1"))).is_ok()
    };
    let mut kept = connect(&process, &both);
    get(&mut kept).expect("an answer");
    let (over, count) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !over.load(Relaxed) {
                    let answer = get(&mut connect(&process, &both)).expect("an answer");
                    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
                    count.fetch_add(1, Relaxed);
                }
            });
        }
        // Ends the clients whatever fails here.
        let renewed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let begun = Instant::now();
            let wait = |what: &dyn Fn() -> bool, name| {
                while !what() {
                    assert!(begun.elapsed() < PATIENCE, "{name}");
                    std::thread::sleep(Duration::from_millis(10));
                }
            };
            let log = || std::fs::read_to_string(dir.path().join("log")).expect("the log");
            assert!(takes_only(&old) && !takes_only(&new));
            new.write(dir.path());
            process.signal("-HUP");
            wait(&|| takes_only(&new), "a new certificate");
            assert!(!takes_only(&old));
            // The key of another certificate.
            std::fs::write(dir.path().join("key.pem"), &old.key).expect("a file");
            process.signal("-HUP");
            wait(
                &|| log().contains("stays the one before"),
                "a line of the log",
            );
            assert!(takes_only(&new), "{}", log());
            let before = count.load(Relaxed);
            wait(&|| count.load(Relaxed) > before + 20, "clients");
        }));
        over.store(true, Relaxed);
        if let Err(panic) = renewed {
            std::panic::resume_unwind(panic);
        }
    });
    // What was open goes on.
    get(&mut kept).expect("an answer");
    process.terminate();
}

#[test]
fn handshakes_that_do_not_come_end_and_make_room() {
    let dir = TempDir::new().expect("a folder");
    let identity = Identity::new();
    let arguments = ["--head-time", "1", "--max-connections", "10"];
    let process = start(dir.path(), &identity, &arguments);
    let (http1, http2) = (
        config(&[&identity], b"http/1.1"),
        config(&[&identity], b"h2"),
    );
    let begun = Instant::now();
    let mut silent: Vec<Stream> = (0..60)
        .map(|i| {
            let mut stream = connect(&process, if i % 2 == 0 { &http1 } else { &http2 });
            match i % 6 {
                0 => {}
                1 => stream
                    .sock
                    .write_all(b"GET / HTTP/1.1\r\n\r\n")
                    .expect("no TLS"),
                2 => stream
                    .sock
                    .write_all(b"\x16\x03\x01\x02\x00\x01")
                    .expect("half of a hello"),
                // It may have been made to go for a later one.
                3 => _ = stream.flush(),
                4 => _ = stream.write_all(b"GET /ldp HTTP/1.1\r\n"),
                _ => _ = stream.write_all(&[PREFACE, &frame(4, 0, 0, &[])].concat()),
            }
            stream
        })
        .collect();
    for _ in 0..5 {
        let answer = get(&mut connect(&process, &http1)).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    assert!(begun.elapsed() < Duration::from_secs(10));
    for stream in &mut silent {
        assert!(ends(&mut stream.sock));
    }
    process.terminate();
}

/// A connection of HTTP/2.
async fn http2<B>(process: &Process, identity: &Identity) -> SendRequest<B>
where
    B: hyper::body::Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>
        + Send
        + Unpin
        + 'static,
{
    let stream = tokio::net::TcpStream::connect(&process.address).await;
    let name = "localhost".try_into().expect("a name");
    let connector = TlsConnector::from(config(&[identity], b"h2"));
    let stream = connector.connect(name, stream.expect("a connection")).await;
    let stream = stream.expect("TLS");
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let client = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (sender, connection) = client.await.expect("HTTP/2");
    tokio::spawn(connection);
    sender
}

fn follow() -> Request<Empty<Bytes>> {
    let request = Request::get("https://localhost/ldp/fcr:events");
    request.body(Empty::new()).expect("a request")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_has_many_followers_and_all_together_have_a_bound() {
    let dir = TempDir::new().expect("a folder");
    let identity = Identity::new();
    // Half of them may be followers.
    let process = start(dir.path(), &identity, &["--max-connections", "240"]);
    let (mut first, mut second) = (
        http2(&process, &identity).await,
        http2(&process, &identity).await,
    );
    let mut answers = Vec::new();
    // Each lasts until the end.
    for _ in 0..100 {
        let answer = first.send_request(follow()).await.expect("an answer");
        assert_eq!(answer.status(), StatusCode::OK);
        answers.push(answer.into_body());
    }
    let mut one_more = Box::pin(first.send_request(follow()));
    assert!(
        tokio::time::timeout(Duration::from_millis(200), &mut one_more)
            .await
            .is_err()
    );
    let mut statuses = Vec::new();
    for _ in 0..25 {
        let answer = second.send_request(follow()).await.expect("an answer");
        statuses.push(answer.status());
        answers.push(answer.into_body());
    }
    let (taken, refused) = statuses.split_at(20);
    assert!(
        taken.iter().all(|status| *status == StatusCode::OK),
        "{statuses:?}"
    );
    assert!(
        refused
            .iter()
            .all(|status| *status == StatusCode::SERVICE_UNAVAILABLE)
    );
    // Who asks for something else has a place.
    let other = Request::get("https://localhost/ldp").body(Empty::new());
    let answer = second.send_request(other.expect("a request")).await;
    assert_eq!(answer.expect("an answer").status(), StatusCode::OK);
    // Whoever ends makes room for all, a little later, and on its connection.
    answers.truncate(110);
    let begun = Instant::now();
    while answers.len() < 111 {
        assert!(begun.elapsed() < PATIENCE);
        let answer = second.send_request(follow()).await.expect("an answer");
        if answer.status() == StatusCode::OK {
            answers.push(answer.into_body());
        }
    }
    drop(answers.remove(0));
    let answer = tokio::time::timeout(PATIENCE, one_more)
        .await
        .expect("in time");
    assert_eq!(answer.expect("an answer").status(), StatusCode::OK);
    // SIGTERM ends what has no end of its own, and what is idle.
    let _idle = http2::<Body>(&process, &identity).await;
    let ended = tokio::task::spawn_blocking(move || {
        let begun = Instant::now();
        process.terminate();
        begun.elapsed()
    });
    assert!(ended.await.expect("its end") < Duration::from_secs(8));
    for answer in answers {
        answer.collect().await.expect("a whole answer");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_all_connections_together_have_a_bound() {
    let dir = TempDir::new().expect("a folder");
    let identity = Identity::new();
    let process = start(dir.path(), &identity, &["--max-connections", "20"]);
    let mut sender = http2::<Body>(&process, &identity).await;
    // Each lasts until its body comes.
    let mut waiting = Vec::new();
    for number in 0..20 {
        let (body, come) = tokio::sync::oneshot::channel::<()>();
        let come = futures_util::stream::once(async move {
            let _ = come.await;
            Ok::<_, Infallible>(Bytes::new())
        });
        let request =
            Request::put(format!("https://localhost/ldp/{number}")).body(Body::from_stream(come));
        waiting.push((body, sender.send_request(request.expect("a request"))));
    }
    let until = Instant::now() + PATIENCE;
    let status = async |sender: &mut SendRequest<Body>, expected| {
        loop {
            let request = Request::get("https://localhost/ldp").body(Body::empty());
            let answer = sender.send_request(request.expect("a request")).await;
            if answer.expect("an answer").status() == expected {
                break;
            }
            assert!(Instant::now() < until, "never {expected}");
        }
    };
    status(&mut sender, StatusCode::SERVICE_UNAVAILABLE).await;
    let (body, answer) = waiting.pop().expect("one");
    drop(body);
    assert_eq!(
        answer.await.expect("an answer").status(),
        StatusCode::CREATED
    );
    status(&mut sender, StatusCode::OK).await;
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;

/// A frame of HTTP/2 (RFC 9113, section 4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len())
        .expect("a short frame")
        .to_be_bytes();
    let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
    [&head, payload].concat()
}

/// A request whose answer has no end.
fn request(stream: u32) -> Vec<u8> {
    let path = b"/ldp/fcr:events";
    // GET, https, the path and the host: RFC 7541, appendix A.
    let block = [&[0x82, 0x87, 4, 15], &path[..], &[1, 1, b'h']].concat();
    frame(HEADERS, 5, stream, &block)
}

/// The frames that come up to one of this kind for which `is_last` holds, without it; its payload.
fn read_until(
    stream: &mut Stream,
    kind: u8,
    mut is_last: impl FnMut(u32, &[u8]) -> bool,
) -> Vec<u8> {
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).expect("a frame");
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let number = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        let mut payload = vec![0; length as usize];
        stream.read_exact(&mut payload).expect("a frame");
        if head[3] == kind && is_last(number, &payload) {
            return payload;
        }
    }
}

fn open(process: &Process, identity: &Identity) -> Stream {
    let mut stream = connect(process, &config(&[identity], b"h2"));
    let begin = [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat();
    stream.write_all(&begin).expect("a beginning");
    stream
}

#[test]
fn floods_of_streams_are_refused() {
    const REFUSED_STREAM: [u8; 4] = [0, 0, 0, 7];
    const ENHANCE_YOUR_CALM: [u8; 4] = [0, 0, 0, 11];
    let dir = TempDir::new().expect("a folder");
    let identity = Identity::new();
    let process = start(dir.path(), &identity, &[]);
    // More than a connection may have at a time.
    let mut many = open(&process, &identity);
    let requests: Vec<u8> = (0..110).flat_map(|i| request(2 * i + 1)).collect();
    many.write_all(&requests).expect("requests");
    let mut refused = 0;
    let payload = read_until(&mut many, RST_STREAM, |number, _| {
        assert!(number > 200, "{number}");
        refused += 1;
        refused == 10
    });
    assert_eq!(payload, REFUSED_STREAM);
    // Each is given up at once.
    let mut reset = open(&process, &identity);
    let flood: Vec<u8> = (0..200)
        .flat_map(|i| {
            [
                request(2 * i + 1),
                frame(RST_STREAM, 0, 2 * i + 1, &[0, 0, 0, 8]),
            ]
            .concat()
        })
        .collect();
    reset.write_all(&flood).expect("requests");
    let payload = read_until(&mut reset, GOAWAY, |_, _| true);
    assert_eq!(payload[4..8], ENHANCE_YOUR_CALM);
    assert!(ends(&mut reset.sock));
    get(&mut connect(&process, &config(&[&identity], b"http/1.1"))).expect("an answer");
    process.terminate();
}

#[test]
fn an_idle_connection_of_http2_ends() {
    let dir = TempDir::new().expect("a folder");
    let identity = Identity::new();
    let process = start(dir.path(), &identity, &["--head-time", "1"]);
    let begun = Instant::now();
    let mut idle = open(&process, &identity);
    read_until(&mut idle, GOAWAY, |_, _| true);
    assert!(begun.elapsed() >= Duration::from_secs(1));
    // It does not wait for the client to agree.
    assert!(ends(&mut idle.sock));
    // One with a request stays, as long as it answers pings.
    process.terminate();
}
