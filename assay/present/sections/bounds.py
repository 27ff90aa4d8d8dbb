"""What an operation cannot do without, part by part, beside what is reached.

The parts are the variants of workload `floor`, timed one by one in the same session.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan

from assay.inputs.variant import variant_keys
from assay.present.kit import tables
from assay.present.kit.cells import median
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import digits, quantity
from assay.present.kit.tables import Column, Html, number, over, table, text, value
from assay.tables.rows import Row


@dataclass(frozen=True)
class Bound:
    """A cell of the reference engine, and how often it needs each part.

    `about` is what the first columns of the table show of it. The cell and its parts are looked up
    at `scale`, or each at its largest scale.
    """

    about: Row
    workload: str
    variant: str
    parts: Mapping[str, float]
    metric: str = "time"
    scale: float = nan


@dataclass(frozen=True)
class Bounds:
    """The bounds of a subsystem, and how they are shown.

    `first` are the columns of what each is about; `caption` says of what the medians are.
    """

    of: Callable[[Evidence], Iterable[Bound]]
    first: Sequence[Column]
    caption: str


def parts(evidence: Evidence) -> Html:
    """The time of each part."""
    columns = [
        Column("part", lambda row: variant_keys(row["variant"])["part"], key=True),
        number("scale", "scale"),
        tables.median(),
        number("n", "n"),
        text("note", "note"),
    ]
    rows = tables.ordered(evidence.cells("floor"))
    return table(rows, columns, "Parts of the bounds", lambda row: row["n"] == 0)


def beside(evidence: Evidence) -> Html:
    """What the reference engine reaches, beside the sum of the parts it cannot avoid.

    Where it takes less than they did by themselves, their sum is no bound, and is not shown as one.

    All are medians of one session; the ratio is that of the two shown, without an interval.
    """
    bounds = evidence.subsystem.bounds
    if not bounds:
        return Html("")
    rows = [_row(evidence, bound) for bound in bounds.of(evidence)]
    columns = [
        *bounds.first,
        text("parts of the bound", "parts"),
        value("reached", "reached", "s"),
        value("bound", "bound", "s"),
        over("reached / bound", "reached", "bound"),
        text("why none", "why"),
    ]
    return table(rows, columns, f"Reached, beside the bound: medians {bounds.caption}")


def _row(evidence: Evidence, bound: Bound) -> Row:
    """What is reached and its bound, which is none when the parts alone took longer."""
    reached = _median(evidence, bound.workload, bound.variant, bound.scale, bound.metric)
    least = sum(
        count * _median(evidence, "floor", f"part={part}", bound.scale)
        for part, count in bound.parts.items()
    )
    undercut = reached < least
    return {
        **bound.about,
        "parts": " + ".join(_part(part, count) for part, count in bound.parts.items()),
        "reached": reached,
        "bound": nan if undercut else least,
        "why": f"alone these parts took {quantity(least, 's')}" if undercut else "",
    }


def _median(
    evidence: Evidence, workload: str, variant: str, scale: float, metric: str = "time"
) -> float:
    return median(evidence, workload, metric, scale, engine="reference", variant=variant)


def _part(part: str, count: float) -> str:
    if count == 1:
        return part
    if count < 1:
        return f"{part} / {1 / count:,.0f}"
    return f"{count if count == int(count) else digits(count)} {part}"
