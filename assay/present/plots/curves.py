"""Values over a scale, both axes logarithmic: one panel a workload, one line a series."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from assay.present.plots import marks
from assay.present.plots.canvas import NoData, Plate
from assay.present.plots.dots import log_axis
from assay.present.plots.marks import Series
from assay.present.quantities import quantity, sentence, tick


@dataclass(frozen=True)
class Panel:
    """Series over a scale; `x_label` names the scale."""

    title: str
    x_label: str
    series: Sequence[Series]


def curves(panels: Sequence[Panel], unit: str, axis: str, caption: str) -> Plate | NoData:
    """The panels side by side, or one below the other when the page is narrow."""
    if why := marks.gap([series for panel in panels for series in panel.series]):
        return NoData(why)

    def draw(width: float) -> Figure:
        columns = len(panels) if width > 5 else 1
        rows = -(-len(panels) // columns)
        height = 2.9 if columns > 1 or width < 5 else 3.6
        figure = Figure(figsize=(width, height * rows + 0.3), layout="constrained")
        all_axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, panel in zip(all_axes, panels, strict=True):
            _draw_panel(axes, panel, unit, (width - 0.6 * columns) / columns)
        for axes in all_axes[::columns]:
            axes.set_ylabel(axis)
        named = {s.label: s.look for panel in panels for s in panel.series}
        marks.legend(figure, list(named.items()), width)
        return figure

    return Plate(draw, _alt(panels, unit, axis), caption)


def _draw_panel(axes: Axes, panel: Panel, unit: str, width: float) -> None:
    axes.set_title(textwrap.fill(panel.title, int(width / 0.1)))
    axes.set_xlabel(panel.x_label)
    if why := marks.gap(panel.series):
        axes.set_axis_off()
        axes.text(0, 0.9, f"no data: {why}", transform=axes.transAxes, style="italic", wrap=True)
        return
    scales = sorted({int(scale) for series in panel.series for scale in series.estimates})
    axes.set_xscale("log")
    for i, series in enumerate(panel.series):
        _draw_series(axes, series, _nudge(i, len(panel.series)))
    axes.margins(y=0.1)
    log_axis(axes, "y", unit)
    axes.xaxis.set_major_locator(FixedLocator(_apart(scales)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: tick(float(value), "")))
    margin = 1.5
    axes.set_xlim(scales[0] / margin, scales[-1] * margin)
    axes.grid()


def _draw_series(axes: Axes, series: Series, nudge: float) -> None:
    path = sorted((int(at), found.median) for at, found in series.estimates.items())
    axes.plot(
        [at * nudge for at, _ in path], [value for _, value in path],
        color=series.look.color, linewidth=1.2, alpha=0.8, zorder=1,
    )  # fmt: skip
    for at, found in series.estimates.items():
        raw = series.raw[series.raw["at"] == at]
        marks.cell(axes, int(at) * nudge, found, raw, series.look, upright=True)


def _apart(scales: Sequence[int]) -> list[int]:
    """The scales without those that are so near to the one before that their labels would touch."""
    kept: list[int] = []
    for scale in scales:
        if not kept or scale > 1.3 * kept[-1]:
            kept.append(scale)
    return kept


def _nudge(index: int, count: int) -> float:
    """A small factor on x, so that intervals of different series do not cover each other."""
    return float(1.05 ** (index - (count - 1) / 2))


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
