"""Hostile clients of `transcode serve`: `abuse.py TRANSCODE HTTPBENCH SECONDS SOON`.

For SECONDS they drip, cut, pipeline, nest, flood, reset, send without an end and do not read, over
HTTP/1.1 and HTTP/2, all at once; the kernel gives the gateway no more memory than its bound. Then
the server behind stands still, goes and comes back; and a gateway with few descriptors, whose log
cannot be written, gets more clients than it can hold. Clients beside them must have their right
answers, each within SOON seconds, the gateway's memory stays below its bound and comes back, and
SIGTERM ends it with 0. One that has few places gets more silent streams than those; who is new
there waits until they end. Everything is on the loopback.
"""

import http.client
import json
import os
import random
import resource
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hostile import (
    MIB,
    PATIENCE,
    Attack,
    Memory,
    connect,
    ends,
    pour,
    reset,
    small_memory,
    too_large,
    under_attack,
)

DESCRIPTOR = Path(__file__).parents[1] / "testdata/corpus/transcode_gateway.desc"
MAX_MEMORY = 128 * MIB
MAX_BODY = 16 * MIB
CONNECTIONS = 400  # more than there are at a time
RESIDENT = MAX_MEMORY + 5 * MAX_BODY + CONNECTIONS * MIB // 2
"""The bound that the README tells, of one thread."""
IDLE = 96 * MIB
"""What may be resident when all clients have gone: buffers for 32 MiB, and the rest."""


def free_port() -> int:
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        port: int = any_port.getsockname()[1]
        return port


def post(body: bytes, fields: str = "", length: int | None = None) -> bytes:
    length = len(body) if length is None else length
    return (
        "POST /v1/theme HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
        f"{fields}content-length: {length}\r\n\r\n"
    ).encode() + body


CHUNKED = (
    b"POST /v1/theme HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)


def theme(size: int) -> bytes:
    return b'{"name":"' + b"x" * size + b'"}'


# --- HTTP/2 frame by frame ---

DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
GET = bytes.fromhex("828684010161")
POST = bytes.fromhex("8386010161") + b"\x04\x09/v1/theme" + b"\x0f\x10\x10application/json"
LARGE = bytes.fromhex("4001787fa11e") + b"v" * 4000  # enters the table; 0xbe stands for it


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


class Http2:
    """A client that speaks HTTP/2 as told."""

    def __init__(self, port: int, settings: bytes = b"", receive: int = 0) -> None:
        self.socket = connect(port, receive)
        self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0, settings))
        self.received = b""
        while self.read()[0] != SETTINGS:
            pass
        self.socket.sendall(frame(SETTINGS, ACK, 0))
        self.stream = -1

    def read(self) -> tuple[int, int, int, bytes]:
        """The next frame: its type, flags, stream and payload."""

        def take(size: int) -> bytes:
            while len(self.received) < size:
                some = self.socket.recv(65536)
                if not some:
                    raise ConnectionError("the connection has ended")
                self.received += some
            taken, self.received = self.received[:size], self.received[size:]
            return taken

        head = take(9)
        size, kind, flags, stream = struct.unpack(">IBBI", b"\0" + head)
        return kind, flags, stream, take(size)

    def request(self, body: bytes) -> bytes:
        """The body of the answer."""
        self.stream += 2
        self.socket.sendall(
            frame(HEADERS, END_HEADERS, self.stream, POST)
            + frame(DATA, END_STREAM, self.stream, body)
            + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 4096))
        )
        answer = b""
        while True:
            kind, flags, stream, payload = self.read()
            if stream != self.stream:
                continue
            if kind == DATA:
                answer += payload
            if kind in (DATA, HEADERS, RST_STREAM) and flags & END_STREAM:
                return answer


# --- the attacks ---


def dripping(port: int, chance: random.Random) -> None:
    starts = [b"GET / HTTP/1.1\r\nx: ", CHUNKED + b"2;", post(b"", length=1 << 20), PREFACE[:9]]
    clients = [connect(port) for _ in range(20)]
    for client in clients:
        client.sendall(chance.choice(starts))
    for _ in range(40):
        time.sleep(0.05)
        for client in clients:
            with suppress(OSError):
                client.sendall(b"a")


