"""How an engine looks: the same colour and marker in every figure of every report.

The colours keep a contrast of 3:1 or more on the light and on the dark page, and stay apart for
protanopes, deuteranopes and tritanopes (tests/report/test_plots.py computes both). The marker says
the same thing a second time.
"""

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from cycler import cycler

from assay.present.subsystems import engines

PAGE_LIGHT, PAGE_DARK = "#ffffff", "#14181d"
# The two colours of a figure that follow the page: the canvas replaces them in SVG.
INK, PAPER = "#010203", "#fdfeff"
BAND = "#8a8fa3"


@dataclass(frozen=True)
class Look:
    """Colour and matplotlib marker of a series; a hollow one was measured somewhere else."""

    color: str
    marker: str
    hollow: bool = False


PALETTE = (
    Look("#0072b2", "o"),
    Look("#d55e00", "s"),
    Look("#009e73", "D"),
    Look("#9333ea", "^"),
    Look("#dc1f52", "v"),
    Look("#8a8fa3", "P"),
    Look("#d45ff0", "X"),
    Look("#945173", "p"),
)
PUBLISHED = Look(INK, "o", hollow=True)

MATPLOTLIB: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "axes.axisbelow": True,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "grid.color": BAND,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.handletextpad": 0.4,
    "legend.columnspacing": 1.4,
    "svg.fonttype": "none",
}


def use() -> None:
    """Let matplotlib, and what draws with it, pandas and seaborn, draw in the house style."""
    colors = [look.color for look in PALETTE]
    mpl.rcParams.update({**MATPLOTLIB, "axes.grid": True, "axes.prop_cycle": cycler(color=colors)})


def engine(name: str) -> Look:
    """The look of an engine; one that no subsystem lists gets a fixed one from its name."""
    return PALETTE[engines().get(name, zlib.crc32(name.encode())) % len(PALETTE)]


def series(names: Iterable[str]) -> dict[str, Look]:
    """Looks for variants of one engine, in the order of their names."""
    return {name: PALETTE[i % len(PALETTE)] for i, name in enumerate(sorted(set(names)))}
