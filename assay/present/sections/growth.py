"""How costs grow with the scale: exponents, laws, local slopes, and what the laws leave."""

from dataclasses import replace
from math import isnan

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from assay.inputs.claims import LEAST_SCALES
from assay.present.kit import marks, style
from assay.present.kit.canvas import NoData, Plate, Point
from assay.present.kit.curves import tick_scales
from assay.present.kit.evidence import MORE, NOT_IN_TIER, Evidence
from assay.present.kit.quantities import TIMES, quantity, ratio
from assay.present.kit.tables import INTERVAL, Column, Html, absent, cell, number, table, text
from assay.tables.rows import Row
from assay.tables.vocabulary import LAWS, weight_of


def curves(evidence: Evidence) -> Html:
    """One row a curve: its exponent, the law that fits best, the weights of all laws.

    Absent when the tier has too few scales for any.
    """
    if evidence.scaling.empty:
        return absent("Table of growth", f"is {MORE}; a curve needs {LEAST_SCALES} scales")
    columns = [
        *cell(evidence),
        text("metric", "metric", choose=True),
        Column("scales", _scales, lambda row: row["n_scales"]),
        Column(f"exponent {INTERVAL}", _exponent, lambda row: row["exponent"]),
        Column("law", lambda row: _law(row["law"])),
        Column("weights (AICc)", _weights),
        Column("largest residual", lambda row: ratio(row["misfit"]), lambda row: row["misfit"]),
        number("n", "n"),
        text("note", "note"),
    ]
    return table(evidence.scaling, columns, "Growth with the scale, one row a curve")


def steps(evidence: Evidence) -> Html:
    """One row a curve and scale: by which factor the value grows when the scale doubles."""
    columns = [
        *cell(evidence),
        text("metric", "metric", choose=True),
        number("scale", "scale"),
        Column("median", lambda row: quantity(row["median"], row["unit"]), lambda r: r["median"]),
        Column(f"a doubling {INTERVAL}", _doubling, lambda row: row["slope"]),
        Column("measured / law", lambda row: ratio(row["residual"]), lambda row: row["residual"]),
    ]
    return table(evidence.steps, columns, "Growth from scale to scale, and what the law leaves")


def residuals(evidence: Evidence) -> Plate | NoData:
    """Residuals of the time of each curve, one panel a workload, on the band of its noise floor."""
    rows = evidence.steps
    rows = rows[(rows["metric"] == "time") & rows["residual"].notna()]
    if rows.empty:
        return NoData("no curve has a law" if len(evidence.steps) else NOT_IN_TIER)
    titles = rows["engine"].map(evidence.subsystem.title)
    rows = rows.assign(label=(titles + " " + rows["variant"]).str.strip())
    looks = _looks(evidence, rows)
    panels = list(rows.groupby("workload", sort=False))

    def draw(width: float) -> Figure:
        columns = min(2, len(panels)) if width > 5 else 1
        lines = -(-len(panels) // columns)
        figure = Figure(figsize=(width, 2.6 * lines + 0.4), layout="constrained")
        all_axes = figure.subplots(lines, columns, squeeze=False).ravel()
        for axes, (workload, own) in zip(all_axes, panels, strict=False):
            axes.set_title(str(workload))
            axes.set_xlabel(evidence.facts["plan"]["workloads"][str(workload)]["scale"])
            _draw(axes, own, looks, evidence.floor(str(workload)))
            tick_scales(axes, sorted(own["scale"].unique()), (width - 0.6 * columns) / columns)
        for axes in all_axes[len(panels) :]:
            axes.set_axis_off()
        marks.legend(figure, list(looks.items()), width)
        return figure

    data = [
        Point(evidence.title(str(workload)), row["label"], row["scale"], row["residual"], TIMES)
        for workload, own in panels
        for row in own.to_dict("records")
    ]
    caption = (
        "Median time over the fitted law at each scale; the band is the noise floor. A bow that "
        "leaves the band says that the law is not the whole truth."
    )
    said = f"Line plots: measured over fitted time over the scale, {len(panels)} workloads"
    return Plate(draw, said, caption, data, False)


def _scales(row: Row) -> str:
    return f"{row['n_scales']}: {row['smallest']:,} to {row['largest']:,}"


def _exponent(row: Row) -> str:
    bounds = "" if isnan(row["ci_low"]) else f" [{row['ci_low']:.2f}, {row['ci_high']:.2f}]"
    return f"{row['exponent']:.2f}{bounds}".replace("-", "−")


def _law(law: str) -> str:
    return law.replace("^2", "²") if law else "–"


def _weights(row: Row) -> str:
    """The laws that have a weight worth showing, heaviest first."""
    weights = {law: row[weight_of(law)] for law in LAWS}
    shown = sorted((law for law in weights if weights[law] >= 0.005), key=lambda law: -weights[law])
    return ", ".join(f"{_law(law)} {weights[law]:.2f}" for law in shown) or "–"


def _doubling(row: Row) -> str:
    return ratio(*(2 ** row[end] for end in ("slope", "ci_low", "ci_high")))


def _looks(evidence: Evidence, rows: pd.DataFrame) -> dict[str, style.Look]:
    """A look a curve: the colour of its engine, and a marker a variant, the engine's own first."""
    if rows["engine"].nunique() == 1:
        return style.series(rows["label"])
    markers = [look.marker for look in style.PALETTE]
    looks = {}
    for engine, own in rows.groupby("engine"):
        look = evidence.subsystem.look(str(engine))
        first = markers.index(look.marker)
        for place, label in enumerate(sorted(own["label"].unique()), first):
            looks[label] = replace(look, marker=markers[place % len(markers)])
    return dict(sorted(looks.items()))


def _draw(axes: Axes, rows: pd.DataFrame, looks: dict[str, style.Look], floor: float) -> None:
    if not isnan(floor):
        axes.axhspan(1 / floor, floor, color=style.BAND, alpha=0.25, linewidth=0, zorder=0)
    axes.axhline(1, color=style.INK, linewidth=0.6, linestyle=":")
    for label, curve in rows.groupby("label", sort=False):
        look = looks[str(label)]
        axes.plot(
            curve["scale"], curve["residual"], look.marker, linestyle="-", color=look.color,
            markersize=4.5, linewidth=1.0,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_ylabel("measured / law")
    axes.grid()
