"""The independent reader and the engine agree on the stock, and the reader can disagree."""

import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool_files import HEADER, DamageError, crc32c, frames, read_segment
from read_pool import replay, summary

from assay.system import tools

ENGINE = Path(__file__).resolve().parent.parent
ITEMS = ["gold:40:1", "silver:300:5", "bronze:unlimited:10", "a:b:20:3", "rare:0:7"]
SEGMENT = "wal-0000000000000000.seg"


@pytest.fixture(scope="session")
def rpool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the command of the engine."""
    tools.provide({"go": ["the reader's tests"]})
    binary = tmp_path_factory.mktemp("bin") / "rpool"
    subprocess.run(
        ["go", "build", "-o", binary, "./cmd/rpool"],
        cwd=ENGINE,
        env={**os.environ, "CGO_ENABLED": "0"},
        check=True,
    )
    return binary


class Pool:
    """A pool in a directory, driven by the command."""

    def __init__(self, rpool: Path, folder: Path, *flags: str) -> None:
        self.rpool, self.folder = rpool, folder
        items = [part for item in ITEMS for part in ("--item", item)]
        self.call("init", "--seed", "7", *items, *flags)

    def call(self, verb: str, *flags: str) -> str:
        """Run a verb and return what it prints."""
        command = [str(self.rpool), verb, "--dir", str(self.folder), *flags]
        done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
        return done.stdout

    def state(self) -> dict[str, object]:
        """Return what the engine says of the stock."""
        state = json.loads(self.call("state", "--json"))
        return {key: state[key] for key in ("items", "draws", "lsn")}

    def life(self, durability: str) -> None:
        """Draw, restock, draw again."""
        self.call("draw", "--count", "60", "--batch", "1", "--durability", durability)
        self.call("update", "--item", "gold", "--add", "15", "--weight", "9")
        self.call("update", "--item", "rare", "--quantity", "12")
        self.call("draw", "--count", "150", "--batch", "32", "--durability", durability)
        self.call("draw", "--request", "01900000000070008000000000000001")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """Return a directory for pools, whose large segments do not outlive the test."""
    yield tmp_path
    shutil.rmtree(tmp_path)


@pytest.mark.parametrize(
    ("durability", "law"),
    [
        ("none", "class"),
        ("mmap", "class"),
        ("file", "unit"),
        ("group", "unit"),
        ("each", "class"),
        ("relaxed", "class"),
    ],
)
def test_agrees_with_the_engine(rpool: Path, home: Path, law: str, durability: str) -> None:
    pool = Pool(rpool, home / "pool", "--law", law, "--window", "2")
    pool.life(durability)
    assert summary(*replay(pool.folder)) == pool.state()
    pool.call("snapshot")
    pool.call("draw", "--count", "20", "--batch", "3")
    assert summary(*replay(pool.folder)) == pool.state()


def test_command_prints_the_summary(rpool: Path, home: Path) -> None:
    pool = Pool(rpool, home / "pool", "--rng", "wyrand")
    pool.life("group")
    reader = [sys.executable, str(Path(__file__).parent / "read_pool.py"), str(pool.folder)]
    printed = subprocess.run(reader, check=True, capture_output=True, text=True).stdout
    assert json.loads(printed) == pool.state()


def test_checksum_is_castagnoli() -> None:
    assert crc32c(b"123456789") == 0xE3069283


@pytest.fixture
def pool(rpool: Path, home: Path) -> Pool:
    """Return a pool with some history."""
    pool = Pool(rpool, home / "pool")
    pool.life("group")
    return pool


def spoil(path: Path, at: int, data: bytes) -> None:
    """Overwrite bytes of a file."""
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def test_torn_tail_is_left_out(pool: Pool) -> None:
    segment = read_segment(pool.folder / SEGMENT)
    *_, (at, last) = frames(segment)
    spoil(segment.path, at + last.size, b"\x40\0\0\0garbage")
    assert summary(*replay(pool.folder)) == pool.state()


def test_damage_before_durable_frames_is_refused(pool: Pool) -> None:
    spoil(pool.folder / SEGMENT, HEADER + 12, b"\xff")
    with pytest.raises(DamageError, match="durable events"):
        replay(pool.folder)


def test_damage_of_the_header_is_refused(pool: Pool) -> None:
    spoil(pool.folder / SEGMENT, 40, b"\x01")
    with pytest.raises(DamageError, match="checksum of the header"):
        replay(pool.folder)


@pytest.mark.parametrize(("at", "why"), [(40, "header"), (140, "block"), (50, "header")])
def test_damage_of_a_snapshot_is_refused(pool: Pool, at: int, why: str) -> None:
    spoil(pool.folder / "snap-0000000000000000.snap", at, b"\xff")
    with pytest.raises(DamageError, match=f"checksum of the {why}"):
        replay(pool.folder)


def test_lost_events_are_refused(pool: Pool) -> None:
    segment, mark = pool.folder / SEGMENT, pool.folder / "wal.mark"
    older = segment.read_bytes()
    pool.call("draw", "--count", "9", "--durability", "file")
    whole = segment.read_bytes()
    segment.write_bytes(older)
    with pytest.raises(DamageError, match="the log ends at LSN"):
        replay(pool.folder)
    segment.unlink()
    with pytest.raises(DamageError, match="number 1 is missing"):
        replay(pool.folder)
    segment.write_bytes(whole)
    assert summary(*replay(pool.folder)) == pool.state()
    mark.unlink()
    with pytest.raises(DamageError, match=r"no wal\.mark"):
        replay(pool.folder)


def forge(folder: Path, item: int) -> None:
    """Append a draw with a right checksum that the engine did not make."""
    segment = read_segment(folder / SEGMENT)
    *_, (at, last) = frames(segment)
    body = struct.pack("<3I", 0xD1 | item << 8, last.lsn + last.events, 0)
    spoil(segment.path, at + last.size, body + struct.pack("<I", crc32c(segment.salt + body)))


def test_stock_below_zero_is_refused(pool: Pool) -> None:
    pool.call("update", "--item", "gold", "--quantity", "1")
    forge(pool.folder, 0)
    assert replay(pool.folder)[0].items[0].quantity == 0
    forge(pool.folder, 0)
    with pytest.raises(DamageError, match="drawn without stock"):
        replay(pool.folder)


def test_snapshot_that_contradicts_the_log_is_refused(pool: Pool) -> None:
    other = pool.folder.with_name("other")
    shutil.copytree(pool.folder, other)
    pool.call("draw", "--count", "9")
    pool.call("snapshot")
    newest = max(pool.folder.glob("snap-*.snap"))
    for _ in range(9):  # the same pool with another outcome
        forge(other, 2)
    shutil.copy(newest, other)
    with pytest.raises(DamageError, match=newest.name):
        replay(other)
