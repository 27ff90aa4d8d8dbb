"""What every parser returns, and the error of every parser."""

import math
from typing import NamedTuple


class Record(NamedTuple):
    """A printed value: the metric's native name, its iteration in the shot from 0, the value."""

    metric: str
    iteration: int
    value: float


class ParseError(ValueError):
    """A line (from 1) that a parser does not understand, and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


def number(value: object, line: int, what: str) -> float:
    """`value` as a finite number; text is read as one. Raises ParseError."""
    try:
        result = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        result = math.nan
    if not math.isfinite(result):
        raise ParseError(line, f"{what}: expected a finite number, found {value!r}")
    return result
