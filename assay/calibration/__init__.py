"""Calibration of the method: how often it is right about simulated sessions of known truth.

The tests run the same checks. `docs/method.md` explains the statistics.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from math import inf

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from assay.analyse import estimates, judge, medians, ratios, scaling
from assay.calibration import simulation
from assay.inputs.claims import Cell, Claim
from assay.inputs.study import MOST, PILOT, SHARE

BLOCKS = 8
SHAPES = ["normal", "skewed", "spiky"]
SIZES = [6, 7, 8, 9, 12, 20]
COVERAGE = (0.93, 0.97)
FLOORS = [1, 5, 20]
EFFECTS = [1.0, 1.02, 1.04, 1.06, 1.08, 1.10]
POWER_BLOCKS = [8, 12, 20]
EXPONENTS = [0.0, 0.5, 1.0, 2.0]
SCALES = np.array([1e3, 1e4, 1e5, 1e6])
LAWS = {
    "constant": np.ones(4),
    "log n": 10 + np.log(SCALES),
    "n": 1e4 + SCALES,
    "n log n": 1e5 + SCALES * np.log(SCALES),
    "n^2": 1e8 + SCALES**2,
    "power": SCALES**0.3,
}
"""One curve of each law over `SCALES`."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Check:
    """A share of trials that must lie in low..high."""

    planted: str
    counted: str
    low: float
    high: float
    trials: int
    share: Callable[[], float]


def session(
    effect: float, cells: int = 200, blocks: int = BLOCKS, cv: float = 0.03, drift: float = 0.2
) -> pd.DataFrame:
    """Measurements of a peer that takes `effect` times as long as the reference, in many cells."""
    equal = _equal(cells, blocks, cv, drift)
    factor = equal["engine"].map({"reference": 1.0, "peer": effect}).astype(float)
    return equal.assign(value=equal["value"] * factor)


@cache
def _equal(cells: int, blocks: int, cv: float, drift: float) -> pd.DataFrame:
    """Measurements of a peer that takes as long as the reference."""
    planted = [
        simulation.Simulated("work", engine, "", scale, {"time": scale * 1e-6}, cv=cv)
        for scale in range(1, cells + 1)
        for engine in ("reference", "peer")
    ]
    return simulation.measurements(planted, blocks, seed=4, drift=drift)


def of_peer(measurements: pd.DataFrame) -> pd.DataFrame:
    """The ratios of the peer to the reference."""
    compared, _ = ratios.tables(measurements)
    return compared[compared["kind"] == "engine"]


