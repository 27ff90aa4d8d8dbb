"""How costs grow with the scale: exponents, laws and local slopes of a session, as tables."""

from math import isnan

from assay.inputs.claims import LEAST_SCALES
from assay.present.kit.evidence import MORE, Evidence
from assay.present.kit.quantities import quantity, ratio
from assay.present.kit.tables import INTERVAL, Column, Html, absent, cell, number, table, text
from assay.tables.rows import Row
from assay.tables.vocabulary import LAWS, weight_of


def growth(evidence: Evidence) -> Html:
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
