"""How costs grow with the scale: exponents, laws, local slopes, and what the laws leave."""

from math import isnan

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from assay.inputs.claims import LEAST_SCALES
from assay.present.kit import marks, style
from assay.present.kit.canvas import NoData, Plate, Point
from assay.present.kit.curves import panel_title, tick_scales
from assay.present.kit.evidence import MORE, NOT_IN_TIER, Evidence
from assay.present.kit.quantities import TIMES, quantity, ratio
from assay.present.kit.tables import (
    INTERVAL,
    Column,
    Html,
    absent,
    cell,
    note,
    number,
    table,
    text,
    valued,
)
from assay.tables.rows import Row, records
from assay.tables.vocabulary import LAWS, NO_LAW, weight_of


def curves(evidence: Evidence) -> Html:
    """One row a curve: its exponent, the law that fits best, the weights of all laws.

    Absent when the tier has too few scales for any.
    """
    if evidence.scaling.empty:
        return absent("Table of growth", f"is {MORE}; a curve needs {LEAST_SCALES} scales")
    columns = [
        *cell(evidence),
        text("metric", "metric", choose=True),
        Column(
            "scales",
            lambda row: f"{row['n_scales']}: {row['smallest']:,} to {row['largest']:,}",
            lambda row: row["n_scales"],
        ),
        Column(f"exponent {INTERVAL}", _exponent, lambda row: row["exponent"]),
        Column("law", _fitting),
        Column("weights (AICc)", _weights),
        valued("largest residual", "misfit", ratio),
        number("n", "n"),
        text("note", "note"),
    ]
    shown = table(evidence.scaling, columns, "Growth with the scale, one row a curve")
    fixed = note(
        "A law may have a fixed cost beside it, but for the constant and the power: where that is "
        "large, the exponent is small."
    )
    return Html(shown.text + fixed.text)


def steps(evidence: Evidence) -> Html:
    """One row a curve and scale: by which factor the value grows when the scale doubles."""
    columns = [
        *cell(evidence),
        text("metric", "metric", choose=True),
        number("scale", "scale"),
        Column("median", lambda row: quantity(row["median"], row["unit"]), lambda r: r["median"]),
        Column(f"a doubling {INTERVAL}", _doubling, lambda row: row["slope"]),
        valued("measured / law", "residual", ratio),
    ]
    return table(evidence.steps, columns, "Growth from scale to scale, and what the law leaves")


def residuals(evidence: Evidence) -> Plate | NoData:
    """Residuals of the time of each curve, one panel a workload, on the band of its noise floor."""
    rows = evidence.steps
    rows = rows[(rows["metric"] == "time") & rows["residual"].notna()]
    if rows.empty:
        return NoData("no curve has a law" if len(evidence.steps) else NOT_IN_TIER)
    titles = rows["engine"].map(evidence.subsystem.title)
    variants = rows["variant"].map(evidence.subsystem.spoken)
    rows = rows.assign(curve=(titles + ", " + variants).str.removesuffix(", "))
    alone = rows["engine"].nunique() == 1
    rows["label"] = rows["curve"] if alone else titles
    listed = [name for name in evidence.subsystem.engines if name in set(rows["engine"])]
    engines = dict(map(evidence.subsystem.shown, listed))
    looks = style.series(rows["label"]) if alone else engines
    panels = list(rows.groupby("workload", sort=False))

    def draw(width: float) -> Figure:
        columns = min(2, len(panels)) if width > 5 else 1
        room = (width - 0.6 * columns) / columns
        lines = -(-len(panels) // columns)
        figure = Figure(figsize=(width, 2.6 * lines + 0.4), layout="constrained")
        all_axes = figure.subplots(lines, columns, squeeze=False).ravel()
        for axes, (workload, own) in zip(all_axes, panels, strict=False):
            axes.set_title(panel_title(evidence.title(str(workload)), room))
            axes.set_xlabel(evidence.facts["plan"]["workloads"][str(workload)]["scale"])
            _draw(axes, own, looks, evidence.floor(str(workload)))
            tick_scales(axes, sorted(own["scale"].unique()), room)
        for axes in all_axes[len(panels) :]:
            axes.set_axis_off()
        marks.legend(figure, list(looks.items()), width)
        return figure

    data = [
        Point(evidence.title(str(workload)), row["curve"], row["scale"], row["residual"], TIMES)
        for workload, own in panels
        for row in records(own)
    ]
    caption = (
        "Median time over the fitted law at each scale, a line a variant; the band is the noise "
        "floor. A bow that leaves the band says that the law is not the whole truth."
    )
    said = f"Line plots: measured over fitted time over the scale, {len(panels)} workloads"
    return Plate(draw, said, caption, data, False)


def _exponent(row: Row) -> str:
    known = [row[name] for name in ("exponent", "ci_low", "ci_high") if not isnan(row[name])]
    shown, *ends = (f"{value:z.2f}".replace("-", "−") for value in known)
    return f"{shown} [{', '.join(ends)}]" if ends else shown


def _law(law: str) -> str:
    return law.replace("^2", "²") if law else "–"


def _fitting(row: Row) -> str:
    """The law that fits best; none where none does, or all it says is of less than a hundredth."""
    if NO_LAW in row["note"]:
        return "none fits"
    flat = row["law"] != "constant" and abs(row["growth"] - 1) < 0.01
    return "grows by less than 1 %" if flat else _law(row["law"])


def _weights(row: Row) -> str:
    """The laws that have a weight worth showing, heaviest first."""
    weights = {law: row[weight_of(law)] for law in LAWS}
    shown = sorted((law for law in weights if weights[law] >= 0.005), key=lambda law: -weights[law])
    return ", ".join(f"{_law(law)} {weights[law]:.2f}" for law in shown) or "–"


def _doubling(row: Row) -> str:
    return ratio(*(2 ** row[end] for end in ("slope", "ci_low", "ci_high")))


def _draw(axes: Axes, rows: pd.DataFrame, looks: dict[str, style.Look], floor: float) -> None:
    if not isnan(floor):
        axes.axhspan(1 / floor, floor, color=style.BAND, alpha=0.25, linewidth=0, zorder=0)
    axes.axhline(1, color=style.INK, linewidth=0.6, linestyle=":")
    for _, curve in rows.groupby("curve", sort=False):
        look = looks[curve["label"].iloc[0]]
        axes.plot(
            curve["scale"], curve["residual"], look.marker, linestyle="-", color=look.color,
            markersize=4.5, linewidth=1.0,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_ylabel("measured / law")
    axes.grid()
