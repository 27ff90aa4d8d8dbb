"""Ratios with their intervals on the A/A band: what lies in the band is noise."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isnan

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from assay.present.kit import marks, style
from assay.present.kit.canvas import LONGEST_ALT, Cell, NoData, Plate, Point
from assay.present.kit.marks import Estimate
from assay.present.kit.quantities import TIMES, ratio
from assay.present.kit.style import Look

LANE = 0.22  # inches


@dataclass(frozen=True)
class ForestRow:
    """A ratio of two `cells`; `raw` are those of the blocks; `floor` is the A/A band's edge."""

    group: str
    label: str
    look: Look
    ratio: Estimate
    raw: Sequence[float]
    floor: float
    verdict: str
    cells: frozenset[Cell]


def forest(comparisons: Sequence[ForestRow], axis: str, caption: str) -> Plate | NoData:
    """One row a comparison under the heading of its group; the number stands at the right."""
    if not comparisons:
        return NoData("no block in which both sides succeeded")

    def draw(width: float) -> Figure:
        figure = Figure(figsize=(width, 1), layout="constrained")
        axes = figure.subplots()
        depth = _draw_rows(axes, comparisons, width)
        figure.set_figheight(depth + 0.95)
        floors = [row.floor for row in comparisons if not isnan(row.floor)]
        values = [v for row in comparisons for v in (*row.ratio.known, *row.raw)]
        scale_to(axes, [*values, *floors, *(1 / floor for floor in floors)], width)
        axes.set_xlabel(axis)
        marks.numbers_above(figure, axes)
        return figure

    groups = len({comparison.group for comparison in comparisons})
    said = f"Ratios, logarithmic: {axis}; {len(comparisons)} comparisons under {groups} headings"
    data = [
        Point(
            group=comparison.group,
            series=comparison.label,
            at="",
            value=comparison.ratio.median,
            unit=TIMES,
            low=comparison.ratio.low,
            high=comparison.ratio.high,
            n=comparison.ratio.n,
            note=comparison.verdict,
        )
        for comparison in comparisons
    ]
    said = textwrap.shorten(said, LONGEST_ALT, placeholder=" …")
    cells = frozenset[Cell]().union(*(comparison.cells for comparison in comparisons))
    return Plate(draw, said, caption, data, title=axis, cells=cells)


def _draw_rows(axes: Axes, comparisons: Sequence[ForestRow], width: float) -> float:
    """Draw them one below the other; how many inches they take."""
    depth, group = 0.0, None
    lanes = {}
    for comparison in comparisons:
        if comparison.group != group:
            group = comparison.group
            depth += marks.heading(axes, depth, group)
        y = -depth - LANE / 2
        if not isnan(comparison.floor):
            axes.fill_betweenx(
                [y - LANE / 2, y + LANE / 2], 1 / comparison.floor, comparison.floor,
                color=style.BAND, alpha=0.25, linewidth=0, zorder=0,
            )  # fmt: skip
        marks.ratio(axes, y, comparison.ratio, comparison.raw, comparison.look)
        lanes[y] = comparison.label
        shown = comparison.ratio if width > 5 else Estimate(comparison.ratio.median)
        axes.annotate(
            ratio(shown.median, shown.low, shown.high), (1, y), (6, 0), va="center", fontsize=8,
            xycoords=("axes fraction", "data"), textcoords="offset points",
        )  # fmt: skip
        depth += LANE
    bare(axes, -depth)
    if len(set(lanes.values())) > 1:
        marks.name_lanes(axes, lanes, width)
    return depth


def bare(axes: Axes, bottom: float) -> None:
    """Leave a grid of ratios with a line at 1 and no y axis; rows run from 0 down to `bottom`."""
    axes.set_ylim(bottom, 0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    axes.axvline(1, color=style.INK, linewidth=0.8, zorder=1)


def scale_to(axes: Axes, values: Sequence[float], width: float, most: int = 0) -> None:
    """Make the x axis a logarithmic one of ratios that holds `values` and 1.

    It has at most so many ticks, where `most` is given.
    """
    axes.set_xscale("log")
    low, high = min([1, *values]), max([1, *values])
    margin = (high / low) ** 0.03
    low, high = low / margin, high * margin
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(FixedLocator(_ticks(low, high, most or (5 if width < 5 else 9))))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _tick(float(value))))


def _ticks(low: float, high: float, most: int) -> list[float]:
    """Round ratios between `low` and `high`, symmetric about 1 in the finest step that fits."""
    for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5):
        first, last = max(1, ceil(low / step)), floor(high / step)
        if last - first < most:
            inside = [round(nth * step, 3) for nth in range(first, last + 1)]
            return inside if len(inside) > 2 else [low, 1.0, high]
    for mantissas in ((1, 2, 5), (1, 3), (1,)):
        decades = range(-6, 9)
        ticks = sorted(m * 10.0**d for d in decades for m in mantissas)
        inside = [t for t in ticks if low <= t <= high]
        if len(inside) <= most:
            return inside
    return [t for t in inside if round(np.log10(t)) % 2 == 0]


def _tick(value: float) -> str:
    return (f"{value:,.0f}" if value >= 100 else f"{value:.3g}") + TIMES
