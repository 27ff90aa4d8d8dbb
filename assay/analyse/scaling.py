"""How a cost grows with the scale: exponent, local slopes, and the law that fits best.

A curve is one workload, engine, variant and metric over at least 4 scales. Only blocks that have a
value at every scale count, and everything is computed within a block, on logarithms: what a block
has in common, the drift, cancels. docs/method.md explains the statistics.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, special

from assay.analyse import medians
from assay.inputs.claims import LEAST_SCALES
from assay.tables import schemas
from assay.tables.rows import Row, grouped, pick, records, successful
from assay.tables.vocabulary import LAWS, NO_LAW, weight_of

TOLD_APART = 4.0
"""Laws whose AICc differs by less are not told apart (Burnham and Anderson 2002)."""

MISFIT = 0.01
"""Level of the test that says that not even the best law fits."""

_CURVE = [
    *("machine", "profile", "subsystem", "session", "tier"),
    *("workload", "engine", "role", "variant", "metric", "unit", "better", "exact"),
]
_RESOLUTION = 1e-6
"""Relative error below which two values are the same: exact counters fit a law without noise."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """The laws fitted to a curve.

    `weights` are the Akaike weights of `LAWS`, none when there are too few values; `residuals` are
    measured / fitted at each scale for the law of the largest weight. `p` is that of the test for
    lack of fit, NaN without replicates.
    """

    weights: dict[str, float]
    residuals: Values
    p: float

    @property
    def law(self) -> str:
        """The law of the largest weight; empty without weights."""
        return max(self.weights, key=lambda name: self.weights[name], default="")

    @property
    def rivals(self) -> list[str]:
        """The laws that are not told apart from `law`."""
        enough = max(self.weights.values(), default=0.0) * np.exp(-TOLD_APART / 2)
        near = [name for name, weight in self.weights.items() if weight > enough]
        return [name for name in near if name != self.law]


def tables(measurements: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables `scaling` and `steps` of the measurements."""
    arm = successful(measurements)
    # A rate is the inverse of a time; its curve says nothing new.
    rows = records(arm[~arm["unit"].isin(["1/s", "B/s"])])
    curves = [curve for group in grouped(rows, _CURVE) if (curve := _curve(group))]
    scaling = schemas.table("scaling", [row for row, _ in curves])
    return scaling, schemas.table("steps", [step for _, steps in curves for step in steps])


def slopes(logs: Values, sizes: Values) -> Values:
    """The exponent of each block: the least-squares slope of log value over log scale.

    `logs` is blocks x scales, natural logarithms; `sizes` are the scales.
    """
    x = np.log(sizes) - np.log(sizes).mean()
    return np.asarray(logs @ x / (x @ x))


def fit(logs: Values, sizes: Values) -> Fit:
    """Fit every law to `logs`, blocks x scales; the level of a block is free.

    Within its block each value is one of B (S - 1) free ones. The error of a law is that of the
    means over the blocks (lack of fit) and of the blocks around them (pure error).
    """
    blocks, scales = logs.shape
    centred = logs - logs.mean(axis=1, keepdims=True)
    means = centred.mean(axis=0)
    pure = float(((centred - means) ** 2).sum())
    free = blocks * (scales - 1)
    shapes = {law: _shape(law, means, sizes) for law in LAWS}
    lack = {law: blocks * float(((means - shape) ** 2).sum()) for law, shape in shapes.items()}
    parameters = {law: 1 if law == "constant" else 2 for law in LAWS}
    if free <= 3:
        return Fit({}, np.full(scales, np.nan), np.nan)
    score = {
        law: free * np.log(max((pure + lack[law]) / free, _RESOLUTION**2))
        + 2 * k * free / (free - k - 1)
        for law, k in parameters.items()
    }
    least = min(score.values())
    likely = {law: float(np.exp((least - aicc) / 2)) for law, aicc in score.items()}
    weights = {law: likelihood / sum(likely.values()) for law, likelihood in likely.items()}
    best = max(weights, key=lambda law: weights[law])
    left, within = scales - parameters[best], (blocks - 1) * (scales - 1)
    p = np.nan
    if within and left and pure > 0:
        p = float(special.fdtrc(left, within, (lack[best] / left) / (pure / within)))
    return Fit(weights, np.exp(means - shapes[best]), p)