def partial(port: int, chance: random.Random) -> None:
    request = chance.choice([post(theme(1000)), post(theme(MIB)), CHUNKED + b"5\r\n[1,2,\r\n"])
    client = connect(port)
    client.sendall(request[: chance.randrange(len(request))])
    chance.choice([reset, socket.socket.close])(client)


def pipelined(port: int, chance: random.Random) -> None:
    requests = post(theme(10)) * 50
    client = connect(port)
    cut = chance.randrange(len(requests))
    client.sendall(requests[:cut])
    time.sleep(0.01)
    client.sendall(requests[cut:] + b"GET /v1")
    client.recv(chance.randrange(1, 10000))
    reset(client)


def oversized(port: int, chance: random.Random) -> None:
    requests = [
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nhost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 100_000,
        b"GET / HTTP/1.1\r\na: " + b"b" * MIB,
        post(b"{}", length=1 << 40),
        post(b"{}", length=1 << 70),
    ]
    too_large(port, chance.choice(requests))


def endless(port: int, chance: random.Random) -> None:
    starts = [CHUNKED + b"2;", CHUNKED + b"0\r\nx: ", CHUNKED, b"GET / HTTP/1.1\r\nx: ", b""]
    pieces = [b"a", b"0", b"a: b\r\n", b"1\r\n[\r\n", b"\r\n"]
    pour(port, chance.choice(starts), chance.choice(pieces) * 10_000)


def nested(port: int, chance: random.Random) -> None:
    body = chance.choice([b"[" * 100_000, b'{"unknown":' * 50_000, b'{"nested":' * 50_000])
    client = connect(port)
    client.sendall(post(body))
    client.recv(65536)


def garbage(port: int, chance: random.Random) -> None:
    client = connect(port)
    client.sendall(chance.choice([b"", PREFACE, b"GET "]) + chance.randbytes(10_000))
    client.recv(65536)


def unfinished(port: int, _chance: random.Random) -> None:
    clients = [connect(port) for _ in range(24)]
    for client in clients:
        client.sendall(post(b'{"name":"', length=12 * MIB))
    for _ in range(10):
        for client in clients:
            with suppress(OSError):
                client.sendall(b"x" * MIB)
    time.sleep(0.5)


def unread(port: int, _: random.Random) -> None:
    clients = [connect(port, receive=4096) for _ in range(16)]
    for client in clients:
        with suppress(OSError):
            client.sendall(post(theme(8 * MIB)))
    time.sleep(0.5)


def closed_windows(port: int, _chance: random.Random) -> None:
    client = Http2(port, settings=struct.pack(">HI", 4, 0))  # no answer may be sent
    for stream in range(1, 200, 2):
        client.socket.sendall(frame(HEADERS, END_HEADERS, stream, POST))
        client.socket.sendall(frame(DATA, 0, stream, b'{"name":"'))
        for _ in range(30):
            client.socket.sendall(frame(DATA, 0, stream, b"x" * 16_000))
        client.socket.sendall(frame(DATA, END_STREAM, stream, b'"}'))
    time.sleep(0.5)


def references(port: int, _: random.Random) -> None:
    client = Http2(port, receive=4096)
    last = END_HEADERS | END_STREAM
    for stream in range(1, 400, 2):
        block = GET + (LARGE if stream == 1 else b"\xbe" * (16_000 if stream % 20 == 1 else 30))
        client.socket.sendall(frame(HEADERS, last, stream, block))
    time.sleep(0.1)


def floods(port: int, chance: random.Random) -> None:
    def resets(i: int) -> bytes:
        code = b"\0\0\0\x08"
        return frame(HEADERS, END_HEADERS, 2 * i + 1, GET) + frame(RST_STREAM, 0, 2 * i + 1, code)

    def continued(i: int) -> bytes:
        return frame(HEADERS, 0, 1, GET) if i == 0 else frame(CONTINUATION, 0, 1)

    def empty(i: int) -> bytes:
        return frame(HEADERS, END_HEADERS, 1, POST) if i == 0 else frame(DATA, 0, 1)

    kinds: list[Callable[[int], bytes]] = [
        resets,
        continued,
        empty,
        lambda _: frame(PING, 0, 0, b"12345678"),
        lambda _: frame(SETTINGS, 0, 0),
        lambda i: frame(HEADERS, END_HEADERS, 2 * i + 1, POST),
        lambda _: frame(WINDOW_UPDATE, 0, 0, b"\0\0\0\x01"),
        lambda i: frame(2, 0, 2 * i + 1, b"\0\0\0\0\x10"),  # PRIORITY
        lambda _: frame(0xFA, 0, 0),
    ]
    kind = chance.choice(kinds)
    client = Http2(port, receive=4096)
    for start in range(0, 40_000, 1000):
        client.socket.sendall(b"".join(map(kind, range(start, start + 1000))))


