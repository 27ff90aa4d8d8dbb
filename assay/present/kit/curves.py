"""Values over a scale, both axes logarithmic: one panel a workload, one line a series."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from assay.present.kit import marks
from assay.present.kit.canvas import NoData, Plate
from assay.present.kit.dots import log_axis
from assay.present.kit.evidence import NOT_IN_TIER
from assay.present.kit.marks import Series
from assay.present.kit.quantities import quantity, sentence, tick


@dataclass(frozen=True)
class Panel:
    """Series over a scale; `x_label` names the scale."""

    title: str
    x_label: str
    series: Sequence[Series]


def curves(
    panels: Sequence[Panel], unit: str, axis: str, caption: str, usual_marks: bool = True
) -> Plate | NoData:
    """The panels side by side, at most three, or one below the other when the page is narrow."""
    if why := marks.gap([series for panel in panels for series in panel.series]):
        return NoData(why)
    panels = [
        replace(panel, series=kept) for panel in panels if (kept := marks.present(panel.series))
    ]
    if not panels:
        return NoData(NOT_IN_TIER)

    def draw(width: float) -> Figure:
        columns = _columns(len(panels)) if width > 5 else 1
        rows = -(-len(panels) // columns)
        height = 2.9 if columns > 1 or width < 5 else 3.6
        figure = Figure(figsize=(width, height * rows + 0.3), layout="constrained")
        all_axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes in all_axes[len(panels) :]:
            axes.set_axis_off()
        for axes, panel in zip(all_axes, panels, strict=False):
            _draw_panel(axes, panel, unit, (width - 0.6 * columns) / columns)
        for axes in all_axes[::columns]:
            axes.set_ylabel(axis)
        named = {s.label: s.look for panel in panels for s in panel.series}
        marks.legend(figure, list(named.items()), width)
        return figure

    return Plate(draw, _alt(panels, unit, axis), caption, usual_marks)


def _columns(panels: int) -> int:
    """Panels in a row: all of three or fewer, else rows of two or three that leave fewest gaps."""
    return panels if panels <= 3 else min((3, 2), key=lambda columns: -panels % columns)


def _draw_panel(axes: Axes, panel: Panel, unit: str, width: float) -> None:
    axes.set_title(textwrap.fill(panel.title, int(width / 0.1)))
    axes.set_xlabel(panel.x_label)
    if why := marks.gap(panel.series):
        axes.set_axis_off()
        axes.text(0, 0.9, f"no data: {why}", transform=axes.transAxes, style="italic", wrap=True)
        return
    scales = sorted({int(scale) for series in panel.series for scale in series.estimates})
    least = next((scale for scale in scales if scale), 1)
    if scales[0]:
        axes.set_xscale("log")
    else:  # scale 0 has a place of its own, left of the logarithms
        axes.set_xscale("symlog", linthresh=least, linscale=0.5)
    for i, series in enumerate(panel.series):
        _draw_series(axes, series, _nudge(i, len(panel.series)))
    axes.margins(y=0.1)
    log_axis(axes, "y", unit)
    axes.xaxis.set_major_locator(FixedLocator(_apart(scales, width)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: tick(float(value), "")))
    # Shots stand left of their median: the margin is a share of the axis, too.
    margin = max(1.5, (scales[-1] / least) ** 0.12) if scales[-1] else 1.5
    left = scales[0] / margin if scales[0] else -least / 2
    axes.set_xlim(left, max(least, scales[-1]) * margin)
    axes.grid()


def _apart(scales: Sequence[int], width: float) -> list[int]:
    """The ends of the axis, and of the scales between those whose labels fit."""
    places = {
        scale: log(scale) if scale else log(min(scales[1:], default=1)) - 1 for scale in scales
    }
    last = scales[-1]
    least = 0.45 / width * (places[last] - places[scales[0]])
    kept = [scales[0]]
    for scale in scales[1:-1]:
        if min(places[scale] - places[kept[-1]], places[last] - places[scale]) >= least:
            kept.append(scale)
    return sorted({*kept, last})


def _draw_series(axes: Axes, series: Series, nudge: float) -> None:
    path = sorted((int(at), found.median) for at, found in series.estimates.items())
    axes.plot(
        [at * nudge for at, _ in path], [value for _, value in path],
        color=series.look.color, linewidth=1.2, alpha=0.8, zorder=1,
    )  # fmt: skip
    for at, found in series.estimates.items():
        raw = series.raw[series.raw["at"] == at]
        marks.cell(axes, int(at) * nudge, found, raw, series.look, upright=True)


def _nudge(index: int, count: int) -> float:
    """A small factor on x, so that intervals of different series do not cover each other."""
    step = min(1.1, 1.4 ** (1 / max(1, count - 1)))
    return float(step ** (index - (count - 1) / 2))


def _alt(panels: Sequence[Panel], unit: str, axis: str) -> str:
    said = [
        f"{panel.title}, {series.label}: {_path(series, panel.x_label, unit)}"
        for panel in panels
        for series in panel.series
    ]
    return f"Line plot, {axis} over the scale, both logarithmic. {'. '.join(said)}."


def _path(series: Series, x_label: str, unit: str) -> str:
    steps = [
        f"{quantity(found.median, unit)} at {int(at):,} {x_label} (n = {found.n})"
        for at, found in sorted(series.estimates.items(), key=lambda item: int(item[0]))
    ]
    return sentence(steps or ["no data"])
