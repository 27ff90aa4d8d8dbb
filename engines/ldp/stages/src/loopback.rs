//! HTTP over the loopback interface with nothing behind it: what any server pays for a request.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use crate::Result;

const ANSWER: &[u8] = b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// A server that reads each request and answers it. It ends with the process.
pub fn serve() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming() {
            // A request that fails is seen by who sent it.
            let _ = stream.and_then(answer);
        }
    });
    Ok(address)
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut received = Vec::new();
    let mut part = vec![0; 64 << 10];
    while !is_whole(&received) {
        let count = stream.read(&mut part)?;
        if count == 0 {
            return Ok(());
        }
        received.extend_from_slice(&part[..count]);
    }
    stream.write_all(ANSWER)
}

/// Whether a request has come with its whole body.
fn is_whole(request: &[u8]) -> bool {
    const NAME: &str = "Content-Length: ";
    let Some(head) = request.windows(4).position(|four| four == b"\r\n\r\n") else {
        return false;
    };
    let text = String::from_utf8_lossy(&request[..head]);
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix(NAME)?.parse().ok());
    request.len() >= head + 4 + length.unwrap_or(0)
}

/// Sends one PUT on a connection of its own and reads the answer.
pub fn put(address: SocketAddr, body: &str) -> Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let head = format!(
        "PUT /ldp/a/b HTTP/1.1\r\nHost: {address}\r\nContent-Type: text/turtle\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all([head.as_bytes(), body.as_bytes()].concat().as_slice())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    if answer != ANSWER {
        return Err("the loopback server gave another answer".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered_when_they_are_whole() {
        let address = serve().unwrap();
        for length in [0, 1, 20_000, 200_000] {
            put(address, &"x".repeat(length)).unwrap();
        }
        let request = b"PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab";
        assert!(!is_whole(request));
        assert!(is_whole(&[request, &b"c"[..]].concat()));
    }
}
