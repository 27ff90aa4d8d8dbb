"""Sparks: a claim's bounds as a band and what was measured as a mark, small enough for a cell."""

from collections.abc import Iterable
from html import escape
from math import exp, inf, isfinite, isnan, log

from assay.tables.rows import Row

WIDTH, HEIGHT, EDGE = 150, 20, 6
LEAST_SPAN = 1.25
"""Smallest factor between a spark's middle and its ends, so that noise does not look like much."""


def spark(row: Row, said: str) -> str:
    """A row of `verdicts` as an <svg> element on a logarithmic axis; `said` is its text."""
    marked = [row[name] for name in ("low", "high", "effect", "ci_low", "ci_high")]
    marked += [1.0] if row["statistic"] == "ratio" else []
    shown = [value for value in marked if isfinite(value) and value > 0]
    if not shown:
        return ""
    low, high = _reach(shown)

    def x(value: float) -> float:
        share = 0.0 if value <= low else 1.0 if value >= high else log(value / low, high / low)
        return EDGE + share * (WIDTH - 2 * EDGE)

    left = 0.0 if row["low"] <= 0 else x(row["low"])
    right = WIDTH if row["high"] == inf else x(row["high"])
    parts = [f'<rect x="{left:.1f}" y="2" width="{right - left:.1f}" height="{HEIGHT - 4}"/>']
    if row["statistic"] == "ratio":
        parts.append(f'<path class="one" d="M{x(1):.1f} 0V{HEIGHT}"/>')
    if not isnan(row["ci_low"]):
        parts.append(f'<path d="M{x(row["ci_low"]):.1f} {HEIGHT / 2}H{x(row["ci_high"]):.1f}"/>')
    if row["effect"] > 0:
        parts.append(f'<circle cx="{x(row["effect"]):.1f}" cy="{HEIGHT / 2}" r="3.2"/>')
    return (
        f'<svg class="spark" role="img" aria-label="{escape(said)}" width="{WIDTH}" '
        f'height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>'
    )


def _reach(values: Iterable[float]) -> tuple[float, float]:
    """The ends of the axis: all values, and some room."""
    logs = [log(value) for value in values]
    middle, half = (max(logs) + min(logs)) / 2, (max(logs) - min(logs)) / 2
    half = max(1.15 * half, log(LEAST_SPAN))
    return exp(middle - half), exp(middle + half)
