"""The scorecard as a picture, for paper and for the README: a heat map of all subsystems."""

import shutil
from collections.abc import Sequence
from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import seaborn
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from assay.present.kit.canvas import NoData, Plate, Point, save
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import TIMES
from assay.present.pages import scorecard
from assay.system import files
from assay.tables.rows import Row, grouped, records
from assay.tables.vocabulary import COLUMNS

NAME = "scorecard"

COLORS = {"best": "#b7e4cd", "close": "#cfe3f5", "behind": "#f8dfb8", "far": "#f3b3ab"}
INK = "#1f2328"
"""Of the text on these colours, in every scheme: a contrast of 8 to 1 or more."""

LINE = 0.19  # inches a row

CAPTION = (
    "Each engine over the best of those that promise the same: ★ is the best, ≈ too close to call; "
    "the rest take so many times as much, red from {far:g} times on. What fills a column of which "
    "subsystem stands on the front page."
)


def picture(sessions: Sequence[Evidence]) -> Plate | NoData:
    """A row an engine, below the name of its subsystem and what its answers promise.

    Promises that one engine alone makes are left out: nothing is rated there.
    """
    groups = [
        (f"{session.folder.name}: {rows[0]['promise']}", session, rows)
        for session in sessions
        for rows in grouped(records(scorecard.table(session)), ["promise"])
        if len({row["engine"] for row in rows}) > 1
    ]
    if not groups:
        return NoData("no two engines promise the same")
    lines = [line for group in groups for line in _lines(*group)]

    def draw(width: float) -> Figure:
        figure = Figure(figsize=(width, LINE * len(lines) + 0.4), layout="constrained")
        axes = figure.subplots()
        kinds = list(COLORS)
        cells = [[row.get(name) for name in COLUMNS] for _, row in lines]
        places = [[kinds.index(cell[0]) if cell else nan for cell in line] for line in cells]
        texts = [[cell[1] if cell else "" for cell in line] for line in cells]
        seaborn.heatmap(
            pd.DataFrame(places, columns=COLUMNS), annot=pd.DataFrame(texts), fmt="", ax=axes,
            cmap=ListedColormap(list(COLORS.values())), vmin=-0.5, vmax=len(kinds) - 0.5,
            cbar=False, linewidths=0.5, linecolor="none",
            annot_kws={"fontsize": 7, "color": INK},
        )  # fmt: skip
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.set_yticks([nth + 0.5 for nth in range(len(lines))])
        axes.set_yticklabels([name if row else "" for name, row in lines], rotation=0, fontsize=7)
        for nth, (name, row) in enumerate(lines):
            if not row:
                axes.annotate(
                    name, (0, nth + 0.6), xycoords=("figure fraction", "data"), va="center",
                    fontsize=7 if width > 5 else 6, weight="bold", in_layout=False,
                )  # fmt: skip
        return figure

    engines = sum(bool(row) for _, row in lines)
    return Plate(
        draw,
        f"Heat map: {engines} engines of {len(groups)} promises over the best of each",
        CAPTION.format(far=scorecard.FAR),
        [
            Point(
                head, session.subsystem.title(row["engine"]), row["column"], row["ratio"], TIMES,
                row["ci_low"], row["ci_high"], row["n"], row["verdict"],
            )
            for head, session, rows in groups
            for row in rows
        ],
        False,
    )  # fmt: skip


def keep(sessions: Sequence[Evidence], figures: Path) -> Path:
    """The picture as the README shows it, in the folder `figures`."""
    plate = picture(sessions)
    if isinstance(plate, NoData):
        raise LookupError(f"{NAME}: {plate.reason}")
    with TemporaryDirectory() as place:
        _, drawn, _ = save(plate, NAME, Path(place))
        kept = figures / "overview" / drawn.name
        files.replace(kept, lambda path: shutil.copyfile(drawn, path))
    return kept


Line = tuple[str, dict[str, tuple[str, str]]]
"""A name and its cells, each with its kind and text; a heading has none."""


def _lines(head: str, evidence: Evidence, rows: Sequence[Row]) -> list[Line]:
    lines: list[Line] = [(head, {})]
    for of_engine in grouped(rows, ["engine"]):
        cells = {}
        for row in of_engine:
            kind, said = scorecard.said(row)
            shown = "close" if kind == "alone" else kind, "★" if kind == "best" else said
            cells[row["column"]] = shown
        lines.append((evidence.subsystem.title(of_engine[0]["engine"]), cells))
    return lines
