"""From a matplotlib figure to files and to SVG that follows the page it stands in."""

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from html import escape
from math import nan
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from assay.present.kit import style
from assay.present.kit.svg import compact
from assay.system import files

WIDE, NARROW = 7.6, 3.75  # inches: a column of text, a phone
_NO_METADATA = dict.fromkeys(["Creator", "Date", "Format", "Type"])
_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
_STANDALONE = (
    "<style>svg{color:#1f2328;--page:#fff;background:#fff}"
    "@media screen and (prefers-color-scheme:dark)"
    "{svg{color:#e6edf3;--page:#14181d;background:#14181d}}"
    "</style>"
)


LONGEST_ALT = 160  # letters: who hears them cannot leaf back; the values stand in a table


Cell = tuple[str, str, str, int, str]
"""A value of a session: its workload, engine, variant, scale and metric."""


@dataclass(frozen=True)
class Point:
    """A value that a figure shows: of a series at a place or scale, in a group such as a panel."""

    group: str
    series: str
    at: str | float
    value: float
    unit: str
    low: float = nan
    high: float = nan
    n: int = 0
    note: str = ""


@dataclass(frozen=True)
class Plate:
    """A figure to be drawn at any width in inches, with its caption, and its values as a table.

    `alt` says in a few words what it is. `usual_marks` is false when the caption explains the
    marks itself. `title` names what is drawn; what the comparisons among its `cells` show is a
    better one.
    """

    draw: Callable[[float], Figure]
    alt: str
    caption: str
    data: Sequence[Point] = field(hash=False)
    usual_marks: bool = True
    title: str = ""
    cells: frozenset[Cell] = frozenset()

    def __post_init__(self) -> None:
        if len(self.alt) > LONGEST_ALT:
            raise ValueError(f"expected at most {LONGEST_ALT} letters: {self.alt}")

    def _repr_svg_(self) -> str:
        """What a notebook shows of it."""
        return _standalone(self, "figure")[1]


@dataclass(frozen=True)
class NoData:
    """What stands in the place of a figure that has nothing to show, and why."""

    reason: str


def inline_svg(plate: Plate, name: str, width: float) -> str:
    """The figure as an <svg> element whose text takes the colour of the page around it.

    `name` makes its ids unique on the page.
    """
    _, svg = _drawn(plate, name, width)
    alt = escape(plate.alt, quote=True)
    return svg[svg.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{alt}"', 1)


def save(plate: Plate, name: str, folder: Path) -> tuple[Path, Path, Path]:
    """Write `name`.svg, which follows the reader's colour scheme, and `name`.png, on white.

    The values go into `name`.csv, in base units.
    """
    svg_path, png_path, csv_path = (folder / f"{name}.{form}" for form in ("svg", "png", "csv"))
    figure, svg = _standalone(plate, name)
    files.write_text(svg_path, svg)
    with mpl.rc_context(style.MATPLOTLIB):
        files.replace(
            png_path,
            lambda path: figure.savefig(path, format="png", dpi=160, facecolor="white"),
        )
    values = pd.DataFrame(map(vars, plate.data), columns=[column.name for column in fields(Point)])
    files.write_text(csv_path, values.to_csv(index=False, lineterminator="\n"))
    return svg_path, png_path, csv_path


def _standalone(plate: Plate, name: str) -> tuple[Figure, str]:
    """The figure, and as a file of its own, in the reader's colour scheme."""
    figure, svg = _drawn(plate, name, WIDE)
    head, tag, body = re.split(r"(<svg\b[^>]*>)", svg, maxsplit=1)
    title = f"<title>{escape(plate.alt)}</title>"
    return figure, head + tag + title + _STANDALONE + body


@lru_cache(maxsize=1)  # drawing takes most of a page's time, and a page shows what it saves
def _drawn(plate: Plate, name: str, width: float) -> tuple[Figure, str]:
    """The figure, and as SVG that takes the colours of what is around it."""
    settings = {**style.MATPLOTLIB, "svg.hashsalt": name, "svg.id": None}
    text = io.StringIO()
    with mpl.rc_context(settings):
        figure = plate.draw(width)
        if layout := figure.get_layout_engine():  # with one, saving draws twice
            layout.execute(figure)
            figure.set_layout_engine(None)
        figure.savefig(text, format="svg", transparent=True, metadata=_NO_METADATA)
    svg = text.getvalue().replace(style.INK, "currentColor")
    svg = svg.replace(style.PAPER, "var(--page, white)")
    head, tag, body = svg.partition("<svg")
    return figure, head + compact(tag + body, f"{name}-{'w' if width == WIDE else 'n'}", _FONTS)
