"""The files of a reward pool, read as FORMAT.md describes them. Shares no code with the engine."""

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

VERSION = 2
BLOCK = 65_536
HEADER = 4_096
SHORT = 0xD1
DRAWS, REQUEST, UPDATE, ADD, RETIRE, SNAPSHOT, SEAL = 1, 2, 3, 4, 5, 6, 8


class DamageError(Exception):
    """The files do not follow the format or contradict each other."""


def crc_table() -> tuple[int, ...]:
    """Table of the CRC-32 of Castagnoli."""
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return tuple(table)


CRC_TABLE = crc_table()


def crc32c(data: bytes) -> int:
    """CRC-32 of Castagnoli."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


@dataclass
class Item:
    """An entry of the catalog; its index is its place in the list."""

    id: bytes
    quantity: int
    weight: int
    retired: bool = False


@dataclass
class State:
    """What a snapshot says, or what follows from one and the log."""

    items: list[Item]
    draws: int
    requests: dict[bytes, int]  # outcomes, oldest first
    window: int


@dataclass(frozen=True)
class Snapshot:
    """A verified snapshot file."""

    path: Path
    uuid: bytes
    lsn: int
    logged: bool  # by a durability mode that has a log
    state: State


@dataclass(frozen=True)
class Frame:
    """A verified frame."""

    type: int
    flags: int
    events: int
    lsn: int
    durable: int  # events it knows to be durable
    size: int
    checksum: int
    payload: bytes


@dataclass
class Segment:
    """A segment with a verified header."""

    path: Path
    data: bytes
    uuid: bytes
    number: int
    lsn: int
    durable: int
    previous_seal: int
    salt: bytes = field(init=False)

    def __post_init__(self) -> None:
        self.salt = self.uuid + struct.pack("<Q", self.number)


@dataclass(frozen=True)
class Mark:
    """What the log had durable once."""

    uuid: bytes
    lsn: int
    number: int


class Fields:
    """Fields of a byte string, one behind the other."""

    def __init__(self, data: bytes, what: str) -> None:
        self.data, self.what, self.at = data, what, 0

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        if self.at + size > len(self.data):
            raise DamageError(f"{self.what}: ends at byte {len(self.data)}, needs {size} more")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, size: int, *, signed: bool = False) -> int:
        """Return the next bytes as a little-endian integer."""
        return int.from_bytes(self.take(size), "little", signed=signed)

    def name(self) -> bytes:
        """Return the next id."""
        return self.take(self.number(1))

    def end(self) -> None:
        """Require that nothing but zeros is left."""
        if any(self.data[self.at :]):
            raise DamageError(f"{self.what}: {len(self.data) - self.at} bytes too many")


def read_state(data: bytes, what: str) -> State:
    """Parse the canonical encoding of a state."""
    fields = Fields(data, what)
    require(fields.take(8) == b"RPSTATE1", what, "no state of version 1")
    law, rng, _selection = fields.take(3)
    draws = fields.number(8)
    fields.take(4 + 1 + (48, 8)[rng])
    items = []
    for _ in range(fields.number(4)):
        name, flags = fields.name(), fields.number(1)
        items.append(Item(name, fields.number(8, signed=True), fields.number(8), bool(flags & 1)))
        if law == 1 and flags & 2:
            fields.take(8)  # quantity when listed
    window, remembered = fields.number(4), fields.number(4)
    fields.take(1 + 8)
    requests = {fields.take(16): fields.number(4) for _ in range(remembered)}
    require(len(requests) == remembered, what, "a request id twice")
    require(fields.at == len(data), what, f"{len(data) - fields.at} bytes too many")
    return State(items, draws, requests, window)


def read_snapshot(path: Path) -> Snapshot:
    """Verify and parse a snapshot."""
    data = path.read_bytes()
    what = path.name
    require(len(data) >= 128 and data[:8] == b"RPSNAP\x01\n", what, "no snapshot")
    require(crc32c(data[:124]) == number_at(data, 124, 4), what, "checksum of the header")
    require(number_at(data, 8, 4) == VERSION, what, f"version {number_at(data, 8, 4)}")
    uuid, lsn, length = data[16:32], number_at(data, 32, 8), number_at(data, 40, 8)
    require(path.name == f"snap-{lsn:016x}.snap", what, f"is of LSN {lsn}")
    state = bytearray()
    at = 128
    while len(state) < length:
        size = min(BLOCK, length - len(state))
        block = data[at : at + size]
        require(
            crc32c(data[16:40] + block) == number_at(data, at + size, 4),
            what,
            f"checksum of the block at byte {at}",
        )
        state += block
        at += size + 4
    require(at == len(data), what, f"{len(data)} bytes, expected {at}")
    require(hashlib.sha256(state).digest() == data[48:80], what, "SHA-256 of the state")
    return Snapshot(path, uuid, lsn, data[80] > 0, read_state(bytes(state), what))


def read_segment(path: Path) -> Segment:
    """Verify the header of a segment."""
    data = path.read_bytes()
    what = path.name
    require(len(data) >= HEADER and data[:8] == b"RPWAL\0\x01\n", what, "no segment")
    require(crc32c(data[:64]) == number_at(data, 64, 4), what, "checksum of the header")
    version, flags, previous_seal = struct.unpack_from("<HHI", data, 8)
    number, lsn, durable, size = struct.unpack_from("<4Q", data, 32)
    require(version == VERSION and flags == 0, what, f"version {version}, flags {flags}")
    require(size == len(data) and size % HEADER == 0, what, f"{len(data)} bytes, expected {size}")
    require(path.name == f"wal-{lsn:016x}.seg", what, f"is of LSN {lsn}")
    return Segment(path, data, data[16:32], number, lsn, durable, previous_seal)


def read_mark(folder: Path) -> Mark:
    """Verify the mark of the log and return its newer slot."""
    what = "wal.mark"
    require((folder / what).is_file(), str(folder), f"no {what}")
    data = (folder / what).read_bytes()
    require(len(data) == 2 * HEADER, what, f"{len(data)} bytes")
    slots = [slot for slot in (data[:HEADER], data[HEADER:]) if slot[:8] == b"WALMARK\n"]
    good = [slot for slot in slots if crc32c(slot[:64]) == number_at(slot, 64, 4)]
    require(bool(good), what, "no slot that verifies")
    newer = max(good, key=lambda slot: number_at(slot, 33, 7))
    require(newer[32] == 1, what, f"version {newer[32]}")
    return Mark(newer[16:32], number_at(newer, 40, 8), number_at(newer, 48, 8))


def read_frame(segment: Segment, at: int, lsn: int | None) -> Frame | None:
    """Return the frame at a byte of a segment, if it is valid; with any LSN if that is None."""
    data = segment.data
    if at + 16 > len(data):
        return None
    if data[at] == SHORT:
        item, low, back, checksum = struct.unpack_from("<4I", data, at)
        expected = low if lsn is None else lsn
        if low != expected & 0xFFFFFFFF or crc32c(segment.salt + data[at : at + 12]) != checksum:
            return None
        payload = (item >> 8).to_bytes(4, "little")
        return Frame(DRAWS, 4, 1, expected, expected - back, 16, checksum, payload)
    if at + 32 > len(data):
        return None
    size, checksum, kind, flags, zero, events, found, back = struct.unpack_from(
        "<IIBBHIQI", data, at
    )
    if not 32 <= size <= 8 << 20 or size % 8 or at + size > len(data):
        return None
    body = data[at + 8 : at + size]
    if lsn not in (None, found) or crc32c(segment.salt + data[at : at + 4] + body) != checksum:
        return None
    require(zero == 0, where(segment, at), "reserved bytes")
    return Frame(kind, flags, events, found, found - back, size, checksum, body[20:])


def frames(segment: Segment) -> Iterator[tuple[int, Frame]]:
    """Yield the frames of a segment and where they are, as far as they are valid."""
    at, lsn = HEADER, segment.lsn
    while frame := read_frame(segment, at, lsn):
        yield at, frame
        at += frame.size
        lsn += frame.events
        if frame.type == SEAL:
            return


def largest_claim(segment: Segment, start: int) -> int:
    """Return the largest durable LSN that valid frames from a byte on know of."""
    rest = segment.data[start:]
    claim = 0
    for at in range(start, start + len(rest.rstrip(b"\0")), 8):
        if frame := read_frame(segment, at, None):
            claim = max(claim, frame.durable)
    return claim


def require(condition: bool, what: str, why: str) -> None:
    """Raise DamageError unless the condition holds."""
    if not condition:
        raise DamageError(f"{what}: {why}")


def number_at(data: bytes, at: int, size: int) -> int:
    """Return the little-endian integer at a byte."""
    return int.from_bytes(data[at : at + size], "little")


def where(segment: Segment, at: int) -> str:
    """Name a byte of a segment."""
    return f"{segment.path.name}, byte {at}"
