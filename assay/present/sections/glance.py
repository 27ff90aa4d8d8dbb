"""At a glance: every comparison in time, a line an engine, on an axis with the reference at 1."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from assay.present.kit import marks, style
from assay.present.kit.canvas import NARROW, NoData, Plate, Point
from assay.present.kit.evidence import Evidence
from assay.present.kit.forest import bare, scale_to
from assay.present.kit.marks import Estimate
from assay.present.kit.quantities import TIMES, ratio
from assay.present.kit.style import Look
from assay.present.sections.findings import CONCLUSIVE, effect_of, where
from assay.tables.rows import Row, records

LANE = 0.27  # inches
AXIS = "time over that of the reference engine"
CAPTION = (
    "A mark is a comparison, a line its interval; a hollow one is too close to call. Right of 1 "
    "the reference engine is ahead, left of it the other."
)


@dataclass(frozen=True)
class Mark:
    """A ratio, whether it is conclusive, and where it was measured."""

    effect: Estimate
    conclusive: bool
    at: str


@dataclass(frozen=True)
class Lane:
    """The comparisons with one engine, or of one subsystem."""

    label: str
    look: Look
    marks: Sequence[Mark]


def mark(evidence: Evidence, row: Row) -> Mark:
    """A row of `ratios`."""
    return Mark(effect_of(row), row["verdict"] in CONCLUSIVE, place(evidence, row))


def place(evidence: Evidence, row: Row) -> str:
    """Where a cell was measured: its workload, its scale, its variant in words."""
    return f"{evidence.title(row['workload'])}; {where(evidence, row)}"


def lanes(evidence: Evidence) -> list[Lane]:
    """A lane a peer, in the order of the subsystem: what is raced in time, by the median."""
    rows = evidence.raced()
    rows = rows[rows["metric"] == "time"]
    by_engine: Mapping[str, list[Mark]] = {name: [] for name in evidence.subsystem.engines}
    for row in records(rows):
        by_engine[row["engine"]].append(mark(evidence, row))
    return [
        Lane(*evidence.subsystem.shown(name), marks) for name, marks in by_engine.items() if marks
    ]


def plate(evidence: Evidence) -> Plate | NoData:
    """The lanes of a session."""
    return drawn(lanes(evidence))


def drawn(shown: Sequence[Lane], axis: str = AXIS, caption: str = CAPTION) -> Plate | NoData:
    """The lanes below each other, each with its range at the right."""
    if not shown:
        return NoData("nothing was compared with the reference engine")

    def draw(width: float) -> Figure:
        figure = Figure(figsize=(width, LANE * len(shown) + 0.75), layout="constrained")
        axes = figure.subplots()
        lanes = {-LANE * (i + 0.5): lane for i, lane in enumerate(shown)}
        for y, lane in lanes.items():
            _draw(axes, y, lane)
        bare(axes, -LANE * len(shown))
        ends = [v for lane in shown for mark in lane.marks for v in mark.effect.known]
        scale_to(axes, ends, width, most=0 if width > NARROW else 3)
        marks.name_lanes(axes, {y: lane.label for y, lane in lanes.items()}, width)
        axes.set_xlabel(axis)
        return figure

    total = sum(len(lane.marks) for lane in shown)
    said = f"Ratios, logarithmic: {axis}; {total} comparisons in {len(shown)} lanes"
    data = [
        Point(
            "", lane.label, mark.at, mark.effect.median, TIMES, mark.effect.low, mark.effect.high,
            mark.effect.n, "" if mark.conclusive else "hollow",
        )
        for lane in shown
        for mark in lane.marks
    ]  # fmt: skip
    return Plate(draw, said, caption, data, False)


def _draw(axes: Axes, y: float, lane: Lane) -> None:
    axes.axhline(y, color=style.BAND, alpha=0.35, linewidth=0.5, zorder=0)
    for mark in lane.marks:
        effect, color = mark.effect, lane.look.color
        if not isnan(effect.low):
            axes.plot([effect.low, effect.high], [y, y], color=color, linewidth=1.1)
        face = color if mark.conclusive else style.PAPER
        axes.plot(
            [effect.median], [y], lane.look.marker, color=color, markersize=5, zorder=3,
            markerfacecolor=face, markeredgecolor=color, markeredgewidth=0.9,
        )  # fmt: skip
    axes.annotate(
        _range(lane), (1, y), (6, 0), xycoords=("axes fraction", "data"),
        textcoords="offset points", va="center", fontsize=8,
    )  # fmt: skip


def _range(lane: Lane) -> str:
    medians = sorted(mark.effect.median for mark in lane.marks)
    low, high = ratio(medians[0]), ratio(medians[-1])
    return low if low == high else f"{low} to {high}"