def _shape(law: str, means: Values, sizes: Values) -> Values:
    """The law of least squares through `means`, centred: fixed cost + cost * g(scale), both >= 0.

    The power law has no fixed cost: its free parameter is the exponent.
    """
    if law == "constant":
        return np.zeros_like(means)
    x = np.log(sizes)
    if law == "power":
        return np.asarray(slopes(means, sizes) * (x - x.mean()))
    growth = {"log n": x, "n": sizes, "n log n": sizes * x, "n^2": sizes**2}[law]
    with np.errstate(divide="ignore"):
        growing = np.log(growth / growth.max())

    def shape(share: float) -> Values:
        """log(1 + exp(share) * g), centred."""
        curve = np.logaddexp(0.0, share + growing)
        return np.asarray(curve - curve.mean())

    def error(share: float) -> float:
        return float(((means - shape(share)) ** 2).sum())

    # Beyond these ends the fixed cost, or what is not fixed, is lost in rounding.
    ends = (-20.0, 20.0 - min(growing[np.isfinite(growing)]))
    return shape(float(optimize.minimize_scalar(error, bounds=ends, method="bounded").x))


def _curve(rows: list[Row]) -> tuple[Row, list[Row]] | None:
    """The row of `scaling` of a curve and its rows of `steps`; None when it is none."""
    rows = [row for row in rows if row["scale"] > 0]  # an exponent says nothing of scale 0
    sizes = sorted({row["scale"] for row in rows})
    if len(sizes) < LEAST_SCALES or min(row["value"] for row in rows) <= 0:
        return None
    blocks = sorted({row["block"] for row in rows})
    values = np.full((len(blocks), len(sizes)), np.nan)
    for row in rows:
        values[blocks.index(row["block"]), sizes.index(row["scale"])] = row["value"]
    logs = np.log(values[~np.isnan(values).any(axis=1)])
    if not len(logs):
        return None
    facts = pick(rows[0], _CURVE)
    scales = np.array(sizes, dtype=np.float64)
    # Replicates of an exact counter that does not depend on the input are one observation.
    copies = bool(facts["exact"] and (logs == logs[0]).all())
    infers = facts["tier"] != "smoke" and (copies or len(logs) >= medians.LEAST)
    fitted = fit(logs[:1] if copies else logs, scales)
    told = fitted if infers else Fit({}, np.full(len(sizes), np.nan), np.nan)
    exponent = _interval("exponent", slopes(logs, scales), copies)
    whole = facts | {
        **exponent,
        "n": len(logs),
        "n_scales": len(sizes),
        "smallest": sizes[0],
        "largest": sizes[-1],
        "growth": (sizes[-1] / sizes[0]) ** exponent["exponent"],
        "law": told.law,
        **{weight_of(law): told.weights.get(law, np.nan) for law in LAWS},
        "misfit": float(np.exp(np.abs(np.log(told.residuals)).max())),
        "note": "; ".join(_notes(facts, copies, len(logs), len(blocks), told)),
    }
    return whole, list(_steps(facts, copies, logs, sizes, told.residuals))


def _steps(
    facts: Row, copies: bool, logs: Values, sizes: list[int], residuals: Values
) -> Iterator[Row]:
    for i, size in enumerate(sizes):
        slope = dict.fromkeys(("slope", "ci_low", "ci_high"), np.nan)
        if i:
            rise = logs[:, i] - logs[:, i - 1]
            slope = _interval("slope", rise / np.log(size / sizes[i - 1]), copies)
        yield facts | {
            **slope,
            "scale": size,
            "previous": sizes[i - 1] if i else 0,
            "median": float(np.exp(np.median(logs[:, i]))),
            "residual": residuals[i],
        }


def _interval(name: str, of_blocks: Values, copies: bool) -> dict[str, float]:
    """Median and interval over the blocks; copies of one value have no interval."""
    median = medians.median(of_blocks)
    ends = (np.nan, np.nan) if copies else (median.low, median.high)
    return {name: median.value, "ci_low": ends[0], "ci_high": ends[1]}


def _notes(facts: Row, copies: bool, complete: int, blocks: int, fitted: Fit) -> Iterator[str]:
    if facts["tier"] == "smoke":
        yield "smoke: no inference"
    elif complete < medians.LEAST and not copies:
        yield medians.NO_INTERVAL
    elif not fitted.weights:
        yield "too few scales to choose a law"
    if complete < blocks:
        yield f"complete in {complete} of {blocks} blocks"
    if fitted.rivals:
        yield f"not told apart: {', '.join(fitted.rivals)}"
    if fitted.p < MISFIT:
        yield NO_LAW
