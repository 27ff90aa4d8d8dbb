"""The median of a few shots and its 95 % interval."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

LEVEL = 0.95
RESAMPLES = 10_000
LEAST = 6
"""Fewest values that can carry a 95 % interval of a median: 2 * 0.5**6 < 0.05 < 2 * 0.5**5."""
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
    """Median with the percentile bootstrap interval at Student-t levels (docs/method.md).

    The ends are the quantiles F(-t) and F(t) of the resampled medians: F is the normal
    distribution, t the Student-t quantile of `level` at n - 1 degrees of freedom.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = len(ordered)
    if n == 0:
        return Median(0, np.nan, np.nan, np.nan)
    middle = float(np.median(ordered))
    if n < LEAST:
        return Median(n, middle, np.nan, np.nan)
    left, right = _middle_ranks(n)
    medians = (ordered[left] + ordered[right]) / 2
    low, high = np.quantile(medians, [_tail(n, level), 1 - _tail(n, level)])
    return Median(n, middle, float(low), float(high))


@lru_cache(maxsize=64)
def _middle_ranks(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Ranks of the two middle values of each resample of n values (the same one when n is odd).

    The median of a resample depends on ranks alone, so one drawing serves every cell of n shots.
    """
    drawn = np.random.default_rng([_SEED, n]).integers(0, n, (RESAMPLES, n))
    drawn.partition(((n - 1) // 2, n // 2), axis=1)
    return drawn[:, (n - 1) // 2], drawn[:, n // 2]


@lru_cache(maxsize=64)
def _tail(n: int, level: float) -> float:
    """Share of the resampled medians to leave out at each end."""
    return float(special.ndtr(special.stdtrit(n - 1, (1 - level) / 2)))
