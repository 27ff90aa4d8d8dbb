"""Strips: all ratios of a workload at a glance, engine by engine, on the A/A band."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from assay.present.kit import marks, style
from assay.present.kit.canvas import NARROW, NoData, Plate, Point
from assay.present.kit.evidence import Evidence
from assay.present.kit.forest import bare, scale_to
from assay.present.kit.marks import Estimate
from assay.present.kit.quantities import TIMES, ratio
from assay.present.kit.style import Look
from assay.present.sections.compared import by_block
from assay.present.sections.findings import effect_of, where
from assay.tables.rows import records

LANE, NAME = 0.1, 0.13  # inches


@dataclass(frozen=True)
class Lane:
    """A ratio of an engine in a cell, and the ratios of the blocks behind it."""

    cell: str
    look: Look
    ratio: Estimate
    raw: Sequence[float]


@dataclass(frozen=True)
class Strip:
    """The ratios of a workload by engine, smallest first, and the edge of its band."""

    name: str
    ratios: Mapping[str, Sequence[Lane]]
    floor: float

    @property
    def lanes(self) -> list[tuple[str, Lane]]:
        """Every ratio, with its engine."""
        return [(engine, lane) for engine, lanes in self.ratios.items() for lane in lanes]


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
        "floor. The table of values names variant and scale of each."
    )
    return strips(
        _by_workload(evidence, evidence.raced()), "time of the peer over the reference", caption
    )


def strips(rows: Sequence[Strip], axis: str, caption: str) -> Plate | NoData:
    """One strip below the other, on a common axis of ratios."""
    if not rows:
        return NoData("nothing to compare")

    every = [lane for row in rows for lane in row.lanes]
    floors = {row.floor for row in rows if not isnan(row.floor)}
    if len(floors) == 1:
        caption += f" The noise floor is {ratio(*floors)}."
    several = len({engine for engine, _ in every}) > 1

    def draw(width: float) -> Figure:
        room = (NAME if width > NARROW else 2 * NAME) if several else 0
        figure = Figure(figsize=(width, 1), layout="constrained")
        axes = figure.subplots()
        depth, names = 0.0, dict[float, str]()
        for row in rows:
            top = depth
            depth += marks.heading(axes, depth, _head(row, len(floors) > 1))
            for engine, lanes in row.ratios.items():
                height = max(room, LANE * len(lanes))
                names[-depth - height / 2] = engine
                _draw(axes, -depth - (height - LANE * (len(lanes) - 1)) / 2, lanes)
                depth += height
            if not isnan(row.floor):
                axes.fill_betweenx(
                    [-depth, -top], 1 / row.floor, row.floor, color=style.BAND, alpha=0.25,
                    linewidth=0, zorder=0,
                )  # fmt: skip
        figure.set_figheight(depth + 0.9)
        bare(axes, -depth)
        if several:
            marks.name_lanes(axes, names, width)
        scale_to(axes, [v for _, lane in every for v in (*lane.ratio.known, *lane.raw)], width)
        axes.set_xlabel(axis)
        marks.numbers_above(figure, axes)
        return figure

    said = f"Ratios, logarithmic: {axis}; {len(every)} cells of {len(rows)} workloads"
    data = [
        Point(
            row.name, engine, lane.cell, lane.ratio.median, TIMES, lane.ratio.low,
            lane.ratio.high, lane.ratio.n,
        )
        for row in rows
        for engine, lane in row.lanes
    ]  # fmt: skip
    return Plate(draw, said, caption, data, False)


def _by_workload(evidence: Evidence, rows: pd.DataFrame) -> list[Strip]:
    rows = rows[rows["metric"] == "time"]
    return [
        Strip(evidence.title(str(workload)), _lanes(evidence, group), float(group["floor"].iloc[0]))
        for workload, group in rows.groupby("workload", sort=False)
    ]


def _lanes(evidence: Evidence, rows: pd.DataFrame) -> dict[str, list[Lane]]:
    """The ratios of each engine, in the order of the subsystem."""
    by_engine: dict[str, list[Lane]] = {name: [] for name in evidence.subsystem.engines}
    for row in records(rows.sort_values("ratio")):
        lane = Lane(
            where(evidence, row),
            evidence.subsystem.look(row["engine"]),
            effect_of(row),
            by_block(row),
        )
        by_engine[row["engine"]].append(lane)
    return {evidence.subsystem.title(name): lanes for name, lanes in by_engine.items() if lanes}


def _head(row: Strip, several: bool) -> str:
    """The name of a strip, its cells, and its floor where there are several."""
    floor = f", noise floor {ratio(row.floor)}" if several and not isnan(row.floor) else ""
    cells = "1 cell" if len(row.lanes) == 1 else f"{len(row.lanes)} cells"
    return f"{row.name}: {cells}{floor}"


def _draw(axes: Axes, top: float, lanes: Sequence[Lane]) -> None:
    for i, lane in enumerate(lanes):
        y, look, effect = top - LANE * i, lane.look, lane.ratio
        axes.plot(lane.raw, [y] * len(lane.raw), ".", color=look.color, markersize=1.5, zorder=2)
        axes.plot([effect.low, effect.high], [y, y], color=look.color, linewidth=1.1)
        axes.plot([effect.median], [y], look.marker, color=look.color, markersize=3.2, zorder=3)
