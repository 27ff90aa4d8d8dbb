"""Values over a scale, both axes logarithmic: one panel a workload, one line a series."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log, nan
from textwrap import shorten

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from assay.present.kit import marks
from assay.present.kit.canvas import LONGEST_ALT, NoData, Plate, Point
from assay.present.kit.dots import log_axis
from assay.present.kit.evidence import NOT_IN_TIER
from assay.present.kit.marks import Series
from assay.present.kit.quantities import sentence, whole


@dataclass(frozen=True)
class CurvePanel:
    """Series over a scale; `x_label` names the scale."""

    title: str
    x_label: str
    series: Sequence[Series]


def curves(
    panels: Sequence[CurvePanel],
    unit: str,
    axis: str,
    caption: str,
    usual_marks: bool = True,
    *,
    alike: bool = False,
) -> Plate | NoData:
    """The panels side by side, at most three, or one below the other when the page is narrow.

    Panels that are `alike` invite comparison, so their y axes are the same.
    """
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
        places = [{at for series in panel.series for at in series.estimates} for panel in panels]
        if max(map(len, places)) <= 2:  # a line from one point to another
            height = 2.0
        figure = Figure(figsize=(width, height * rows + 0.3), layout="constrained")
        all_axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes in all_axes[len(panels) :]:
            axes.set_axis_off()
        for axes, panel in zip(all_axes, panels, strict=False):
            beside = panels if alike else [panel]
            reach = [series for each in beside for series in each.series]
            _draw_panel(axes, panel, unit, (width - 0.6 * columns) / columns, reach)
        for axes in all_axes[::columns]:
            axes.set_ylabel(axis)
        named = {s.label: s.look for panel in panels for s in panel.series}
        marks.legend(figure, list(named.items()), width)
        return figure

    scales = sentence(list(dict.fromkeys(panel.x_label for panel in panels)))
    title = f"{axis} over {scales}"
    said = shorten(f"Line plot: {title}, both logarithmic", LONGEST_ALT, placeholder=" …")
    data = [
        point
        for panel in panels
        for series in panel.series
        for point in marks.points(panel.title, series, unit)
        or [Point(panel.title, series.label, "", nan, unit, note=marks.gap([series]))]
    ]
    cells = marks.drawn(series for panel in panels for series in panel.series)
    return Plate(draw, said, caption, data, usual_marks, title, cells)


def _columns(panels: int) -> int:
    """Panels in a row: all of three or fewer, else rows of two or three that leave fewest gaps."""
    return panels if panels <= 3 else min((3, 2), key=lambda columns: -panels % columns)


def _draw_panel(
    axes: Axes, panel: CurvePanel, unit: str, width: float, reach: Sequence[Series]
) -> None:
    """The panel, on a y axis that holds all of `reach`."""
    axes.set_title(panel_title(panel.title, width))
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
        _draw_series(axes, series, _shift(i, len(panel.series)))
    axes.set_ylim(*_reach(reach))
    log_axis(axes, "y", unit)
    tick_scales(axes, scales, width)
    # Shots stand left of their median: the margin is a share of the axis, too.
    margin = max(1.5, (scales[-1] / least) ** 0.12) if scales[-1] else 1.5
    left = scales[0] / margin if scales[0] else -least / 2
    axes.set_xlim(left, max(least, scales[-1]) * margin)
    axes.grid()


def _reach(all_series: Sequence[Series]) -> tuple[float, float]:
    """The ends of the y axis: all values, and some room; what is beside its place tells none."""
    values = [v for series in all_series for v in series.raw["value"]]
    values += [v for s in all_series for estimate in s.estimates.values() for v in estimate.known]
    shown = [v for v in values if v > 0]
    room = max(1.2, (max(shown) / min(shown)) ** 0.1)
    return min(shown) / room, max(shown) * room


def panel_title(title: str, width: float) -> str:
    """The title in lines of a panel that is `width` inches wide; a name breaks between words."""
    words = re.sub("(?<=[a-z])(?=[A-Z][a-z])", "\N{ZERO WIDTH SPACE} ", title)
    broken = textwrap.fill(words, int(width / 0.1), break_long_words=False)
    return broken.replace("\N{ZERO WIDTH SPACE} ", "").replace("\N{ZERO WIDTH SPACE}\n", "\n")


def tick_scales(axes: Axes, scales: Sequence[int], width: float) -> None:
    """A tick at each scale whose number fits on an axis that is `width` inches long."""
    axes.xaxis.set_major_locator(FixedLocator(_apart(scales, width)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: whole(float(value))))


def _apart(scales: Sequence[int], width: float) -> list[int]:
    """The scales whose numbers do not meet: the largest and the smallest first."""
    places = {
        scale: log(scale) if scale else log(min(scales[1:], default=1)) - 1 for scale in scales
    }
    ends = places[scales[-1]] - places[scales[0]]
    inches = 0.92 * width / (ends + 2 * max(log(1.5), 0.12 * ends))  # an axis has margins
    kept: list[int] = []
    for scale in dict.fromkeys([scales[-1], scales[0], *scales]):
        if all(
            abs(places[scale] - places[other]) * inches >= _half(scale) + _half(other) + 0.06
            for other in kept
        ):
            kept.append(scale)
    return sorted(kept)


def _half(scale: int) -> float:
    """Half of the inches that the number of a scale takes."""
    return 0.036 * len(whole(scale))


def _draw_series(axes: Axes, series: Series, shift: float) -> None:
    cells = {float(at): series.estimates[at] for at in sorted(series.estimates, key=float)}
    axes.plot(
        list(cells), [estimate.median for estimate in cells.values()],
        transform=marks.beside(axes, shift, 0), color=series.look.color, zorder=1,
        **({"linewidth": 0.8, "linestyle": ":"} if series.look.hollow else {"linewidth": 1.2}),
    )  # fmt: skip
    raw = series.raw[series.raw["at"].isin(cells)]
    marks.cells(axes, cells, raw, series.look, upright=True, shift=shift)


def _shift(index: int, count: int) -> float:
    """Points to the right, so that intervals of different series do not cover each other."""
    step = min(4.0, 16 / max(1, count - 1))
    return step * (index - (count - 1) / 2)
