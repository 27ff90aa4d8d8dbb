//! A small HTTP/1.1 client: one request at a time, on a new connection or on a kept one.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::Result;

/// An answer is waited for this long.
const PATIENCE: Duration = Duration::from_secs(600);

/// Whether each request has a connection of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Connection {
    /// Each has, as in the published benchmark.
    New,
    /// All share one, unless the server closes it.
    Kept,
}

/// One client.
pub struct Client {
    address: String,
    connection: Connection,
    kept: Option<TcpStream>,
    received: Vec<u8>,
}

/// An answer.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// When it was complete.
    pub finished: Instant,
    /// From before the connection was made or used until then.
    pub elapsed: Duration,
}

impl Response {
    /// The first header of a name, in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name)?;
        Some(&found.1)
    }

    /// Itself if its status is among `wanted`, else an error with what it says.
    pub fn expect(self, wanted: &[u16], what: &str) -> Result<Response> {
        if wanted.contains(&self.status) {
            return Ok(self);
        }
        let said: String = String::from_utf8_lossy(&self.body)
            .chars()
            .take(300)
            .collect();
        let status = self.status;
        Err(format!("{what}: expected status {wanted:?}, found {status}: {said}").into())
    }
}

impl Client {
    /// A client of the server at `address`, host and port.
    pub fn new(address: &str, connection: Connection) -> Client {
        Client {
            address: address.to_owned(),
            connection,
            kept: None,
            received: Vec::new(),
        }
    }

    /// Sends a request and reads the whole answer.
    ///
    /// A kept connection that the server closed in between is made again, in the same time.
    pub fn send(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Response> {
        let mut request = format!("{method} {target} HTTP/1.1\r\nHost: {}\r\n", self.address);
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() || matches!(method, "PUT" | "POST" | "PATCH") {
            request += &format!("Content-Length: {}\r\n", body.len());
        }
        let mut request = (request + "\r\n").into_bytes();
        request.extend_from_slice(body);

        let start = Instant::now();
        if let Some(stream) = self.kept.take() {
            match self.exchange(stream, &request, method, start) {
                Err(error) if self.received.is_empty() && is_closed(&error) => {}
                answered => return Ok(answered?),
            }
        }
        let exchanged = TcpStream::connect(&self.address).and_then(|stream| {
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            self.exchange(stream, &request, method, start)
        });
        Ok(exchanged.map_err(|error| format!("{method} {target}: {error}"))?)
    }

    fn exchange(
        &mut self,
        mut stream: TcpStream,
        request: &[u8],
        method: &str,
        start: Instant,
    ) -> std::io::Result<Response> {
        self.received.clear();
        stream.write_all(request)?;
        let (head, status, headers) = loop {
            self.more(&mut stream)?;
            if let Some(head) = parse_head(&self.received)? {
                break head;
            }
        };
        let mut response = Response {
            status,
            headers,
            body: Vec::new(),
            finished: start,
            elapsed: Duration::ZERO,
        };
        let mut closes = response
            .header("connection")
            .is_some_and(|v| v.eq_ignore_ascii_case("close"));
        if method == "HEAD" || matches!(status, 204 | 304) {
        } else if response.header("transfer-encoding").is_some() {
            response.body = self.chunked(&mut stream, head)?;
        } else if let Some(length) = response.header("content-length") {
            let length: usize = length.parse().map_err(|_| invalid("Content-Length"))?;
            while self.received.len() < head + length {
                self.more(&mut stream)?;
            }
            response.body = self.received[head..head + length].to_vec();
        } else {
            stream.read_to_end(&mut self.received)?;
            response.body = self.received[head..].to_vec();
            closes = true;
        }
        response.finished = Instant::now();
        response.elapsed = response.finished - start;
        if self.connection == Connection::Kept && !closes {
            self.kept = Some(stream);
        }
        Ok(response)
    }

    /// Reads a chunked body, which begins at `at` of what was received.
    fn chunked(&mut self, stream: &mut TcpStream, mut at: usize) -> std::io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let (digits, size) = loop {
                match httparse::parse_chunk_size(&self.received[at..]) {
                    Ok(httparse::Status::Complete(found)) => break found,
                    Ok(httparse::Status::Partial) => self.more(stream)?,
                    Err(_) => return Err(invalid("size of a chunk")),
                }
            };
            let from = at + digits;
            let to = from + usize::try_from(size).map_err(|_| invalid("size of a chunk"))?;
            while self.received.len() < to + 2 {
                self.more(stream)?;
            }
            body.extend_from_slice(&self.received[from..to]);
            at = to + 2;
            if size == 0 {
                return Ok(body);
            }
        }
    }

    fn more(&mut self, stream: &mut TcpStream) -> std::io::Result<()> {
        let before = self.received.len();
        self.received.resize(before + (64 << 10), 0);
        let read = stream.read(&mut self.received[before..]);
        self.received
            .truncate(before + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

type Head = (usize, u16, Vec<(String, String)>);

/// The length, status and headers of a head, once it is complete; an interim one is passed over.
fn parse_head(bytes: &[u8]) -> std::io::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut parsed = httparse::Response::new(&mut headers);
    let status = parsed
        .parse(bytes)
        .map_err(|_| invalid("head of the answer"))?;
    let httparse::Status::Complete(length) = status else {
        return Ok(None);
    };
    let code = parsed.code.unwrap_or(0);
    if code == 100 {
        let rest = parse_head(&bytes[length..])?;
        return Ok(rest.map(|(more, code, headers)| (length + more, code, headers)));
    }
    let owned = |h: &httparse::Header| {
        let value = String::from_utf8_lossy(h.value).into_owned();
        (h.name.to_ascii_lowercase(), value)
    };
    let headers = parsed.headers.iter().map(owned).collect();
    Ok(Some((length, code, headers)))
}

fn invalid(what: &str) -> std::io::Error {
    std::io::Error::new(
        ErrorKind::InvalidData,
        format!("the {what} is not HTTP/1.1"),
    )
}

fn is_closed(error: &std::io::Error) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(
        error.kind(),
        BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// A server that gives `answers`, in pieces of 3 bytes, each on a connection of its own.
    fn serve(answers: &'static [&'static str]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = [0; 4096];
                assert_ne!(stream.read(&mut request).unwrap(), 0);
                for piece in answer.as_bytes().chunks(3) {
                    stream.write_all(piece).unwrap();
                }
            }
        });
        address
    }

    #[test]
    fn bodies_of_all_three_kinds_are_read() {
        let address = serve(&[
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nLocation: /a\r\n\r\nhello",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\n\r\nhello",
        ]);
        // Kept connections that were closed are made again.
        let mut client = Client::new(&address, Connection::Kept);
        for status in [200, 201, 404] {
            let found = client.send("GET", "/", &[("Accept", "a/b")], b"").unwrap();
            assert_eq!(
                (found.status, found.body.as_slice()),
                (status, &b"hello"[..])
            );
            let location = (status == 200).then_some("/a");
            assert_eq!(found.header("location"), location);
        }
    }

    #[test]
    fn a_broken_answer_is_an_error() {
        let address = serve(&[
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            "SSH-2.0\r\n\r\n",
        ]);
        let mut client = Client::new(&address, Connection::New);
        for _ in 0..3 {
            client.send("PUT", "/", &[], b"x").unwrap_err();
        }
    }
}
