"""What hostile clients do with TLS and HTTP/2."""

import random
import socket
import ssl
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from hostile import Attack, connect, reset

HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
"""How a handshake begins."""
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, CONTINUATION = 0, 1, 3, 4, 6, 9
END_STREAM, END_HEADERS = 1, 4


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for the loopback and its key, made by openssl."""
    folder.mkdir()
    files = folder / "cert.pem", folder / "key.pem"
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=h"
    words += f" -addext subjectAltName=IP:127.0.0.1 -out {files[0]} -keyout {files[1]}"
    subprocess.run(["openssl", *words.split()], check=True, capture_output=True)
    return files


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + payload


def asks(stream: int, path: bytes, flags: int = END_STREAM | END_HEADERS) -> bytes:
    """A GET, or with other flags the beginning of one."""
    block = b"\x82\x87\x04" + bytes([len(path)]) + path + b"\x01\x01h"
    return frame(HEADERS, flags, stream, block)


def puts(stream: int) -> bytes:
    """The head of a PUT."""
    path, kind = b"/ldp/hostile", b"text/turtle"
    block = b"\x02\x03PUT\x87\x04" + bytes([len(path)]) + path + b"\x01\x01h"
    block += b"\x0f\x10" + bytes([len(kind)]) + kind
    return frame(HEADERS, END_HEADERS, stream, block)


def http2(port: int, settings: bytes = b"", receive: int = 0) -> ssl.SSLSocket:
    """A connection after its preface."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    client = context.wrap_socket(connect(port, receive))
    client.sendall(PREFACE + frame(SETTINGS, 0, 0, settings))
    return client


def silent(port: int, chance: random.Random) -> None:
    clients = [connect(port) for _ in range(50)]
    for client in clients:
        client.sendall(HELLO[: chance.randrange(len(HELLO) + 1)])
    time.sleep(chance.random())


def no_tls(port: int, chance: random.Random) -> None:
    client = connect(port)
    start = chance.choice([b"GET /ldp HTTP/1.1\r\nhost: h\r\n\r\n", PREFACE, HELLO, b""])
    client.sendall(start + chance.randbytes(10_000))
    client.recv(65536)


def left_after_hello(port: int, chance: random.Random) -> None:
    client = http2(port)
    chance.choice([reset, socket.socket.close])(client)


def idle_http2(port: int, _: random.Random) -> None:
    clients = [http2(port) for _ in range(20)]
    time.sleep(1)
    del clients


def reset_flood(port: int, _: random.Random) -> None:
    client = http2(port)
    for start in range(1, 40_000, 2_000):
        streams = range(start, start + 2_000, 2)
        gone = b"\0\0\0\x08"
        client.sendall(b"".join(asks(i, b"/ldp") + frame(RST_STREAM, 0, i, gone) for i in streams))


def too_many_streams(port: int, _: random.Random) -> None:
    client = http2(port)
    client.sendall(b"".join(asks(i, b"/ldp/fcr:events") for i in range(1, 2_000, 2)))
    time.sleep(0.5)


def nothing_taken(port: int, chance: random.Random) -> None:
    """Hardly room for any answer, in the windows or in the socket."""
    window = b"\0\x04\0\0\0" + bytes([chance.randrange(2)])
    client = http2(port, window) if chance.random() < 0.5 else http2(port, receive=4096)
    client.sendall(b"".join(asks(i, b"/ldp") for i in range(1, 200, 2)))
    time.sleep(1)


def endless_head(port: int, _: random.Random) -> None:
    client = http2(port)
    client.sendall(asks(1, b"/ldp", END_STREAM))
    for _i in range(2_000):
        client.sendall(frame(CONTINUATION, 0, 1, b"\x00\x01a\x7f\x81\x00" + b"b" * 256) * 10)


def long_head(port: int, _: random.Random) -> None:
    """Names that the server remembers, said again and again."""
    client = http2(port)
    remembered = b"\x40\x01a\x7f\x81\x1e" + b"b" * 4000
    for stream in range(1, 200, 2):
        more = frame(CONTINUATION, END_HEADERS, stream, remembered + b"\xbe" * 10_000)
        client.sendall(asks(stream, b"/ldp", END_STREAM) + more)


def control_flood(port: int, chance: random.Random) -> None:
    client = http2(port, receive=4096)
    pieces = [frame(PING, 0, 0, b"12345678"), frame(SETTINGS, 0, 0), frame(DATA, 0, 1)]
    piece = chance.choice(pieces)
    for _ in range(200):
        client.sendall(piece * 1_000)


def unfinished_http2(port: int, _: random.Random) -> None:
    client = http2(port)
    streams = range(1, 200, 2)
    client.sendall(b"".join(map(puts, streams)))
    for _i in range(4):
        client.sendall(b"".join(frame(DATA, 0, i, b" " * 2_000) for i in streams))
    time.sleep(0.5)


def garbage_http2(port: int, chance: random.Random) -> None:
    client = http2(port)
    for _ in range(20):
        kind, flags, stream = (chance.randrange(below) for below in (12, 256, 8))
        client.sendall(frame(kind, flags, stream, chance.randbytes(chance.randrange(64))))
    with suppress(OSError):
        client.recv(65536)


ATTACKS: list[Attack] = [
    silent,
    no_tls,
    left_after_hello,
    idle_http2,
    reset_flood,
    too_many_streams,
    nothing_taken,
    endless_head,
    long_head,
    control_flood,
    unfinished_http2,
    garbage_http2,
]
