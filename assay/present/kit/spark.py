"""Drawings small enough for a cell of a table, on logarithmic axes."""

from collections.abc import Iterable, Sequence
from html import escape
from math import exp, inf, isfinite, isnan, log

from assay.present.kit.marks import Estimate
from assay.tables.rows import Row

SPARK, SPARK_HEIGHT, SPARK_EDGE = 150, 20, 6
LEAST_SPAN = 1.25
"""Smallest factor between a spark's middle and its ends, so that noise does not look like much."""

BAR, BAR_HEIGHT, BAR_EDGE = 110, 16, 5
LEAST = 2.0
"""Smallest ratio at the end of an axis of bars, for the same reason."""


def spark(row: Row, said: str) -> str:
    """A claim's bounds as a band and what was measured as a mark: a row of `verdicts`."""
    marked = [row[name] for name in ("low", "high", "effect", "ci_low", "ci_high")]
    marked += [1.0] if row["statistic"] == "ratio" else []
    shown = [value for value in marked if isfinite(value) and value > 0]
    if not shown:
        return ""
    low, high = _ends(shown)

    def x(value: float) -> float:
        share = 0.0 if value <= low else 1.0 if value >= high else log(value / low, high / low)
        return SPARK_EDGE + share * (SPARK - 2 * SPARK_EDGE)

    left = 0.0 if row["low"] <= 0 else x(row["low"])
    right = SPARK if row["high"] == inf else x(row["high"])
    middle = SPARK_HEIGHT / 2
    parts = [f'<rect x="{left:.1f}" y="2" width="{right - left:.1f}" height="{SPARK_HEIGHT - 4}"/>']
    if row["statistic"] == "ratio":
        parts.append(f'<path class="one" d="M{x(1):.1f} 0V{SPARK_HEIGHT}"/>')
    if not isnan(row["ci_low"]):
        parts.append(f'<path d="M{x(row["ci_low"]):.1f} {middle}H{x(row["ci_high"]):.1f}"/>')
    if row["effect"] > 0:
        parts.append(f'<circle cx="{x(row["effect"]):.1f}" cy="{middle}" r="3.2"/>')
    return _svg(parts, said, SPARK, SPARK_HEIGHT)


def bar(effect: Estimate, end: float, said: str) -> str:
    """A ratio with its interval beside 1, on an axis from 1/`end` to `end`."""

    def x(value: float) -> float:
        share = (1 + log(value) / log(end)) / 2
        return BAR_EDGE + share * (BAR - 2 * BAR_EDGE)

    middle, at = BAR_HEIGHT / 2, x(effect.median)
    left, right = sorted((x(1), at))
    parts = [
        f'<rect x="{left:.1f}" y="4" width="{right - left:.1f}" height="{BAR_HEIGHT - 8}"/>',
        f'<path class="one" d="M{x(1):.1f} 0V{BAR_HEIGHT}"/>',
    ]
    if not isnan(effect.low):
        parts.append(f'<path d="M{x(effect.low):.1f} {middle:g}H{x(effect.high):.1f}"/>')
    parts.append(f'<circle cx="{at:.1f}" cy="{middle:g}" r="2.6"/>')
    return _svg(parts, said, BAR, BAR_HEIGHT)


def reach(effects: Iterable[Estimate]) -> float:
    """The ratio at the right end of an axis that holds all of them; its inverse is at the left."""
    shown = [value for effect in effects for value in effect.known]
    return max([LEAST, *(max(value, 1 / value) for value in shown)])


def _ends(values: Iterable[float]) -> tuple[float, float]:
    """The ends of the axis of a spark: all values, and some room."""
    logs = [log(value) for value in values]
    middle, half = (max(logs) + min(logs)) / 2, (max(logs) - min(logs)) / 2
    half = max(1.15 * half, log(LEAST_SPAN))
    return exp(middle - half), exp(middle + half)


def _svg(parts: Sequence[str], said: str, width: int, height: int) -> str:
    """An <svg> element whose text is what is `said`."""
    return (
        f'<svg class="spark" role="img" aria-label="{escape(said)}" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}">{"".join(parts)}</svg>'
    )
