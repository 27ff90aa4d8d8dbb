"""How series look: a colour and a marker. An engine has the same in every figure of its subsystem.

The colours keep a contrast of 3:1 or more on the light and on the dark page, and stay apart for
protanopes, deuteranopes and tritanopes (tests/report/test_plots.py computes both). The marker says
the same thing a second time.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from cycler import cycler

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
    Look("#d27e48", "*"),
    Look("#a24e1e", "<"),
    Look("#d200b4", ">"),
    Look("#546c48", "h"),
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


def series(names: Iterable[str]) -> dict[str, Look]:
    """Looks for what is no engine, such as variants of one, in the order of the names."""
    return {name: PALETTE[i % len(PALETTE)] for i, name in enumerate(sorted(set(names)))}
