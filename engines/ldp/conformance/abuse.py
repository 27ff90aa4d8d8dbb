"""Hostile clients of `ldp serve`: `abuse.py LDP FOLDER SECONDS SOON`.

For SECONDS, a minute at most, they do nothing but ask, which has a bound far below that of all. For
SECONDS they drip, cut, pipeline, nest, flood, reset, send without an end, do not read, leave their
queries, all at once; the receiver of changes is not there, and the kernel gives the server no more
memory than its bound. For SECONDS they do the like with TLS and HTTP/2; clients beside them have
their right answers within SOON seconds. Then a server with few descriptors gets more clients
than it can hold, and one gets a disk that is full for a while. Memory stays below its bound and is
given back, what was acknowledged is there after the end, and SIGTERM ends each server with 0.
Everything is on loopback.
"""

import http.client
import itertools
import os
import random
import resource
import socket
import ssl
import string
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import abuse_tls
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

MAX_BODY = 4 * MIB
MAX_BODIES = 32 * MIB
QUERY_MEMORY = 64 * MIB
QUERIES = 4
"""Of which there are as many patches."""
WRITES = 256 * MIB + 10 * MAX_BODY
"""Of those that wait for the index, or are brought there."""
PAGES = 512 * MIB
"""Of the index in change, which are kept."""


@dataclass(frozen=True)
class Bounds:
    """What the README says that the server may take, and what may be left without clients."""

    taken: int
    left: int
    connections: int = 300
    connection: int = MIB

    @property
    def memory(self) -> int:
        return self.taken + self.connections * self.connection


EVALUATIONS = 2 * QUERIES * QUERY_MEMORY
BODIES = MAX_BODIES + 50 * MAX_BODY
ALL = Bounds(BODIES + EVALUATIONS + WRITES + PAGES, 256 * MIB + PAGES)
WITH_TLS = replace(ALL, connection=4 * MIB)
ASKED = Bounds(EVALUATIONS + WRITES, 256 * MIB, connections=100)
"""Within a minute small writes only wait for the index."""


def request(line: str, kind: str, body: bytes, length: int | None = None) -> bytes:
    length = len(body) if length is None else length
    head = f"{line} HTTP/1.1\r\nhost: a\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n"
    return head.encode() + body


def put(body: bytes, length: int | None = None) -> bytes:
    return request("PUT /ldp/hostile", "text/turtle", body, length)


def query(text: str) -> bytes:
    return request("POST /query/sparql", "application/sparql-query", text.encode())


def literal(size: int) -> bytes:
    return b'<> <urn:p> "' + b"x" * size + b'" .'


