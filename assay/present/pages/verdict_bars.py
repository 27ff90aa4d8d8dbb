"""Verdicts: how many claims of each subsystem came out which way, as bars."""

import pandas as pd
from matplotlib.figure import Figure

from assay.present.kit import style
from assay.present.kit.canvas import NoData, Plate, Point
from assay.tables.vocabulary import CLAIM_VERDICTS

DECIDED = (
    *("supported", "supported by range", "equivalent", "contradicted", "contradicted by range"),
)
ORDER = [*DECIDED, "stale", "inconclusive", "not testable here"]
COLORS = {
    "supported": "#009e73",
    "supported by range": "#7fcfb4",
    "equivalent": "#0072b2",
    "contradicted": "#dc1f52",
    "contradicted by range": "#f0a3b9",
    "stale": "#945173",
    "inconclusive": style.BAND,
    "not testable here": style.PAPER,
}
LABELS = {
    "equivalent": "white",
    "contradicted": "white",
    "stale": "white",
    "not testable here": style.INK,
}
"""The colour of a number on its bar: 4.5 to 1 or more; black where none is named."""

assert set(ORDER) == set(COLORS) == set(CLAIM_VERDICTS)


def counts(by_claim: pd.Series) -> Plate | NoData:
    """One bar a subsystem, from the verdicts of `judge.overall`."""
    if by_claim.empty:
        return NoData("nothing is claimed")
    table = by_claim.groupby(level="subsystem").value_counts().unstack(fill_value=0)
    shown = [name for name in ORDER if name in table]

    def draw(width: float) -> Figure:
        figure = Figure(figsize=(width, 0.9 + 0.32 * len(table)), layout="constrained")
        axes = figure.subplots()
        left = pd.Series(0, index=table.index)
        for name in shown:
            bars = axes.barh(
                table.index, table[name], left=left, color=COLORS[name], label=name,
                edgecolor=style.INK, linewidth=0.5, height=0.62,
            )  # fmt: skip
            axes.bar_label(
                bars, [n or "" for n in table[name]], label_type="center", fontsize=8,
                color=LABELS.get(name, "black"),
            )  # fmt: skip
            left = left + table[name]
        axes.invert_yaxis()
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("claims")
        figure.legend(loc="outside upper left", ncols=3 if width < 5 else 6, handlelength=1)
        return figure

    data = [
        Point(str(subsystem), name, "", float(row[name]), "1")
        for subsystem, row in table[shown].iterrows()
        for name in shown
    ]
    caption = (
        "Claims by verdict. A claim over several scales counts once, by the verdict that weighs "
        "most."
    )
    said = f"Bars: verdicts on {len(by_claim)} claims of {len(table)} subsystems"
    return Plate(draw, said, caption, data, False)
