"""Builds and gates that passed, kept by content outside the checkout, in the user's cache.

An entry is a folder `builds/<subsystem>/<engine>/<key>/`. In it lie `made/`, which the build filled
and nobody changes afterwards, its outcome `build.json`, and `verify-<key>.json` for each gate that
passed. `build.json` is written last and holds a hash of `made/`: a folder without it, or with
another content, is no entry and is made again. `cargo/<subsystem>/` is what cargo compiled and may
use again. `stores/<node>/<subsystem>/<engine>/<key>/` is what shots of that build make once and
read often, on one node: those of a cluster may share the cache, and measure at the same time.

One lock a folder: shared by those who use it, alone for who makes or removes it.
"""

import fcntl
import hashlib
import os
import platform
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.system import files

LIMIT = 20 * 10**9
"""Bytes that the store may hold. What was not used for the longest time goes first."""

MADE = "made"
BUILD = "build.json"

Facts = dict[str, Any]


@dataclass(frozen=True)
class Kept:
    """A folder of the store, of any of the three kinds. `used` is a time since the epoch."""

    path: Path
    bytes: int
    used: float


def home() -> Path:
    """Where the store is: $ASSAY_CACHE, or `assay` in the user's cache directory."""
    if place := os.environ.get("ASSAY_CACHE"):
        return Path(place).resolve()
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache).resolve() / "assay"


def take(name: str, key: str, make: Callable[[Path, int], Facts]) -> tuple[Facts, Path | None]:
    """The outcome of a build, and its entry; `make` is called when there is none or it is damaged.

    `make` gets the folder to fill, which is empty and stays where it is, and the descriptor of the
    lock, which its processes should inherit: what a killed build left behind keeps the entry locked
    until it ends. A build whose outcome is not "ok" is not kept and has no entry.
    """
    entry = home() / "builds" / name / key
    with _locked(entry, fcntl.LOCK_SH):
        if (facts := _outcome(entry)) is not None:
            return facts, entry
    with _locked(entry, fcntl.LOCK_EX) as lock:
        if (facts := _outcome(entry)) is not None:  # another process made it in the meantime
            return facts, entry
        _remove(entry)
        made = entry / MADE
        made.mkdir(parents=True)
        facts = make(made, lock)
        if facts["status"] != "ok":
            _remove(entry)
            return facts, None
        _protect(made)
        content, size = _content(made)
        facts |= {"content": content, "bytes": size}
        files.write_json(entry / BUILD, facts)
    return facts, entry


def check(entry: Path, key: str, gate: Callable[[], Facts]) -> tuple[Facts, Path | None]:
    """The outcome of a gate, and where it is kept; `gate` is called when it did not yet pass.

    A gate that changed the build has failed.
    """
    record = entry / f"verify-{key}.json"
    with _locked(entry, fcntl.LOCK_SH), _locked(record, fcntl.LOCK_EX):
        try:
            kept: Facts = files.read_json(record)
            return kept, record
        except (FileNotFoundError, ValueError):
            pass
        facts = gate()
        if _outcome(entry) is None:
            facts |= {"status": "failed", "reason": f"the gate changed the build in {entry / MADE}"}
        if facts["status"] != "ok":
            return facts, None
        files.write_json(record, facts)
        return facts, record


@contextmanager
def cargo(subsystem: str) -> Iterator[Path]:
    """The folder in which cargo compiles what engines of a subsystem have in common."""
    folder = home() / "cargo" / subsystem
    with _locked(folder, fcntl.LOCK_SH):
        yield folder


def shared(entry: Path) -> Path:
    """Where the shots of a build keep what they share, in all sessions of this node."""
    return home() / "stores" / platform.node() / entry.relative_to(home() / "builds")


@contextmanager
def using(entries: list[Path]) -> Iterator[None]:
    """Keep entries, and what their shots share, from being removed.

    ValueError when one is not as it was made.

    Such a one is no entry any more, so that the next run makes it again.
    """
    with ExitStack() as stack:
        for entry in entries:
            stack.enter_context(_locked(entry, fcntl.LOCK_SH))
            stack.enter_context(_locked(shared(entry), fcntl.LOCK_SH))
            if _outcome(entry) is None:
                (entry / BUILD).unlink(missing_ok=True)
                raise ValueError(
                    f"{entry}: expected a build as it was made, found none; start the study again"
                )
        yield


