"""A slope chart: the times of two sessions, each cell a line from one to the other."""

from collections.abc import Sequence
from math import log

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from assay.analyse.compare import Comparison
from assay.present.kit import style
from assay.present.kit.canvas import NoData, Plate, Point
from assay.present.kit.quantities import quantity, ratio
from assay.tables.rows import Row

COLORS = {"slower": "#dc1f52", "faster": "#009e73"}
"""Of a line that is a change; all others have the colour of noise."""

NAMED = 6
"""Most lines that have their names beside them: those that changed the most."""

APART = 0.045
"""Least distance of two names, as a share of the height."""


def plate(comparison: Comparison) -> Plate | NoData:
    """The cells that have a time in both sessions, on a logarithmic axis."""
    rows = [row for row in comparison.changes if row["metric"] == "time"]
    if not rows:
        return NoData("no cell has a time in both sessions")
    largest = sorted(
        (row for row in rows if row["verdict"] in COLORS), key=lambda row: -abs(log(row["ratio"]))
    )[:NAMED]

    def draw(width: float) -> Figure:
        figure = Figure(figsize=(width, 4.2), layout="constrained")
        axes = figure.subplots()
        axes.set_yscale("log")
        for row in rows:
            changed = row["verdict"] in COLORS
            axes.plot(
                [0, 1], [row["before"], row["after"]],
                color=COLORS.get(row["verdict"], style.BAND), linewidth=1.6 if changed else 0.7,
                zorder=3 if changed else 2,
            )  # fmt: skip
        axes.set_xlim(0, 1)
        axes.set_xticks([0, 1], ["A", "B"])
        axes.yaxis.set_major_formatter(FuncFormatter(lambda seconds, _: quantity(seconds, "s")))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_ylabel("time")
        low, high = axes.get_ylim()
        shares = [log(row["after"] / low) / log(high / low) for row in largest]
        for row, place in zip(largest, _spread(shares), strict=True):
            axes.annotate(
                _name(row, width), (1, place), (6, 0), xycoords="axes fraction",
                textcoords="offset points", va="center", fontsize=7, color=COLORS[row["verdict"]],
            )  # fmt: skip
        return figure

    counted = {name: sum(row["verdict"] == name for row in rows) for name in COLORS}
    said = ", ".join(f"{count} {name}" for name, count in counted.items())
    return Plate(
        draw,
        f"Slope chart of the times of {len(rows)} cells in A and B: {said}",
        f"The time of each of {len(rows)} cells in A and in B: {said}; grey is within noise or "
        "no inference. Named are those that changed the most, with B / A.",
        [point for row in rows for point in _points(row)],
        False,
    )


def _spread(shares: Sequence[float]) -> list[float]:
    """Places of names beside the ends of their lines, each at least `APART` above the last."""
    places, least = dict[int, float](), 0.0
    for nth in sorted(range(len(shares)), key=lambda nth: shares[nth]):
        places[nth] = least = max(least, shares[nth])
        least += APART
    return [places[nth] for nth in range(len(shares))]


def _name(row: Row, width: float) -> str:
    cell, room = _cell(row), int(width * 6)
    short = cell if len(cell) <= room else f"{cell[: room - 1]}…"
    return f"{short} at {row['scale']:,}: {ratio(row['ratio'])}"


def _cell(row: Row) -> str:
    return ", ".join(filter(None, [row["workload"], row["engine"], row["variant"]]))


def _points(row: Row) -> list[Point]:
    return [
        Point(_cell(row), name, float(row["scale"]), row[column], "s", n=row[f"n_{column}"])
        for name, column in (("A", "before"), ("B", "after"))
    ]
