"""What every harness is to this study, and the error of every parser."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

MOST = 2**20
"""How many characters a harness may print, of which each is kept."""


class Record(NamedTuple):
    """A printed value under the native name of its metric, which may be printed more than once.

    A time is the mean of so many `repeats`, where the harness counts them.
    """

    metric: str
    value: float
    repeats: float = 1.0


class ParseError(ValueError):
    """A line (from 1) that a parser does not understand, and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class Ended(NamedTuple):
    """How a harness ended: its exit code, what it printed, and why it is not ok; or empty."""

    exit_code: int | None
    stdout: str
    stderr: str
    reason: str


def _is_the_command(argv: Sequence[str], exported: Path) -> list[str]:
    return list(argv)


def _prints_its_result(ended: Ended, exported: Path) -> Ended:
    return ended


@dataclass(frozen=True)
class Harness:
    """How a harness runs the command of a shot, where its result is, and what it says.

    `command` gives what is started for an argv, and `output` how that ended, its result as
    `stdout`; both are told a path for what the harness exports. Most harnesses are in the command
    itself and print their result. `parse` reads that; it raises ParseError.
    """

    parse: Callable[[str], list[Record]]
    command: Callable[[Sequence[str], Path], list[str]] = _is_the_command
    output: Callable[[Ended, Path], Ended] = _prints_its_result