def kept() -> list[Kept]:
    """What the store holds, by the time of its last use."""
    kinds = ("builds/*/*/*/", "cargo/*/", "stores/*/*/*/*/")
    folders = (path for kind in kinds for path in home().glob(kind))
    return sorted(map(_kept, folders), key=lambda each: each.used)


def bound(limit: int = LIMIT) -> list[Kept]:
    """Remove what was not used for the longest time until the rest fits into `limit` bytes.

    What is in use stays. Returns what was removed.
    """
    removed = []
    held = kept()
    excess = sum(each.bytes for each in held) - limit
    for each in held:
        if excess <= 0:
            break
        with _free(each.path) as free:
            if free:
                _remove(each.path)
                removed.append(each)
                excess -= each.bytes
    return removed


def _kept(path: Path) -> Kept:
    facts = _record(path)
    size = facts["bytes"] if facts else _size(path)
    return Kept(path, size, _lock_path(path).stat().st_mtime if _lock_path(path).exists() else 0.0)


def _record(entry: Path) -> Facts | None:
    try:
        facts = files.read_json(entry / BUILD)
    except (OSError, ValueError):
        return None
    return facts if isinstance(facts, dict) and "bytes" in facts else None


def _outcome(entry: Path) -> Facts | None:
    """The outcome of a complete entry that is as it was made."""
    facts = _record(entry)
    if facts is None:
        return None
    if facts.get("content") != _content(entry / MADE)[0]:
        print(f"{entry}: the build is not as it was made", flush=True)
        return None
    return facts


def _size(folder: Path) -> int:
    """Bytes below a folder in which others may work: what goes meanwhile is passed over."""
    size = 0
    for at, folders, names in os.walk(folder):
        for name in [*folders, *names]:
            with suppress(FileNotFoundError):
                size += 512 * Path(at, name).lstat().st_blocks
    return size


def _content(folder: Path) -> tuple[str, int]:
    """A hash of names, modes, links and contents below a folder, and their size in bytes.

    It holds the place, because virtual environments do. Python's own cache is left out: Python
    writes it where it may, whoever runs it.
    """
    digest = hashlib.sha256(str(folder).encode())
    size = 0
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted([*folders, *names]):
            path = Path(at, name)
            status = path.lstat()
            size += 512 * status.st_blocks
            what = ""
            if stat.S_ISLNK(status.st_mode):
                what = str(path.readlink())
            elif stat.S_ISREG(status.st_mode):
                with path.open("rb") as file:
                    what = hashlib.file_digest(file, "sha256").hexdigest()
            kind = stat.S_IFMT(status.st_mode) | status.st_mode & stat.S_IXUSR
            digest.update(f"\n{path.relative_to(folder)}\0{kind:o}\0{what}".encode())
    return digest.hexdigest(), size


def _protect(folder: Path) -> None:
    for at, _, names in os.walk(folder):
        for path in [Path(at), *(Path(at, name) for name in names)]:
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & ~0o222)


def _remove(folder: Path) -> None:
    (folder / BUILD).unlink(missing_ok=True)  # first: what is left of a removal is no entry
    if folder.exists():
        for at, folders, _ in os.walk(folder):
            for name in folders:
                path = Path(at, name)
                if not path.is_symlink():
                    path.chmod(0o700)
        shutil.rmtree(folder)


def _lock_path(path: Path) -> Path:
    """Beside what it locks it would go with it, and a lock that goes is none."""
    return home() / "locks" / ".".join(path.relative_to(home()).parts)


@contextmanager
def _locked(path: Path, how: int) -> Iterator[int]:
    """Hold the lock of a folder or file of the store. When it was last locked is its last use."""
    with _lock(path) as descriptor:
        if not _taken(descriptor, how):
            print(f"Waiting for another process that uses {path}", flush=True)
            fcntl.flock(descriptor, how)
        os.utime(descriptor)
        yield descriptor


@contextmanager
def _free(path: Path) -> Iterator[bool]:
    """Whether nobody uses a folder of the store; then nobody does until this ends."""
    with _lock(path) as descriptor:
        yield _taken(descriptor, fcntl.LOCK_EX)


@contextmanager
def _lock(path: Path) -> Iterator[int]:
    lock = _lock_path(path)
    lock.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _taken(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
