"""What a report can say of its numbers, in a form that arithmetic can test."""

from dataclasses import dataclass


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
