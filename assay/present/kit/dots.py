"""A dot plot: one row a configuration, one lane a series, values along a logarithmic axis."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan
from textwrap import shorten

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from assay.present.kit import marks
from assay.present.kit.canvas import LONGEST_ALT, NoData, Plate, Point
from assay.present.kit.evidence import NOT_IN_PLAN, NOT_IN_TIER
from assay.present.kit.marks import Series
from assay.present.kit.quantities import quantity, sentence, tick

LANE, HEAD = 0.22, 0.75  # inches


@dataclass(frozen=True)
class DotPanel:
    """Rows, top to bottom, under a title; the x axis is shared by all panels of a figure."""

    title: str
    rows: Sequence[str]
    series: Sequence[Series]


def dots(panels: Sequence[DotPanel], unit: str, axis: str, caption: str) -> Plate | NoData:
    """The panels one below the other, with the median of every lane written at its right."""
    if why := marks.gap([series for panel in panels for series in panel.series]):
        return NoData(why)
    panels = [kept for panel in panels if (kept := _present(panel)).rows]
    if not panels:
        return NoData(NOT_IN_TIER)

    several = len({series.label for panel in panels for series in panel.series}) > 1

    def draw(width: float) -> Figure:
        figure = Figure(figsize=(width, 1), layout="constrained")
        axes = figure.subplots()
        depth, lanes = 0.0, dict[float, str]()
        for panel in panels:
            depth = _draw_panel(axes, panel, unit, depth, lanes)
        figure.set_figheight(depth + HEAD)
        axes.set_ylim(-depth, 0)
        marks.name_lanes(axes, lanes if several else {}, width)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x")
        log_axis(axes, "x", unit)
        axes.set_xlabel(axis)
        marks.numbers_above(figure, axes)
        return figure

    titles = sentence([panel.title for panel in panels])
    said = shorten(f"Dot plot: {axis}, logarithmic. {titles}", LONGEST_ALT, placeholder=" …")
    data = [
        point
        for panel in panels
        for row in panel.rows
        for series in panel.series
        for point in _points(panel, row, series, unit)
    ]
    cells = marks.drawn(series for panel in panels for series in panel.series)
    return Plate(draw, said, caption, data, title=axis, cells=cells)


def _points(panel: DotPanel, row: str, series: Series, unit: str) -> list[Point]:
    """The value of a series in a row, or why it has none."""
    if points := [point for point in marks.points(panel.title, series, unit) if point.at == row]:
        return points
    why = _why(series, row)
    return [Point(panel.title, series.label, row, nan, unit, note=why)] if why else []


def _present(panel: DotPanel) -> DotPanel:
    """The panel without the series and the rows that no shot was meant to give a value of."""
    kept = marks.present(panel.series)
    rows = [
        row
        for row in panel.rows
        if any(row in series.estimates or _why(series, row) for series in kept if series.missing)
    ]
    return replace(panel, rows=rows, series=kept)


def _why(series: Series, row: str) -> str:
    """Why a row has no value that it should have; empty where it should have none."""
    why = series.missing.get(row, "")
    return "" if why in (NOT_IN_TIER, NOT_IN_PLAN) else why


def log_axis(axes: Axes, which: str, unit: str) -> None:
    """Make an axis logarithmic with ticks such as "10 ns", and none between: they cost the most."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    low, high = axis.get_view_interval()
    steps = (1, 2, 5) if high / low < 30 else (1, 3) if high / low < 300 else (1,)
    axis.set_major_locator(LogLocator(subs=steps, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick(float(value), unit)))
    axis.set_minor_locator(NullLocator())


def _draw_panel(
    axes: Axes, panel: DotPanel, unit: str, depth: float, lanes: dict[float, str]
) -> float:
    """Draw a panel `depth` inches below the top; where it ends. `lanes` gets names by height."""
    depth += marks.heading(axes, depth, panel.title, size=9.5)
    for row in panel.rows:
        if row != panel.title:
            depth += marks.heading(axes, depth, row)
        for series in panel.series:
            place = -depth - LANE / 2
            _draw_lane(axes, place, series, row, unit)
            if row in series.estimates or _why(series, row):
                lanes[place] = series.label
            depth += LANE
    return depth


def _draw_lane(axes: Axes, y: float, series: Series, row: str, unit: str) -> None:
    estimate = series.estimates.get(row)
    if estimate is None:
        why = _why(series, row)
        note = f"no data: {why}" if why else ""
        axes.annotate(
            note, (0, y), xycoords=("axes fraction", "data"), va="center", style="italic",
            fontsize=7, alpha=0.75, in_layout=False,
        )  # fmt: skip
        return
    marks.cells(axes, {y: estimate}, series.raw[series.raw["at"] == row].assign(at=y), series.look)
    axes.annotate(
        quantity(estimate.median, unit), (1, y), (6, 0), xycoords=("axes fraction", "data"),
        textcoords="offset points", va="center", fontsize=8,
    )  # fmt: skip