@cache
def nulls() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ratios and noise of 1000 cells in which the peer is no faster, while the machine drifts."""
    return ratios.tables(session(effect=1.0, cells=1000))


@cache
def called(effect: float, blocks: int, cv: float = 0.03, cells: int = 200) -> float:
    """The share of peers so many times as slow that are called slower."""
    peer = of_peer(session(effect, cells, blocks, cv))
    return float((peer["verdict"] == "slower").mean())


@cache
def covered_change(blocks: int = BLOCKS, trials: int = 1000) -> float:
    """The share of intervals of the difference of two sessions, 0, that hold it."""
    both = np.random.default_rng(8).standard_normal((trials, 2, blocks))
    differences = [medians.difference(sample, other) for sample, other in both]
    return float(np.mean([difference.low <= 0 <= difference.high for difference in differences]))


@cache
def covered_when_stopped(precision: float = 0.025, cells: int = 10, trials: int = 100) -> float:
    """The share of intervals that hold the truth, in sessions that end when 9 in 10 are narrow."""
    random = np.random.default_rng(7)
    held = []
    for _ in range(trials):
        values = np.exp(0.03 * random.standard_normal((cells, MOST)))
        for blocks in range(PILOT, MOST + 1):
            cell_medians = [medians.median(cell[:blocks]) for cell in values]
            table = pd.DataFrame(
                [(blocks, median.value, median.low, median.high) for median in cell_medians],
                columns=["n", "median", "ci_low", "ci_high"],
            )
            if estimates.precise(table, precision)[0] >= SHARE * cells:
                break
        held += [median.low <= 1 <= median.high for median in cell_medians]
    return float(np.mean(held))


def detectable() -> float:
    """The effect that sessions like those of `nulls` say they could have seen."""
    rows = nulls()[0]
    return float(rows.loc[rows["kind"] == "engine", "detectable"].median())


@cache
def covered(n: int, shape: str, trials: int = 1000) -> float:
    """The share of intervals of `n` values that hold the true median, 0, of their shape."""
    random = np.random.default_rng([n, len(shape)])
    normal = random.standard_normal((trials, n))
    values = {
        "normal": normal,
        "skewed": np.exp(0.5 * normal) - 1,
        "spiky": normal * np.where(random.random((trials, n)) < 0.15, 10, 1),
    }[shape]
    intervals = [medians.median(row) for row in values]
    return float(np.mean([interval.low <= 0 <= interval.high for interval in intervals]))


@cache
def under_floor(cells: int, spread: float = 1.0, trials: int = 1000) -> float:
    """The share of A/A ratios that lie within the floor of that many other cells.

    The noise of a cell is 1 % at least and `spread` times that at most.
    """
    random = np.random.default_rng([9, cells])
    noise = 0.01 * spread ** random.random((trials, cells + 1))
    logs = noise * random.standard_normal((trials, cells + 1))
    return float(np.mean([abs(row[0]) <= np.log(ratios.floor(np.exp(row[1:]))) for row in logs]))


@cache
def judged(effect: float, blocks: int, trials: int) -> pd.Series:
    """Shares of verdicts on "takes longer" over sessions with drift, cv 3 % and this effect."""
    random = np.random.default_rng(5)
    verdicts = []
    for _ in range(trials):
        drift = np.linspace(0, 0.2, blocks)
        times, other = np.exp(drift + 0.03 * random.standard_normal((2, blocks)))
        levels = (medians.LEVEL, medians.EQUIVALENCE_LEVEL)
        ratio, near = (ratios.ratio(times * effect, other, level) for level in levels)
        assert ratio and near, "every block has both, above 0"
        ends = (near.ci_low, near.ci_high)
        measured = judge.Observed(ratio.ratio, ratio.ci_low, ratio.ci_high, blocks, 1.0, ends, True)
        verdicts.append(judge.verdict(_LONGER, measured, "standard")[0])
    return pd.Series(verdicts).value_counts(normalize=True)


def curves(growth: Values, trials: int) -> Iterator[Values]:
    """Logarithms of values that grow so over `SCALES`, blocks x scales, with cv 3 % and drift."""
    random = np.random.default_rng([6, int(growth[-1])])
    drift = np.linspace(0, 0.2, BLOCKS)[:, None]
    for _ in range(trials):
        yield np.log(growth) + drift + 0.03 * random.standard_normal((BLOCKS, len(SCALES)))


@cache
def held(exponent: float, trials: int = 250) -> float:
    """The share of intervals of the exponent that hold it, the truth being a power law."""
    intervals = [
        medians.median(scaling.slopes(logs, SCALES)) for logs in curves(SCALES**exponent, trials)
    ]
    return float(np.mean([interval.low <= exponent <= interval.high for interval in intervals]))


@cache
def kept(law: str, trials: int = 100) -> float:
    """The share of curves of which the true law is chosen, or not told apart from the chosen."""
    fits = [scaling.fit(logs, SCALES) for logs in curves(LAWS[law], trials)]
    return float(np.mean([law in (fit.law, *fit.rivals) for fit in fits]))


def power() -> pd.DataFrame:
    """The share of pairs called slower, by true effect and number of blocks, at cv 3 %."""
    rows = [
        {"effect": effect, "blocks": blocks, "share": called(effect, blocks, cells=100)}
        for blocks in POWER_BLOCKS
        for effect in EFFECTS
    ]
    return pd.DataFrame(rows)


def checks() -> Iterator[Check]:
    """Every check, in the order in which a reader wants them."""
    null = "no difference, cv 3 %, 20 % drift, 8 blocks"
    yield Check(null, "called different", 0, 0.07, 1000, lambda: _called_different("engine"))
    yield Check(null, "interval alone excludes 1", 0, 0.07, 1000, _excluded)
    yield Check(null, "A/A pairs called different", 0, 0.07, 1000, lambda: _called_different("aa"))
    for n in FLOORS:
        yield Check(
            f"noise floor of {n} A/A cells", "holds another A/A ratio", *COVERAGE, 1000,
            partial(under_floor, n),
        )  # fmt: skip
    yield Check(
        "the same, 20 cells of 1 to 10 % noise", "holds another A/A ratio", 0.9, 0.985, 1000,
        partial(under_floor, 20, 10.0),
    )  # fmt: skip
    ten = partial(called, 1.10)
    yield Check("10 % slower, cv 3 %, 20 blocks", "called slower", 0.9, 1, 200, partial(ten, 20))
    seen = "slower by what the nulls could have seen, 8 blocks"
    yield Check(
        seen, "called slower", 0.84, 0.97, 1000, lambda: called(detectable(), BLOCKS, cells=1000)
    )
    double = partial(called, 2.0, BLOCKS, 0.1)
    yield Check("twice the time, cv 10 %, 8 blocks", "called slower", 1, 1, 200, double)
    hidden = partial(ten, BLOCKS, 0.3)
    yield Check("10 % slower, cv 30 %, 8 blocks", "called slower", 0, 0.1, 200, hidden)
    yield Check(
        f"claim “takes longer”: {null}", "supported or contradicted", 0, 0.07, 1000,
        lambda: _verdicts(1.0, BLOCKS, 1000, "supported", "contradicted"),
    )  # fmt: skip
    yield Check(
        "the same claim: 10 % slower, 20 blocks", "supported", 0.9, 1, 300,
        lambda: _verdicts(1.10, 20, 300, "supported"),
    )  # fmt: skip
    yield Check(
        "the same claim: 5 % slower, 20 blocks", "equivalent", 0, 0.07, 1000,
        lambda: _verdicts(judge.MARGIN, 20, 1000, "equivalent"),
    )  # fmt: skip
    for shape in SHAPES:
        for n in SIZES:
            share = partial(covered, n, shape)
            planted = f"{shape} values, n = {n}"
            yield Check(planted, "interval holds the median", *COVERAGE, 1000, share)
    two = "two sessions of 8 blocks, normal values"
    yield Check(two, "interval of the change holds it", *COVERAGE, 1000, covered_change)
    yield Check(
        "cv 3 %, ended by rule at ±2.5 %", "interval holds the median", *COVERAGE, 1000,
        covered_when_stopped,
    )  # fmt: skip
    four = "1,000 to 1,000,000 in 4 scales, cv 3 %, 20 % drift, 8 blocks"
    for exponent in EXPONENTS:
        yield Check(
            f"cost as n^{exponent:g}, {four}", "interval holds the exponent", 0.93, 1, 250,
            partial(held, exponent),
        )  # fmt: skip
    for law in LAWS:
        yield Check(
            f"cost by law {law}, {four}", "law chosen, or not told apart", 0.93, 1, 100,
            partial(kept, law),
        )  # fmt: skip


_LONGER = Claim(
    id="longer",
    subsystem="",
    text="",
    report="",
    section="",
    not_testable="",
    metric="time",
    cell=Cell("peer", "work", "", None),
    base=Cell("reference", "work", "", None),
    low=1,
    high=inf,
    tolerance=0.0,
    scales=(1, inf),
    profile="",
)


def _called_different(kind: str) -> float:
    """The share of pairs of a kind, all without a difference, that are called different."""
    rows = nulls()[0]
    return float((rows.loc[rows["kind"] == kind, "verdict"] != "within noise").mean())


def _excluded() -> float:
    """The share of intervals of the peer that leave out the true ratio, 1."""
    rows = nulls()[0]
    rows = rows[rows["kind"] == "engine"]
    return float(((rows["ci_low"] > 1) | (rows["ci_high"] < 1)).mean())


def _verdicts(effect: float, blocks: int, trials: int, *counted: str) -> float:
    shares = judged(effect, blocks, trials)
    return float(sum(shares.get(name, 0.0) for name in counted))
