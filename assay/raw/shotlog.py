"""Reading and writing the raw files of a session; their types are in `assay/raw/records.py`.

`shots.jsonl` holds one JSON object a line, and lines are appended to it.

A line ends with a line feed and with nothing else: other characters that end a line in Unicode may
stand in what a shot printed.

The last field of a line, `chain`, is a hash of the line and of the `chain` before it; the first
goes on from a hash of the files beside it. So an accident and an edit are found. Who edits and
makes the chain anew is not: there is no key.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from assay.raw import layout
from assay.raw.records import Line, Measured, Plan, Planned, Stopped
from assay.system import files

VERSION = 3
"""Of plans and raw data. Raised when a shot is run in another way that its plan does not tell, or
when a field of a line in `shots.jsonl` changes its meaning: then all is measured again.

1: the first. 2: a planned shot tells the metrics that it prints, each as its manifest has it.
3: each block has seeds of its own, and cells with exact counters run twice in the first one.
"""


FILLED = ("argv", "env")
"""Of a planned shot what its line has otherwise: with the placeholders filled."""

AGAIN = "move the folder away to measure again"

_BEGIN, _END = b', "chain": "', b'"}\n'
"""What is before a line's hash and after it."""

_DIGITS = 16


def key(plan: Plan) -> str:
    """The hash of a plan: 16 hex digits over the canonical JSON of all that decides the shots.

    The study's settings are in it by what they select. The reason why an engine is refused is left
    out: it quotes what was printed, with times and paths, so the same failure never reads the same.
    So is the hash of the hot files: the hash of the sources, which hold them, is in it.
    So is what was left out: it has no shots.
    """
    rest = _without(plan, "key", "settings", "left_out")
    rest["engines"] = {
        name: _without(engine, "hot_hash") | {"reason": ""}
        for name, engine in plan["engines"].items()
    }
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _without(record: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}


def plan(path: Path, advice: str = AGAIN) -> Plan:
    """The plan in the file `path`.

    Raises ValueError, with what to do, for one of another version, and for one that is not what its
    key says.
    """
    session_plan: Plan = files.read_json(path)
    if session_plan["version"] != VERSION:
        raise ValueError(
            f"{path}: version: expected {VERSION}, found {session_plan['version']}; read it by the"
            f" commit that measured it, which is in {layout.ORIGIN}, or {advice}"
        )
    if session_plan["key"] != key(session_plan):
        wanted = f"expected {key(session_plan)} of such a plan, found {session_plan['key']}"
        raise ValueError(f"{path}: key: {wanted}; {advice}")
    return session_plan


def read(path: Path) -> Iterator[Line]:
    """The whole lines; a torn last one is passed over. A file that is not there has none.

    Raises ValueError for a line that is not as it was written, or does not follow the one before.
    """
    if not path.exists():
        return
    link = _first(path.parent)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                record: Line = json.loads(line)
            except ValueError as error:
                problem = f"{path}: line {number}: expected JSON, found {error}"
                raise ValueError(f"{problem}; {AGAIN}") from error
            body = line[: -len(_BEGIN) - _DIGITS - len(_END)]
            link = _link(link, body)
            if line != _linked(body, link):
                wanted = "the line, those before it and the files beside it as they were written"
                raise ValueError(f"{path}: line {number}: expected {wanted}, found others; {AGAIN}")
            yield record


def last(path: Path) -> str:
    """The `chain` that the next line of the file goes on from."""
    link = _first(path.parent)
    for line in read(path):
        link = line["chain"]
    return link


def append(out: IO[bytes], line: Measured, link: str) -> str:
    """Write a line that follows the one whose `chain` is `link`; gives its own."""
    body = json.dumps(line, ensure_ascii=False).encode()[:-1]
    link = _link(link, body)
    out.write(_linked(body, link))
    out.flush()
    os.fsync(out.fileno())
    return link


def _first(folder: Path) -> str:
    """Of the files that a session writes before its lines."""
    paths = [folder / name for name in (layout.PLAN, layout.MACHINE, layout.ORIGIN)]
    hashes = [hashlib.sha256(p.read_bytes()).hexdigest() if p.exists() else "" for p in paths]
    return _link("", "\n".join(hashes).encode())


def _link(link: str, body: bytes) -> str:
    return hashlib.sha256(link.encode() + body).hexdigest()[:_DIGITS]


def _linked(body: bytes, link: str) -> bytes:
    return body + _BEGIN + link.encode() + _END


def cut_torn_line(path: Path) -> None:
    """Cut the line that a killed run did not finish."""
    if path.exists():
        content = path.read_bytes()
        os.truncate(path, content.rfind(b"\n") + 1)


def stop(folder: Path, blocks: int, reason: str) -> None:
    """Note that the session in `folder` ended, and why: its first `blocks` blocks are wanted."""
    files.write_json(folder / layout.STOPPED, Stopped(blocks=blocks, reason=reason))


def forget_stop(folder: Path) -> None:
    """The session in `folder` goes on."""
    (folder / layout.STOPPED).unlink(missing_ok=True)


def stopped(folder: Path, plan: Plan) -> Stopped:
    """How many blocks the session in `folder` has, and why not all of the plan's; or empty."""
    path = folder / layout.STOPPED
    whole = Stopped(blocks=plan["blocks"], reason="")
    ending: Stopped = files.read_json(path) if path.exists() else whole
    return ending


def wanted(folder: Path, plan: Plan) -> list[Planned]:
    """The shots that the session in `folder` is to have: of the plan, or up to where it ended."""
    blocks = stopped(folder, plan)["blocks"]
    return [shot for shot in plan["shots"] if shot["block"] < blocks]