CHUNKED = (
    b"PUT /ldp/hostile HTTP/1.1\r\nhost: a\r\ncontent-type: text/turtle\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)
PRODUCT = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o"
DEPTH = 20_000
PATTERNS = [
    opening * DEPTH + middle + closing * DEPTH
    for opening, middle, closing in [
        ("{", "", "}"),
        ("FILTER(", "true", ")"),
        ("OPTIONAL {", "", "}"),
        ("?s ?p [ ?q ", "1", "] ."),
        ("FILTER NOT EXISTS {", "", "}"),
        ("?s ?p (", "1", ") ."),
        ("{ SELECT * {", "", "} }"),
        ("FILTER(1" + "+1" * 50, "", ")"),
    ]
]
RDF = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='urn:'>"
NESTED = {
    "text/turtle": [
        f"<> <urn:p> {opening * DEPTH} 1 {closing * DEPTH} ."
        for opening, closing in [
            ("(", ")"),
            ("[ <urn:q> ", "]"),
            ("( 1 [ <urn:q> ", "])"),
            ("(", ""),
        ]
    ],
    "application/rdf+xml": [
        f"{RDF}{opening * DEPTH}{closing * DEPTH}</rdf:RDF>"
        for opening, closing in [
            ("<a><b>", "</b></a>"),
            ("<a><b rdf:parseType='Collection'>", "</b></a>"),
            ("<a><b rdf:parseType='Literal'>", "</b></a>"),
            ("<a>", ""),
        ]
    ],
    "application/ld+json": [
        opening * DEPTH + "1" + closing * DEPTH
        for opening, closing in [
            ('{"urn:a":', "}"),
            ('{"urn:a":{"@list":[', "]}}"),
            ("[", "]"),
            ('{"@graph":[', "]}"),
            ('{"@context":{"t":{"@id":"urn:t","@context":', "}}}"),
        ]
    ],
    "application/sparql-query": [f"ASK {{ {pattern} }}" for pattern in PATTERNS],
    "application/sparql-update": [
        *(f"DELETE {{ ?s ?p ?o }} WHERE {{ {pattern} }}" for pattern in PATTERNS),
        *(
            f"INSERT DATA {{ <> <urn:p> {opening * DEPTH} 1 {closing * DEPTH} }}"
            for opening, closing in [("(", ")"), ("[ <urn:q> ", "]"), ("(", "")]
        ),
    ],
}
SENT = {
    "application/sparql-query": "POST /query/sparql",
    "application/sparql-update": "PATCH /ldp",
}
"""How what is nested is sent, unless by PUT."""


LETTERS = string.ascii_letters.encode()
OBJECTS = b",".join(
    b"p:" + bytes(name) for name in itertools.islice(itertools.product(LETTERS, repeat=4), MIB // 2)
)
OBJECTS += b" ."


# --- the attacks ---


def dripping(port: int, chance: random.Random) -> None:
    starts = [b"GET /ldp HTTP/1.1\r\nx: ", CHUNKED + b"2;", put(b"", MIB), b"GET /l"]
    clients = [connect(port) for _ in range(20)]
    for client in clients:
        client.sendall(chance.choice(starts))
    for _ in range(40):
        time.sleep(0.05)
        for client in clients:
            with suppress(OSError):
                client.sendall(b"a")


def partial(port: int, chance: random.Random) -> None:
    whole = chance.choice([put(literal(1000)), put(literal(MIB)), query(f"ASK {{ {PRODUCT} }}")])
    client = connect(port)
    client.sendall(whole[: chance.randrange(len(whole))])
    chance.choice([reset, socket.socket.close])(client)


def pipelined(port: int, chance: random.Random) -> None:
    requests = put(literal(10)) * 20 + b"GET /ldp HTTP/1.1\r\nhost: a\r\n\r\n" * 20
    client = connect(port)
    cut = chance.randrange(len(requests))
    client.sendall(requests[:cut])
    time.sleep(0.01)
    client.sendall(requests[cut:] + b"GET /ldp")
    client.recv(chance.randrange(1, 10_000))
    reset(client)


def oversized(port: int, chance: random.Random) -> None:
    requests = [
        b"GET /ldp/" + b"a" * 10_000 + b" HTTP/1.1\r\nhost: a\r\n\r\n",
        b"GET /ldp HTTP/1.1\r\n" + b"a: b\r\n" * 100_000,
        b"GET /ldp HTTP/1.1\r\na: " + b"b" * MIB,
        put(b"<>", 1 << 40),
        put(b"<>", 1 << 70),
    ]
    too_large(port, chance.choice(requests))


def endless(port: int, chance: random.Random) -> None:
    starts = [CHUNKED + b"2;", CHUNKED + b"0\r\nx: ", CHUNKED, b"GET /ldp HTTP/1.1\r\nx: ", b""]
    pieces = [b"a", b"0", b"a: b\r\n", b"1\r\n \r\n", b"\r\n"]
    pour(port, chance.choice(starts), chance.choice(pieces) * 10_000)


def nested(port: int, chance: random.Random) -> None:
    kind = chance.choice(list(NESTED))
    body = chance.choice(NESTED[kind])
    line = SENT.get(kind, "PUT /ldp/nested")
    client = connect(port)
    client.sendall(request(line, kind, body.encode()))
    status = client.recv(65536).split(b" ")[1]
    if status[:1] not in b"24" and status != b"503":
        raise AssertionError(f"{body[:40]} was answered with {status!r}")


def garbage(port: int, chance: random.Random) -> None:
    client = connect(port)
    client.sendall(chance.choice([b"", b"GET ", put(b"", 10_000)]) + chance.randbytes(10_000))
    client.recv(65536)


def unfinished(port: int, _: random.Random) -> None:
    clients = [connect(port) for _ in range(24)]
    for client in clients:
        client.sendall(put(b"", MAX_BODY))
    for _ in range(3):
        for client in clients:
            with suppress(OSError):
                client.sendall(b" " * MIB)
    time.sleep(0.5)


def dense(port: int, chance: random.Random) -> None:
    """What takes most memory for its length."""
    bodies = [b"<> <urn:p> (" + b" 1" * MIB + b") .", b"<> <urn:p> []" + b",[]" * MIB + b" ."]
    clients = [connect(port) for _ in range(4)]
    for client in clients:
        client.sendall(put(chance.choice(bodies)))
    for client in clients:
        client.recv(65536)


def many(port: int, chance: random.Random) -> None:
    """What takes most of the index for its length: objects that no document had before."""
    client = connect(port)
    client.sendall(put(b"@prefix p: <urn:%d:> . <> <urn:p> " % chance.getrandbits(64) + OBJECTS))
    client.recv(65536)


def unread(port: int, _: random.Random) -> None:
    clients = [connect(port, receive=4096) for _ in range(QUERIES)]
    for client in clients:
        client.sendall(query(f"SELECT * {{ {PRODUCT} }}"))
    time.sleep(1)


def left(port: int, chance: random.Random) -> None:
    clients = [connect(port) for _ in range(50)]
    for client in clients:
        client.sendall(query(f"SELECT (COUNT(*) AS ?n) {{ {PRODUCT} }}"))
    time.sleep(chance.random())


def hungry(port: int, _: random.Random) -> None:
    """Evaluations that keep all that they find, and tell nothing of it before they end."""
    found = f"{{ SELECT DISTINCT * {{ {PRODUCT} }} }}"
    patch = f"INSERT {{ <> <urn:p> ?a }} WHERE {found}"
    evaluations = [
        query(f"SELECT (COUNT(*) AS ?n) {found}"),
        query(f"SELECT * {{ {PRODUCT} }} ORDER BY ?c ?a"),
        request("PATCH /ldp/wide", "application/sparql-update", patch.encode()),
    ]
    wide = b"<> <urn:p> " + b", ".join(b"%d" % number for number in range(50)) + b" ."
    clients = [connect(port) for _ in evaluations]
    clients[0].sendall(request("PUT /ldp/wide", "text/turtle", wide))
    clients[0].recv(65536)
    for client, evaluation in zip(clients, evaluations, strict=True):
        client.sendall(evaluation)
    for client in clients:
        client.recv(65536)


def followers(port: int, _: random.Random) -> None:
    clients = [connect(port, receive=4096) for _ in range(20)]
    for client in clients:
        client.sendall(b"GET /ldp/fcr:events HTTP/1.1\r\nhost: a\r\n\r\n")
    time.sleep(0.5)


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
    dense,
    many,
    unread,
    left,
    hungry,
    followers,
    idle,
]
EVALUATED: list[Attack] = [hungry] * (2 * QUERIES) + [unread, left]


# --- those beside them ---


class Steady:
    """A client that writes small resources, and reads each again at once."""

    def __init__(
        self,
        port: int,
        name: str,
        keep: bool,
        soon: float = PATIENCE,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.port, self.name, self.keep = port, name, keep
        self.soon, self.context = soon, context
        self.acknowledged: list[str] = []
        self.slowest = 0.0
        self.again = 0  # how often it had to ask anew
        self.connection = self.new()

    def new(self) -> http.client.HTTPConnection:
        if self.context:
            at, context = "127.0.0.1", self.context
            return http.client.HTTPSConnection(at, self.port, timeout=PATIENCE, context=context)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, method: str, path: str, body: str | None = None) -> tuple[int, str]:
        started = time.monotonic()
        if not self.keep:
            self.connection.close()
        while True:
            try:
                self.connection.request(method, path, body, {"content-type": "text/turtle"})
                answer = self.connection.getresponse()
                break
            except (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected):
                # It was idle for a moment and made room, or found none: all others were busy.
                self.connection.close()
                self.again += 1
                if time.monotonic() - started > PATIENCE:
                    raise
        text = answer.read().decode()
        took = time.monotonic() - started
        if took > self.soon:
            raise AssertionError(f"{method} {path} took {took:.1f} s")
        self.slowest = max(self.slowest, took)
        return answer.status, text

    def holds(self, path: str) -> None:
        status, text = self.ask("GET", path)
        if status != 200 or f'"{path}"' not in text:
            raise AssertionError(f"GET {path} gave {status}: {text[:200]}")

    def once(self) -> None:
        path = f"/ldp/{self.name}-{len(self.acknowledged)}"
        status, text = self.ask("PUT", path, f'<> <urn:p> "{path}" .')
        if status != 201:
            raise AssertionError(f"PUT {path} gave {status}: {text[:200]}")
        self.acknowledged.append(path)
        self.holds(path)
        time.sleep(0.005)

    def all_there(self) -> None:
        for path in self.acknowledged:
            self.holds(path)


@contextmanager
def started(
    words: list[str], descriptors: int = 4096, enter: Callable[[], None] = lambda: None
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server that listens, and where; its process calls `enter` first."""

    def limit() -> None:
        enter()
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=limit)
    assert process.stdout
    try:
        told = process.stdout.readline()
        if not told.startswith("listening on "):
            sys.exit(f"{' '.join(words)} told {told!r}")
        yield process, int(told.rsplit(":", 1)[1])
    finally:
        process.kill()
        process.wait()


def together(
    words: list[str],
    attacks: list[Attack],
    seconds: float,
    soon: float,
    bounds: Bounds,
    context: ssl.SSLContext | None = None,
) -> None:
    """All attacks at once; what was acknowledged is there after another start."""
    bounded = [*words, "--max-body", str(MAX_BODY), "--max-bodies", str(MAX_BODIES)]
    bounded += ["--max-queries", str(QUERIES), "--query-memory", str(QUERY_MEMORY)]
    bounded += ["--max-connections", str(bounds.connections), "--head-time", "3"]
    bounded += ["--body-time", "3", "--webhook", "http://127.0.0.1:1/"]
    with small_memory(bounds.memory) as enter, started(bounded, enter=enter) as (server, port):
        steady = [Steady(port, name, name == "kept", soon, context) for name in ("kept", "new")]
        memory = Memory(server.pid, "RssAnon", bounds.memory, bounds.left)
        under_attack(port, attacks, {each.name: each.once for each in steady}, memory, seconds)
        for each in steady:
            count = len(each.acknowledged)
            print(
                f"{each.name}: {count} written and read, the slowest took {each.slowest:.3f} s, "
                f"asked {each.again} times anew"
            )
        ends(server, port, attacks)
    with started(words) as (server, port):
        for client in steady:
            client.port = port
            client.connection = client.new()
            client.all_there()
        ends(server)


def secured(words: list[str], folder: Path, seconds: float, soon: float) -> None:
    """The same with TLS and HTTP/2."""
    certificate, key = abuse_tls.certificate(folder)
    words = [*words, "--tls-cert", str(certificate), "--tls-key", str(key)]
    context = ssl.create_default_context(cafile=certificate)
    together(words, abuse_tls.ATTACKS, seconds, soon, WITH_TLS, context)


def crowded(words: list[str]) -> None:
    """More clients than descriptors."""
    with started(words, descriptors=80) as (server, port):
        steady = Steady(port, "crowded", keep=False)
        steady.once()
        clients = [connect(port) for _ in range(100)]
        for _ in range(10):
            steady.once()
        for client in clients:
            client.close()
        steady.all_there()
        ends(server)


def held(words: list[str]) -> None:
    """More clients that follow events, or that take nothing of an answer, than connections."""
    most = 40
    with started([*words, "--max-connections", str(most), "--body-time", "1"]) as (server, port):
        steady = Steady(port, "held", keep=False)
        steady.once()
        large = {"content-type": "text/plain"}
        steady.connection.request("PUT", "/ldp/large", b"x" * (16 * MIB), large)
        steady.connection.getresponse().read()

        def ask(path: str) -> list[socket.socket]:
            clients = [connect(port, receive=4096) for _ in range(2 * most)]
            for client in clients:
                with suppress(OSError):  # it found no room
                    client.sendall(f"GET {path} HTTP/1.1\r\nhost: a\r\n\r\n".encode())
            return clients

        followers = ask("/ldp/fcr:events")
        for _ in range(10):
            steady.once()
        unread = ask("/ldp/large")
        until = time.monotonic() + PATIENCE
        while True:
            try:
                steady.all_there()
                break
            except OSError as error:
                if time.monotonic() > until:
                    sys.exit(f"clients that take nothing keep all others out: {error}")
                time.sleep(0.1)
        for client in followers + unread:
            client.close()
        ends(server)


FILE_SYSTEMS = {
    "tmpfs": "mount -t tmpfs -o size=80m none {at}",
    "ext4": "truncate -s 80M {at}.img; mkfs.ext4 -q {at}.img; mount -o loop {at}.img {at}",
}


def isolated() -> list[str]:
    """What runs a command among mounts of its own."""
    if os.getuid():
        return ["unshare", "--user", "--map-root-user", "--mount"]
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    # The root of a chroot is no mount, so it has nothing that could be made private.
    is_mount = any(line.split()[4] == "/" for line in mounts)
    return ["unshare", "--mount", *([] if is_mount else ["--propagation", "unchanged"])]


def full(program: str, folder: Path, kind: str) -> None:
    """A disk that is full, and then not."""
    at = folder / kind
    at.mkdir()
    mount = FILE_SYSTEMS[kind].format(at=at)
    tried = subprocess.run([*isolated(), "sh", "-ec", mount], capture_output=True, text=True)
    if tried.returncode != 0:
        print(f"a full {kind} was not tried: {tried.stderr.strip().splitlines()[-1:]}")
        return
    serve = 'head -c 40000000 /dev/zero > "$1/ballast"; shift; exec "$@"'
    words = [program, "serve", "--listen", "127.0.0.1:0", "--data", str(at / "data")]
    with started([*isolated(), "sh", "-ec", f"{mount}; {serve}", "sh", str(at), *words]) as (
        server,
        port,
    ):
        client = Steady(port, "full", keep=True)
        number = 0

        def write() -> int:
            nonlocal number
            number += 1
            path = f"/ldp/full-{number}"
            filler = random.Random(number).randbytes(20_000).hex()
            status, text = client.ask("PUT", path, f'<> <urn:p> "{path}", "{filler}" .')
            if status == 201:
                client.acknowledged.append(path)
            elif status not in (503, 507):
                raise AssertionError(f"PUT {path} gave {status}: {text[:200]}")
            return status

        while write() == 201:
            pass
        refusals = {write() for _ in range(5)}
        if refusals != {507}:
            sys.exit(f"a full {kind} was answered with {refusals}, not with 507 alone")
        if (health := client.ask("GET", "/health"))[0] != 507:
            sys.exit(f"a full {kind} is healthy: {health}")
        client.all_there()
        (Path(f"/proc/{server.pid}/root") / at.relative_to("/") / "ballast").unlink()
        until = time.monotonic() + 2 * PATIENCE
        while (status := write()) != 201:
            if time.monotonic() > until:
                sys.exit(f"with space again, {kind}: {status}")
            time.sleep(0.1)
        client.all_there()
        if (health := client.ask("GET", "/health"))[0] != 200:
            sys.exit(f"with space again, {kind}: {health}")
        ends(server)
    print(f"a full {kind}: {len(client.acknowledged)} written")


def main() -> None:
    program, folder = sys.argv[1], Path(sys.argv[2]).resolve()
    seconds, soon = map(float, sys.argv[3:5])
    folder.mkdir()
    words = [program, "serve", "--listen", "127.0.0.1:0", "--data"]
    together([*words, str(folder / "asked")], EVALUATED, min(seconds, 60), soon, ASKED)
    together([*words, str(folder / "together")], ATTACKS, seconds, soon, ALL)
    secured([*words, str(folder / "secured")], folder / "tls", seconds, soon)
    crowded([*words, str(folder / "crowded")])
    held([*words, str(folder / "held")])
    for kind in FILE_SYSTEMS:
        full(program, folder, kind)
    print("served beside all of them")


if __name__ == "__main__":
    main()
