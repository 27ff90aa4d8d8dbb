"""The median of a few shots, the difference of two, and their 95 % intervals."""

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
    low, high = np.quantile(_medians(ordered), [_tail(n - 1, level), 1 - _tail(n - 1, level)])
    return Median(n, middle, float(low), float(high))


def difference(values: ArrayLike, base: ArrayLike, level: float = LEVEL) -> Median:
    """The median of `values` less that of `base`, two samples that have nothing in common.

    The interval is that of `median`, over resamples of both, at the degrees of freedom of
    both together. `n` is the size of the smaller sample.
    """
    one, other = (np.sort(np.asarray(of, dtype=np.float64)) for of in (values, base))
    n = min(len(one), len(other))
    middle = float(np.median(one) - np.median(other)) if n else np.nan
    if n < LEAST:
        return Median(n, middle, np.nan, np.nan)
    differences = _medians(one) - _medians(other, stream=1)
    tail = _tail(len(one) + len(other) - 2, level)
    low, high = np.quantile(differences, [tail, 1 - tail])
    return Median(n, middle, float(low), float(high))


def _medians(ordered: NDArray[np.float64], stream: int = 0) -> NDArray[np.float64]:
    """The medians of the resamples of ordered values; another stream draws others."""
    left, right = _middle_ranks(len(ordered), stream)
    return np.asarray((ordered[left] + ordered[right]) / 2)


@lru_cache(maxsize=64)
def _middle_ranks(n: int, stream: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Ranks of the two middle values of each resample of n values (the same one when n is odd).

    The median of a resample depends on ranks alone, so one drawing serves every cell of n shots.
    """
    seed = [_SEED, n, stream] if stream else [_SEED, n]
    drawn = np.random.default_rng(seed).integers(0, n, (RESAMPLES, n))
    drawn.partition(((n - 1) // 2, n // 2), axis=1)
    return drawn[:, (n - 1) // 2], drawn[:, n // 2]


@lru_cache(maxsize=64)
def _tail(freedom: int, level: float) -> float:
    """Share of the resampled medians to leave out at each end, at these degrees of freedom."""
    return float(special.ndtr(special.stdtrit(freedom, (1 - level) / 2)))