def mutated(port: int, chance: random.Random) -> None:
    client = Http2(port)
    frames = b"".join(
        frame(HEADERS, END_HEADERS, stream, POST) + frame(DATA, END_STREAM, stream, theme(100))
        for stream in range(1, 60, 2)
    )
    changed = bytearray(frames)
    for _ in range(chance.randrange(1, 5)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    client.socket.sendall(changed)
    client.socket.recv(65536)
    reset(client.socket)


def idle(port: int, _: random.Random) -> None:
    clients = [connect(port) for _ in range(100)]
    time.sleep(1)
    del clients


ATTACKS: list[Attack] = [
    dripping,
    partial,
    pipelined,
    oversized,
    endless,
    nested,
    garbage,
    unfinished,
    unread,
    closed_windows,
    references,
    floods,
    mutated,
    idle,
]


BIDI = b"POST /v1/bidi HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
STREAMED = b"transfer-encoding: chunked\r\n\r\n1\r\n[\r\n"
PASSED = bytes.fromhex("8386010161") + b"\x04\x06/a.B/C" + b"\x0f\x10\x10application/grpc"
TRAILERS = b'c\r\n{"name":"a"}\r\n1\r\n]\r\n0\r\nx: '


def silent(port: int, chance: random.Random) -> None:
    """Streams that begin and say nothing more, held until the server ends them and longer."""
    second = PREFACE + frame(SETTINGS, 0, 0)
    starts = [
        BIDI + STREAMED,
        BIDI + STREAMED + b"5;",
        BIDI + STREAMED + TRAILERS,
        BIDI + b"content-length: 9\r\n\r\n[",
        second + frame(HEADERS, END_HEADERS, 1, PASSED),
        second,
        b"",
    ]
    clients = [connect(port) for _ in range(5)]
    for client in clients:
        client.sendall(chance.choice(starts))
    for client in clients:
        client.settimeout(3 * PATIENCE)
        while client.recv(65536):
            pass
    time.sleep(2)


# --- those beside them ---


class Steady:
    """Clients that ask for small things, one after the other, and want them right and soon."""

    def __init__(self, port: int, soon: float) -> None:
        self.port, self.soon = port, soon
        self.counts = {"HTTP/1.1": 0, "HTTP/2": 0, "new connections": 0}
        self.slowest = 0.0
        self.kept = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.second = Http2(port)

    def check(self, kind: str, ask: Callable[[bytes], bytes]) -> None:
        body = json.dumps({"name": f"{kind} {self.counts[kind]}"}, separators=(",", ":")).encode()
        started = time.monotonic()
        answer = ask(body)
        took = time.monotonic() - started
        if answer != body:
            raise AssertionError(f"asked {body!r}, got {answer[:200]!r}")
        if took > self.soon:
            raise AssertionError(f"an answer took {took:.1f} s")
        self.slowest = max(self.slowest, took)
        self.counts[kind] += 1
        time.sleep(0.005)

    def over_http1(self, body: bytes) -> bytes:
        self.kept.request("POST", "/v1/theme", body, {"content-type": "application/json"})
        return self.kept.getresponse().read()

    def over_new(self, body: bytes) -> bytes:
        fresh = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        fresh.request("POST", "/v1/theme", body, {"content-type": "application/json"})
        answer = fresh.getresponse().read()
        fresh.close()
        return answer

    def works(self) -> Iterator[tuple[str, Callable[[], None]]]:
        yield "HTTP/1.1", lambda: self.check("HTTP/1.1", self.over_http1)
        yield "HTTP/2", lambda: self.check("HTTP/2", self.second.request)
        yield "new connections", lambda: self.check("new connections", self.over_new)


@contextmanager
def started(
    words: list[str],
    port: int,
    log: str,
    descriptors: int = 4096,
    enter: Callable[[], None] = lambda: None,
) -> Iterator[subprocess.Popen[bytes]]:
    """A server that listens; its process calls `enter` first."""

    def limit() -> None:
        enter()
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    with Path(log).open("wb") as to:
        process = subprocess.Popen(words, stderr=to, stdout=to, preexec_fn=limit)
    try:
        for _ in range(100):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield process
    finally:
        process.kill()
        process.wait()


def together(gateway: subprocess.Popen[bytes], port: int, seconds: float, soon: float) -> None:
    """All attacks at once."""
    steady = Steady(port, soon)
    memory = Memory(gateway.pid, "VmRSS", RESIDENT, IDLE)
    under_attack(port, ATTACKS, dict(steady.works()), memory, seconds)
    print(f"right: {steady.counts}; the slowest took {steady.slowest:.3f} s")


def ask(port: int, fields: dict[str, str], status: int) -> None:
    """Ask until that is the status of the answer."""
    until = time.monotonic() + PATIENCE
    got = 0
    while got != status:
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        client.request("POST", "/v1/theme", b"{}", {"content-type": "application/json"} | fields)
        got = client.getresponse().status
        client.close()
        if got != status and time.monotonic() > until:
            sys.exit(f"the answer is {got}, not {status}")


def behind(port: int, upstream: list[str], upstream_port: int) -> None:
    """The server behind stands still, is killed, and comes back."""
    with started(upstream, upstream_port, os.devnull) as server:
        ask(port, {}, 200)
        server.send_signal(signal.SIGSTOP)
        ask(port, {"grpc-timeout": "200m"}, 504)
        server.send_signal(signal.SIGCONT)
        ask(port, {}, 200)
    ask(port, {}, 503)
    with started(upstream, upstream_port, os.devnull):
        ask(port, {}, 200)


def crowded(words: list[str], port: int, soon: float) -> None:
    """More clients than descriptors, and a log that is full."""
    with started([*words, "--log-requests"], port, "/dev/full", descriptors=64) as gateway:
        steady = Steady(port, soon)
        works = dict(steady.works())
        works["HTTP/1.1"]()
        works["HTTP/2"]()
        clients = [connect(port) for _ in range(100)]
        for _ in range(20):
            works["HTTP/1.1"]()
            works["HTTP/2"]()
        for client in clients:
            client.close()
        works["new connections"]()
        ends(gateway)


def taken(words: list[str], port: int) -> None:
    """More silent streams than there are places."""
    few = ["--max-connections", "8", "--stream-idle", "1s", "--idle", "2s"]
    with started([*words, *few], port, os.devnull) as gateway:
        steady = Steady(port, PATIENCE)
        memory = Memory(gateway.pid, "VmRSS", RESIDENT, IDLE)
        under_attack(port, [silent, silent], dict(steady.works()), memory, PATIENCE)
        print(f"beside silent streams: {steady.counts}; the slowest took {steady.slowest:.3f} s")
        ends(gateway)


def main() -> None:
    program, httpbench = sys.argv[1:3]
    seconds, soon = map(float, sys.argv[3:5])
    upstream_port, port = free_port(), free_port()
    upstream = [httpbench, "echo", "-listen", f"127.0.0.1:{upstream_port}"]
    words = [program, "serve", "--descriptor", str(DESCRIPTOR)]
    words += ["--upstream", f"127.0.0.1:{upstream_port}", "--listen", f"127.0.0.1:{port}"]
    words += ["--max-memory", str(MAX_MEMORY), "--max-body", str(MAX_BODY)]
    with (
        small_memory(RESIDENT) as enter,
        started(words, port, "gateway.log", enter=enter) as gateway,
    ):
        with started(upstream, upstream_port, os.devnull):
            together(gateway, port, seconds, soon)
        behind(port, upstream, upstream_port)
        ends(gateway, port, ATTACKS)
    with started(upstream, upstream_port, os.devnull):
        crowded(words, port, soon)
        taken(words, port)
    print("served beside all of them")


if __name__ == "__main__":
    main()
