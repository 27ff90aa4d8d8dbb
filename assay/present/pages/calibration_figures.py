"""What the method finds and how often it is right, from simulated sessions."""

import pandas as pd
from matplotlib.figure import Figure

from assay.calibration import COVERAGE
from assay.present.kit import style
from assay.present.kit.canvas import Plate, Point


def power(shares: pd.DataFrame) -> Plate:
    """Share of pairs called slower over the true effect, one curve a number of blocks.

    Columns as in `assay.calibration.power`.
    """
    looks = style.series(f"{blocks:02} blocks" for blocks in shares["blocks"].unique())

    def draw(width: float) -> Figure:
        figure = Figure(figsize=(width, 3.1), layout="constrained")
        axes = figure.subplots()
        for blocks, rows in shares.groupby("blocks"):
            look = looks[f"{blocks:02} blocks"]
            axes.plot(
                100 * (rows["effect"] - 1), 100 * rows["share"], look.marker, linestyle="-",
                color=look.color, markersize=4, linewidth=1.1, label=f"{blocks} blocks",
            )  # fmt: skip
        axes.axhspan(90, 100, color=style.BAND, alpha=0.2, linewidth=0)
        axes.grid(True)
        axes.set(xlabel="true difference, %", ylabel="called slower, % of pairs", ylim=(-3, 103))
        figure.legend(loc="outside upper left", ncols=3)
        return figure

    data = [
        Point(f"{row['blocks']} blocks", "", 100 * (row["effect"] - 1), 100 * row["share"], "%")
        for row in shares.to_dict("records")
    ]
    caption = (
        "How large a difference must be to be found: 100 simulated pairs a point, cv 3 %, 20 % "
        "drift. The band is 90 % and more."
    )
    said = "Line plot: share of pairs called slower over the true difference in %"
    return Plate(draw, said, caption, data, False)


def coverage(shares: pd.DataFrame) -> Plate:
    """Share of intervals that hold the truth; columns shape, n, share."""
    looks = style.series(shares["shape"])

    def draw(width: float) -> Figure:
        figure = Figure(figsize=(width, 2.7), layout="constrained")
        axes = figure.subplots()
        low, high = (100 * end for end in COVERAGE)
        axes.axhspan(low, high, color=style.BAND, alpha=0.2, linewidth=0)
        axes.axhline(95, color=style.INK, linewidth=0.6, linestyle=":")
        for shape, rows in shares.groupby("shape"):
            look = looks[str(shape)]
            axes.plot(
                rows["n"], 100 * rows["share"], look.marker, linestyle="-", color=look.color,
                markersize=4, linewidth=1.1, label=str(shape),
            )  # fmt: skip
        axes.set(xlabel="values behind an interval", ylabel="hold the truth, %", ylim=(90, 100))
        axes.set_xticks(sorted(shares["n"].unique()))
        figure.legend(loc="outside upper left", ncols=3)
        return figure

    data = [
        Point("", row["shape"], row["n"], 100 * row["share"], "%")
        for row in shares.to_dict("records")
    ]
    caption = (
        "How many of 1,000 intervals at nominal 95 % hold the true median, for three shapes of "
        "noise. The band is what the tests allow."
    )
    said = "Line plot: share of intervals that hold the truth over the values behind one"
    return Plate(draw, said, caption, data, False)
