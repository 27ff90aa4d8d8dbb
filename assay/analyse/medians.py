"""The median of a few shots, the difference of two, and their 95 % intervals."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

LEVEL = 0.95
EQUIVALENCE_LEVEL = 0.90
"""Two one-sided tests at 5 % are an interval of 90 % (Schuirmann 1987)."""
RESAMPLES = 10_000
LEAST = 6
"""Fewest values that can carry a 95 % interval of a median: 2 * 0.5**6 < 0.05 < 2 * 0.5**5."""
HALF_WIDTH = float(special.ndtri((1 + LEVEL) / 2))
"""Standard errors of the median from it to an end of its interval, near enough at any n."""
NO_INTERVAL = f"n < {LEAST}: no 95 % interval"
_SEED = 20250807


@dataclass(frozen=True)
class Median:
    """The median of `n` values and its interval, in their unit; ends are NaN if n < 6."""

    n: int
    value: float
    low: float
    high: float


def median(values: ArrayLike, level: float = LEVEL) -> Median:
    """Median with the interval of interpolated order statistics (docs/method.md); none is NaN.

    Source: Hettmansperger and Sheather, Statistics & Probability Letters 4, 1986.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = len(ordered)
    if n == 0:
        return Median(0, np.nan, np.nan, np.nan)
    middle = float(ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    if n < LEAST:
        return Median(n, middle, np.nan, np.nan)
    outer, inwards = _between(n, level)
    # Not as a weighted sum: of equal values that may lie beside them, by the last bit.
    low, high = (
        side[outer] + inwards * (side[outer + 1] - side[outer]) for side in (ordered, ordered[::-1])
    )
    return Median(n, middle, float(low), float(high))


def difference(values: ArrayLike, base: ArrayLike, level: float = LEVEL) -> Median:
    """The median of `values` less that of `base`, two samples that have nothing in common.

    The interval is the percentile bootstrap over resamples of both. `n` is the size of the
    smaller sample.
    """
    sample, other = (np.asarray(side, dtype=np.float64) for side in (values, base))
    n = min(len(sample), len(other))
    middle = float(np.median(sample) - np.median(other)) if n else np.nan
    if n < LEAST:
        return Median(n, middle, np.nan, np.nan)
    differences = _resampled(np.sort(sample), stream=0) - _resampled(np.sort(other), stream=1)
    low, high = np.quantile(differences, [(1 - level) / 2, (1 + level) / 2])
    return Median(n, middle, float(low), float(high))


@cache
def _between(n: int, level: float) -> tuple[int, float]:
    """Where the ends lie, counted from either end of `n` ordered values.

    The first is the index of the last value that, with its mirror image, holds the median at
    `level` or more often. The second is the share of the way to the next value inwards.
    """

    def held(index: int) -> float:
        return float(1 - 2 * special.bdtr(index, n, 0.5))

    outer = max(index for index in range((n + 1) // 2) if held(index) >= level)
    excess = (held(outer) - level) / (held(outer) - held(outer + 1))
    before, after = outer + 1, n - outer - 1
    return outer, after * excess / (before + (after - before) * excess)


def _resampled(ordered: NDArray[np.float64], stream: int) -> NDArray[np.float64]:
    """The medians of the resamples of ordered values; another stream draws others."""
    lower, upper = _middles(len(ordered), stream)
    return (ordered[lower] + ordered[upper]) / 2


@cache
def _middles(n: int, stream: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which two of `n` ordered values lie in the middle of each resample; the same one if n is odd.

    The median of a resample is that of the ranks drawn, so ranks are drawn once for every n.
    """
    drawn = np.random.default_rng([_SEED, n, stream]).integers(0, n, (RESAMPLES, n))
    drawn.sort(axis=1)
    return drawn[:, (n - 1) // 2], drawn[:, n // 2]
