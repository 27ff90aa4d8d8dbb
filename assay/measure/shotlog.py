"""The raw file of a session, `shots.jsonl`: one JSON object a line, to which lines are appended.

A line ends with a line feed and with nothing else: other characters that end a line in Unicode may
stand in what a shot printed.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


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
