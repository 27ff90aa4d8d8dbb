"""The marks of every figure: raw points, an interval, a median, the A/A band."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from textwrap import fill, wrap
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation, Transform

from assay.present.kit import style
from assay.present.kit.canvas import NARROW, Cell, Point
from assay.present.kit.evidence import NOT_IN_PLAN, NOT_IN_TIER
from assay.present.kit.style import Look


@dataclass(frozen=True)
class Estimate:
    """A median with its interval; NaN bounds when there is none, as for a published number."""

    median: float
    low: float = float("nan")
    high: float = float("nan")
    n: int = 0

    @property
    def known(self) -> list[float]:
        """The median and the ends of the interval, where there are any."""
        return [value for value in (self.median, self.low, self.high) if not isnan(value)]


@dataclass(frozen=True)
class Series:
    """One engine or variant over the positions of an axis (row names or scales).

    `raw` has columns at, value, noisy. `missing` tells, for a position, why there is no value.
    `cells` are those of the session that have one.
    """

    label: str
    look: Look
    estimates: dict[str | int, Estimate]
    raw: pd.DataFrame
    missing: dict[str | int, str] = field(default_factory=dict)
    cells: frozenset[Cell] = frozenset()


SHOT = 2.4  # points: small beside a median, and as dark, so that it stands out from the page
LEGEND_LINE = 0.17  # inches: further lines of a legend take nothing from the panels
TALL = 6.0  # inches: who looks at the top of such a figure does not see its bottom
NO_SHOTS = pd.DataFrame({"at": [], "value": [], "noisy": []})


def points(group: str, line: Series, unit: str) -> list[Point]:
    """The values of a series, in the order of their scales where they have any."""
    return [
        Point(group, line.label, at, cell.median, unit, cell.low, cell.high, cell.n)
        for at, cell in sorted(
            line.estimates.items(), key=lambda item: 0 if isinstance(item[0], str) else item[0]
        )
    ]


def series(
    label: str,
    look: Look,
    cells: pd.DataFrame,
    points: pd.DataFrame,
    at: str,
    missing: dict[str | int, str],
) -> Series:
    """A series from estimates and measurements, placed by column `at`."""
    known = cells.dropna(subset="median")
    estimates: dict[str | int, Estimate] = {
        place: Estimate(median, low, high, int(n))
        for place, median, low, high, n in known[
            [at, "median", "ci_low", "ci_high", "n"]
        ].itertuples(index=False, name=None)
    }
    names = known[["workload", "engine", "variant", "scale", "metric"]]
    raw = points.rename(columns={at: "at"})[["at", "value", "noisy"]]
    measured = frozenset(names.itertuples(index=False, name=None))
    return Series(label, look, estimates, raw, missing, measured)


def drawn(lines: Iterable[Series]) -> frozenset[Cell]:
    """The cells of some series."""
    return frozenset[Cell]().union(*(line.cells for line in lines))


def gap(all_series: Sequence[Series]) -> str:
    """Why none of the series has a value; empty when one has."""
    if any(line.estimates for line in all_series):
        return ""
    return next((why for line in all_series for why in line.missing.values()), NOT_IN_PLAN)


def left_out(line: Series) -> bool:
    """Whether no shot was meant to give a value of the series; a published one has no shots."""
    reasons = set(line.missing.values())
    return not line.estimates and bool(reasons) and reasons <= {NOT_IN_TIER, NOT_IN_PLAN}


def present(all_series: Sequence[Series]) -> list[Series]:
    """The series but for those left out; none when only published ones would remain."""
    kept = [line for line in all_series if not left_out(line)]
    alone = len(kept) < len(all_series) and not any(line.missing for line in kept)
    return [] if alone else kept


def cells(
    axes: Axes,
    estimates: Mapping[float, Estimate],
    raw: pd.DataFrame,
    look: Look,
    upright: bool = False,
    shift: float = 0.0,
) -> None:
    """Draw estimates at their heights along the x axis; at their x along the y axis if `upright`.

    `raw` has their shots, in columns at, value, noisy. All stand `shift` points beside their
    places. Shots that the noise gate flagged are hollow. All of a kind are one line: lines cost.
    """

    def place(places: list[float], values: list[float]) -> tuple[list[float], list[float]]:
        return (places, values) if upright else (values, places)

    # Beside the summary, or the median would hide them.
    here = beside(axes, shift if upright else 0, 0 if upright else shift)
    x, y = (shift - 6, 0) if upright else (0, shift - 5.5)
    shots = beside(axes, x, y)
    for noisy, points in raw.groupby("noisy"):
        face = "none" if noisy else look.color
        axes.plot(
            *place(points["at"].tolist(), points["value"].tolist()), transform=shots,
            color=look.color, marker=look.marker, markerfacecolor=face,
            linestyle="none", markersize=SHOT, markeredgewidth=0.6, zorder=2,
        )  # fmt: skip
    ends = [  # a line for each: nothing joins what NaN parts
        (at, end)
        for at, estimate in estimates.items()
        if estimate.high >= estimate.low
        for end in (estimate.low, estimate.high, nan)
    ]
    if ends:
        axes.plot(
            *place([at for at, _ in ends], [end for _, end in ends]), transform=here,
            color=look.color, linewidth=2.6, solid_capstyle="butt", zorder=3,
        )  # fmt: skip
    medians = [estimate.median for estimate in estimates.values()]
    axes.plot(*place(list(estimates), medians), transform=here, **_median(look))


def beside(axes: Axes, x: float, y: float) -> Transform:
    """Data coordinates, moved by points on the paper: what is drawn keeps its place on the axis."""
    if x == y == 0:
        return axes.transData
    return axes.transData + ScaledTranslation(x / 72, y / 72, axes.figure.dpi_scale_trans)


def ratio(axes: Axes, y: float, estimate: Estimate, raw: Sequence[float], look: Look) -> None:
    """Draw a ratio at height `y`: the ratio of each block, the interval, the median."""
    points = pd.DataFrame({"at": y, "value": list(raw), "noisy": False})
    cells(axes, {y: estimate}, points, look)


def name_lanes(axes: Axes, lanes: Mapping[float, str], width: float) -> None:
    """Name the series at their heights, left of the axis: on a phone in two lines at most."""
    wide = width > NARROW
    names = [name if wide else _short(name) for name in lanes.values()]
    axes.set_yticks([*lanes], names, fontsize=8 if wide else 7, linespacing=0.95)
    axes.tick_params(axis="y", length=0, pad=2)


def _short(name: str) -> str:
    lines = wrap(name, 18, max_lines=2, placeholder="…", break_on_hyphens=False)
    return "\n".join(lines)


def heading(axes: Axes, depth: float, text: str, size: float = 8) -> float:
    """Write `text` over rows and their names, `depth` inches below the top; how many it takes."""
    width = axes.figure.bbox.width / axes.figure.dpi
    said = fill(text, int(107 * width / size))  # a bold letter takes two thirds of its size
    axes.axhline(-depth, color=style.BAND, alpha=0.35, linewidth=0.6)
    axes.annotate(
        said, (0, -depth - 0.05), xycoords=("figure fraction", "data"), va="top", weight="bold",
        fontsize=size, in_layout=False, zorder=5,
        bbox={"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.8},
    )  # fmt: skip
    return 0.1 + 0.15 * size / 8 * (said.count("\n") + 1)


def numbers_above(figure: Figure, axes: Axes) -> None:
    """Show the numbers of the x axis above the first axes of a tall figure, too."""
    if figure.get_figheight() > TALL:
        axes.tick_params(axis="x", labeltop=True)


def legend(figure: Figure, named: Sequence[tuple[str, Look]], width: float) -> None:
    """Name the series above all panels, where they cover nothing; one alone needs no name."""
    handles = [Line2D([], [], label=label, **_median(look)) for label, look in named]
    if len(handles) < 2:
        return
    # About 0.075 inches a letter, and room for the mark.
    longest = 0.35 + 0.075 * max(len(label) for label, _ in named)
    columns = max(1, min(len(handles), int(width / longest)))
    lines = -(-len(handles) // columns)
    figure.set_figheight(figure.get_figheight() + LEGEND_LINE * (lines - 1))
    figure.legend(handles=handles, loc="outside upper left", ncols=columns, borderaxespad=0.2)


def _median(look: Look) -> dict[str, Any]:
    face = style.PAPER if look.hollow else look.color
    edge = look.color if look.hollow else style.PAPER
    return {
        "marker": look.marker, "color": look.color, "markersize": 6.2, "linestyle": "none",
        "markerfacecolor": face, "markeredgecolor": edge, "zorder": 4,
        "markeredgewidth": 1.4 if look.hollow else 0.9,
    }  # fmt: skip
