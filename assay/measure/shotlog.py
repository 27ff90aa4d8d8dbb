"""The raw files of a session: `plan.json`; `shots.jsonl`, one JSON object a line, to which lines
are appended; and `stopped.json`, where a rule ended the session before its plan did.

A line ends with a line feed and with nothing else: other characters that end a line in Unicode may
stand in what a shot printed.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay import files

VERSION = 2
"""Of plans and raw data. Raised when a shot is run in another way that its plan does not tell, or
when a field of a line in `shots.jsonl` changes its meaning: then all is measured again."""


def plan(folder: Path) -> dict[str, Any]:
    """The plan of the session in `folder`. Raises ValueError for one of another version."""
    path = folder / "plan.json"
    found: dict[str, Any] = files.read_json(path)
    if found["version"] != VERSION:
        raise ValueError(
            f"{path}: version: expected {VERSION}, found {found['version']}; read it by the commit"
            " that measured it, which is in origin.json, or move the folder away and measure again"
        )
    return found


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines; a torn last one is passed over. A file that is not there has none.

    Raises ValueError for a line that is not JSON.
    """
    if not path.exists():
        return
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                yield json.loads(line)
            except ValueError as error:
                problem = f"{path}: line {number}: expected JSON, found {error}"
                raise ValueError(f"{problem}; move the file away to measure again") from error


def cut_torn_line(path: Path) -> None:
    """Cut the line that a killed run did not finish."""
    if path.exists():
        content = path.read_bytes()
        os.truncate(path, content.rfind(b"\n") + 1)


def stop(folder: Path, blocks: int, reason: str) -> None:
    """Note that the session in `folder` ended after `blocks` whole blocks, and why."""
    files.write_json(folder / "stopped.json", {"blocks": blocks, "reason": reason})


def stopped(folder: Path, plan: Mapping[str, Any]) -> tuple[int, str]:
    """How many blocks the session in `folder` has, and why not all of the plan's; or empty."""
    if not (folder / "stopped.json").exists():
        return plan["blocks"], ""
    facts = files.read_json(folder / "stopped.json")
    return facts["blocks"], facts["reason"]


def wanted(folder: Path, plan: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The shots that the session in `folder` is to have: of the plan, or up to where it ended."""
    blocks, _ = stopped(folder, plan)
    return [shot for shot in plan["shots"] if shot["block"] < blocks]
