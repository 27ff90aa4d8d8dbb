"""What every parser returns, and the error of every parser."""

from typing import NamedTuple


class Record(NamedTuple):
    """A printed value: the metric's native name, its iteration in the shot from 0, the value.

    A time is the mean of so many `repeats`, where the harness counts them.
    """

    metric: str
    iteration: int
    value: float
    repeats: float = 1.0


class ParseError(ValueError):
    """A line (from 1) that a parser does not understand, and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason
