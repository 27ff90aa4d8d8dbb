"""Hostile clients at work: what `conformance/abuse.py` of each server has in common.

A campaign runs all its attacks at once beside clients that must be served, and watches the memory
of the server. The attacks have a process of their own, so that the clients beside them wait for the
server alone.
"""

import ctypes
import multiprocessing
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

MIB = 1 << 20
PATIENCE = 10.0
"""Seconds for whatever may take long because the machine is busy."""

Attack = Callable[[int, random.Random], None]
"""One round against a port; an error of the connection ends it."""


def connect(port: int, receive: int = 0) -> socket.socket:
    """A connection on the loopback, with a receive buffer of so many bytes."""
    client = socket.socket()
    if receive:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    client.settimeout(PATIENCE)
    client.connect(("127.0.0.1", port))
    return client


def reset(client: socket.socket) -> None:
    """End a connection by RST."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def too_large(port: int, sent: bytes) -> None:
    """A request that must be refused for its size, before its end."""
    client = connect(port)
    client.sendall(sent)
    status = client.recv(65536).split(b" ")[1]
    if status not in (b"400", b"413", b"414", b"431"):
        raise AssertionError(f"{sent[:40]!r} was answered with {status!r}")


def pour(port: int, start: bytes, piece: bytes) -> None:
    """The start of a request, and then a piece of it again and again."""
    client = connect(port)
    client.sendall(start)
    for _ in range(200):
        client.sendall(piece)


GROUPS = {
    "/sys/fs/cgroup/memory": "memory.limit_in_bytes",  # of version 1
    "/sys/fs/cgroup": "memory.max",
}
KERNEL = 64 * MIB
"""Bytes that the kernel may take for a server: buffers of sockets, pages of files."""


@contextmanager
def small_memory(bound: int) -> Iterator[Callable[[], None]]:
    """What a process calls to have so many bytes and KERNEL: with more the kernel kills it.

    Where no such group of processes can be made, it says so and does nothing.
    """
    for root, knob in GROUPS.items():
        group = Path(root, f"hostile-{os.getpid()}")
        try:
            group.mkdir()
            (group / knob).write_text(str(bound + KERNEL))
        except OSError:
            with suppress(OSError):
                group.rmdir()
            continue
        try:
            yield partial(_join, group)
        finally:
            group.rmdir()
        return
    print("a small memory was not tried: no group of processes can be limited here")
    yield lambda: None


def _join(group: Path) -> None:
    (group / "cgroup.procs").write_text("0")


def ends(
    process: subprocess.Popen[str] | subprocess.Popen[bytes],
    port: int = 0,
    attacks: Sequence[Attack] = (),
) -> None:
    """SIGTERM ends the server with 0, also while attacks go on."""
    guard = _Guard()
    for seed, one in enumerate(attacks):
        guard.start(one.__name__, partial(_round, one, port, random.Random(seed)))
    time.sleep(1 if attacks else 0)
    process.send_signal(signal.SIGTERM)
    try:
        code = process.wait(timeout=10 + PATIENCE)  # requests may end, and the machine may be busy
    finally:
        guard.wait(0)
    if code != 0:
        sys.exit(f"after SIGTERM the exit code is {code}")


@dataclass(frozen=True)
class Memory:
    """Of a server a field of /proc/PID/status: bytes at most, and when all clients have gone."""

    pid: int
    field: str
    bound: int
    idle: int

    def taken(self) -> int:
        """Bytes."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(f"{self.field}:"):
                return int(line.split()[1]) << 10
        raise AssertionError(f"process {self.pid} is gone")


def under_attack(
    port: int,
    attacks: Sequence[Attack],
    beside: Mapping[str, Callable[[], None]],
    memory: Memory,
    seconds: float,
) -> None:
    """All attacks at once for so long; ends the program with what was wrong first.

    `beside` are the rounds of clients that must be served, by their names.
    """
    spawn = multiprocessing.get_context("spawn")  # a fork would hold the clients' sockets too
    rounds = spawn.RawArray(ctypes.c_uint64, len(attacks))
    attackers = spawn.Process(target=_attack, args=(port, attacks, seconds, rounds), daemon=True)
    guard, peak = _Guard(), 0

    def look() -> None:
        nonlocal peak
        peak = max(peak, memory.taken())
        if peak > memory.bound:
            raise AssertionError(f"{peak // MIB} MiB are taken, more than {memory.bound // MIB}")
        if attackers.exitcode:
            raise AssertionError(f"they ended with {attackers.exitcode}")
        time.sleep(0.02)

    attackers.start()
    guard.start("attacks and memory", look)
    for name, work in beside.items():
        guard.start(name, work)
    guard.wait(seconds)
    attackers.join()
    if attackers.exitcode:
        sys.exit("an attack failed")
    told = ", ".join(f"{n} {one.__name__}" for n, one in zip(rounds, attacks, strict=True))
    print(f"rounds: {told}; {peak // MIB} MiB taken at most, of {memory.bound // MIB}")
    until = time.monotonic() + PATIENCE
    while (left := memory.taken()) > memory.idle:
        if time.monotonic() > until:
            sys.exit(f"{left // MIB} MiB are taken afterwards, expected {memory.idle // MIB}")
        time.sleep(0.1)


def _attack(
    port: int, attacks: Sequence[Attack], seconds: float, rounds: MutableSequence[int]
) -> None:
    """The process of the attacks; counts the rounds of each."""
    os.nice(10)  # elsewhere they would have machines of their own
    guard = _Guard()

    def again(number: int, chance: random.Random) -> None:
        _round(attacks[number], port, chance)
        rounds[number] += 1

    for number, one in enumerate(attacks):
        guard.start(one.__name__, partial(again, number, random.Random(number)))
    guard.wait(seconds)


def _round(attack: Attack, port: int, chance: random.Random) -> None:
    with suppress(OSError, IndexError):  # a connection that ended; no status line
        attack(port, chance)


class _Guard:
    """Work that runs beside others, and the first thing that was wrong."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.wrong: list[str] = []
        self.threads: list[threading.Thread] = []

    def start(self, name: str, work: Callable[[], None]) -> None:
        def run() -> None:
            try:
                while not self.over.is_set() and not self.wrong:
                    work()
            except Exception as error:
                self.wrong.append(f"{name}: {type(error).__name__}: {error}")

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()

    def wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.wrong:
            time.sleep(0.1)
        self.over.set()
        for thread in self.threads:
            thread.join()
        if self.wrong:
            sys.exit("\n".join(self.wrong))
