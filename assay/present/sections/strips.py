"""Strips: all ratios of a workload at a glance, smallest to largest, on the A/A band."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from assay.present.kit import marks, style
from assay.present.kit.canvas import NoData, Plate, Point
from assay.present.kit.evidence import Evidence
from assay.present.kit.forest import LINE, bare, heading, reach, scale_to, wrapped
from assay.present.kit.marks import Estimate
from assay.present.kit.quantities import TIMES, ratio
from assay.present.kit.style import Look
from assay.present.sections.compared import by_block

LANE, HEAD = 0.1, 0.2  # inches


@dataclass(frozen=True)
class Lane:
    """A ratio of an engine in a cell, and the ratios of the blocks behind it."""

    engine: str
    cell: str
    look: Look
    ratio: Estimate
    raw: Sequence[float]


@dataclass(frozen=True)
class Strip:
    """The ratios of a workload, smallest first, and the edge of its band."""

    name: str
    ratios: Sequence[Lane]
    floor: float


def noise(evidence: Evidence) -> Plate | NoData:
    """The A/A ratios of every workload on the band of its noise floor."""
    caption = (
        "The reference engine against itself: each line is the interval of a cell, its mark the "
        "median over the blocks, the small dots the blocks; the band is the noise floor."
    )
    axis = "time of arm B over arm A, the same engine twice"
    aa = evidence.ratios[evidence.ratios["kind"] == "aa"]
    return strips(_by_workload(evidence, aa), axis, caption)


def peers(evidence: Evidence) -> Plate | NoData:
    """Every comparison of a peer with the reference, by workload."""
    caption = (
        "Every peer in every variant and scale that it shares with the reference: a line is the "
        "interval, a mark the median over the blocks, small dots the blocks; the band is the noise "
        "floor."
    )
    return strips(
        _by_workload(evidence, evidence.raced()), "time of the peer over the reference", caption
    )


def strips(rows: Sequence[Strip], axis: str, caption: str) -> Plate | NoData:
    """One strip below the other, on a common axis of ratios."""
    if not rows:
        return NoData("nothing to compare")

    def draw(width: float) -> Figure:
        heads = [wrapped(_head(row), width) for row in rows]
        heights = [
            HEAD + LINE * (head.count("\n") + 1) + LANE * len(row.ratios)
            for head, row in zip(heads, rows, strict=True)
        ]
        figure = Figure(figsize=(width, sum(heights) + 0.9), layout="constrained")
        axes = figure.subplots()
        top = 0.0
        for row, head, height in zip(rows, heads, heights, strict=True):
            _draw(axes, top, height, row)
            heading(axes, top - 0.05, head)
            top -= height
        bare(axes, top)
        lanes = [lane for row in rows for lane in row.ratios]
        scale_to(axes, [v for lane in lanes for v in (*reach(lane.ratio), *lane.raw)], width)
        axes.set_xlabel(axis)
        marks.numbers_above(figure, axes)
        marks.legend(figure, sorted({lane.engine: lane.look for lane in lanes}.items()), width)
        return figure

    cells = sum(len(row.ratios) for row in rows)
    said = f"Ratios, logarithmic: {axis}; {cells} cells of {len(rows)} workloads"
    data = [
        Point(
            row.name, lane.engine, lane.cell, lane.ratio.median, TIMES, lane.ratio.low,
            lane.ratio.high, lane.ratio.n,
        )
        for row in rows
        for lane in row.ratios
    ]  # fmt: skip
    return Plate(draw, said, caption, data, False)


def _by_workload(evidence: Evidence, rows: pd.DataFrame) -> list[Strip]:
    rows = rows[rows["metric"] == "time"]
    return [
        Strip(evidence.title(str(workload)), _lanes(evidence, group), float(group["floor"].iloc[0]))
        for workload, group in rows.groupby("workload", sort=False)
    ]


def _lanes(evidence: Evidence, rows: pd.DataFrame) -> list[Lane]:
    return [
        Lane(
            evidence.subsystem.title(row["engine"]),
            f"{row['variant']}, {row['scale']:,}".removeprefix(", "),
            evidence.subsystem.look(row["engine"]),
            Estimate(row["ratio"], row["ci_low"], row["ci_high"], row["n"]),
            by_block(evidence, row),
        )
        for row in rows.sort_values("ratio").to_dict("records")
    ]


def _head(row: Strip) -> str:
    floor = "" if isnan(row.floor) else f", noise floor {ratio(row.floor)}"
    cells = "1 cell" if len(row.ratios) == 1 else f"{len(row.ratios)} cells"
    return f"{row.name}: {cells}{floor}"


def _draw(axes: Axes, top: float, height: float, row: Strip) -> None:
    axes.axhline(top, color=style.BAND, alpha=0.35, linewidth=0.6)
    if not isnan(row.floor):
        band = (1 / row.floor, row.floor)
        axes.fill_betweenx(
            [top - height, top], *band, color=style.BAND, alpha=0.25, linewidth=0, zorder=0
        )
    lowest = top - height + LANE
    for i, lane in enumerate(reversed(row.ratios)):
        y, look, found = lowest + LANE * i, lane.look, lane.ratio
        axes.plot(lane.raw, [y] * len(lane.raw), ".", color=look.color, markersize=1.5, zorder=2)
        axes.plot([found.low, found.high], [y, y], color=look.color, linewidth=1.1)
        axes.plot([found.median], [y], look.marker, color=look.color, markersize=3.2, zorder=3)
