"""What the published reports say of their own tables: data/published/statements/<subsystem>.yaml.

`assay.published.slips` holds each statement against the tables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from assay.inputs.validation import check, read_yaml


@dataclass(frozen=True)
class Number:
    """A published number: the end of its section's name, its row, its column."""

    section: str
    row: str
    column: str


@dataclass(frozen=True)
class Factor:
    """A statement that the product of `over` divided by that of `under` lies in low..high.

    A plain number is one that the text itself quotes, in SI base units.
    """

    subsystem: str
    says: str
    over: tuple[Number | float, ...]
    under: tuple[Number | float, ...]
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """A statement about a column of a figure over its argument.

    Rows of the series are named `<series>, <argument>`.
    """

    subsystem: str
    says: str
    section: str
    series: str
    column: str


@dataclass(frozen=True)
class Pair:
    """Two numbers that differ when they measure what their rows say."""

    subsystem: str
    says: str
    one: Number
    other: Number


@dataclass(frozen=True)
class Statements:
    """What one report says: of factors, of growth that is linear, of no trend, of two numbers."""

    factors: tuple[Factor, ...]
    lines: tuple[Curve, ...]
    no_trends: tuple[Curve, ...]
    pairs: tuple[Pair, ...]


def load(path: Path) -> Statements:
    """The statements in file `path`, which has the name of the subsystem.

    Raises ConfigurationError with a line for each problem.
    """
    value = read_yaml(path)
    check(value, "statements", path)
    subsystem = path.stem

    def curves(key: str) -> tuple[Curve, ...]:
        return tuple(Curve(subsystem, **curve) for curve in value.get(key, []))

    return Statements(
        tuple(_factor(subsystem, factor) for factor in value.get("factors", [])),
        curves("lines"),
        curves("no_trends"),
        tuple(
            Pair(subsystem, pair["says"], Number(*pair["one"]), Number(*pair["other"]))
            for pair in value.get("pairs", [])
        ),
    )


def _factor(subsystem: str, value: Mapping[str, Any]) -> Factor:
    low, high = value.get("within", (value.get("above", 0), value.get("below", inf)))
    over, under = (_numbers(value.get(side, [])) for side in ("over", "under"))
    return Factor(subsystem, value["says"], over, under, low, high)


def _numbers(value: Sequence[Any]) -> tuple[Number | float, ...]:
    return tuple(Number(*number) if isinstance(number, list) else number for number in value)
