"""What an operation cannot do without, part by part, beside what is reached.

The parts are the variants of workload `floor`, timed one by one in the same session.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

from assay.inputs import bounds
from assay.inputs.variant import variant_keys
from assay.present.kit import tables
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import quantity
from assay.present.kit.tables import Column, Html, number, ratio, table, text, value
from assay.tables.rows import Row, pick, records


@dataclass(frozen=True)
class Bounds:
    """How the bounds of a subsystem are shown.

    `first` are the columns of what each is about; `caption` says of what the medians are.
    """

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
    shown = evidence.subsystem.bounds
    if not shown:
        return Html("")
    cell = ("workload", "variant", "metric")
    labels = {
        tuple(pick(vars(bound), cell).values()): bound.label
        for bound in bounds.load(evidence.folder.name)
    }
    found = records(evidence.quotients[evidence.quotients["kind"] == "bound"])
    rows = [_row(row, labels.get(tuple(pick(row, cell).values()), "")) for row in found]
    columns = [
        *shown.first,
        text("parts of the bound", "over"),
        value("reached", "median", "s"),
        value("bound", "base", "s"),
        ratio("reached / bound"),
        text("why none", "why"),
    ]
    return table(rows, columns, f"Reached, beside the bound: medians {shown.caption}")


def _row(row: Row, label: str) -> Row:
    """What is reached and its bound, which is none when the parts alone took longer."""
    undercut = row["median"] < row["base"]
    return {
        **row,
        **variant_keys(row["variant"]),
        **dict.fromkeys(("ci_low", "ci_high"), nan),
        "label": label,
        "base": nan if undercut else row["base"],
        "why": f"alone these parts took {quantity(row['base'], 's')}" if undercut else "",
    }
