"""Bars: a ratio with its interval beside 1, small enough for a cell of a table."""

from collections.abc import Iterable
from html import escape
from math import isnan, log

from assay.present.kit.marks import Estimate

WIDTH, HEIGHT, EDGE = 110, 16, 5
LEAST = 2.0
"""Smallest ratio at the end of an axis, so that noise does not look like much."""


def reach(effects: Iterable[Estimate]) -> float:
    """The ratio at the right end of an axis that holds all of them; its inverse is at the left."""
    shown = [
        v for effect in effects for v in (effect.median, effect.low, effect.high) if not isnan(v)
    ]
    return max([LEAST, *(max(value, 1 / value) for value in shown)])


def bar(effect: Estimate, end: float, said: str) -> str:
    """The ratio as an <svg> element, logarithmic from 1/`end` to `end`; `said` is its text."""

    def x(value: float) -> float:
        share = (1 + log(value) / log(end)) / 2
        return EDGE + share * (WIDTH - 2 * EDGE)

    middle, at = HEIGHT / 2, x(effect.median)
    left, right = sorted((x(1), at))
    parts = [
        f'<rect x="{left:.1f}" y="4" width="{right - left:.1f}" height="{HEIGHT - 8}"/>',
        f'<path class="one" d="M{x(1):.1f} 0V{HEIGHT}"/>',
    ]
    if not isnan(effect.low):
        parts.append(f'<path d="M{x(effect.low):.1f} {middle:g}H{x(effect.high):.1f}"/>')
    parts.append(f'<circle cx="{at:.1f}" cy="{middle:g}" r="2.6"/>')
    return (
        f'<svg class="spark" role="img" aria-label="{escape(said)}" width="{WIDTH}" '
        f'height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>'
    )
