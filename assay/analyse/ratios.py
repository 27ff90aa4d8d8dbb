"""Ratios between cells, paired by block, and the noise floor that says which to believe."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from assay.analyse import medians
from assay.inputs.variant import variant_keys
from assay.tables import schemas
from assay.tables.rows import Row, grouped, pick, records

LEAST_CELLS = 10
"""Fewest A/A cells for a noise floor of a workload's own; below, it has the pooled one."""

TIMED = ("s", "1/s", "s/B", "B/s")
"""Units of times and rates. What the machine adds to them is the noise that the A/A arm shows."""

NO_FLOOR = 1.0
"""The floor of anything else: bytes or allocations vary by their engine, whatever another shows."""


POWER = 0.9
"""How often a difference of the detectable size is found."""

_GROUP = ["machine", "profile", "subsystem", "session", "tier", "workload", "scale", "metric"]
_SESSION = ["machine", "profile", "subsystem", "session", "metric"]
_SHOT = [*_GROUP, "unit", "better", "engine", "role", "variant", "arm", "block", "value"]

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Ratio:
    """Median over `n` blocks of numerator / denominator, with its interval (NaN if n < 6).

    `blocks` tells the ratio of each, as tables hold it.
    """

    n: int
    ratio: float
    ci_low: float
    ci_high: float
    note: str
    blocks: str = ""


@dataclass(frozen=True)
class Arm:
    """A cell of one workload and scale, in one of its arms."""

    engine: str
    variant: str
    arm: str


def ratio(numerator: Values, denominator: Values, level: float = medians.LEVEL) -> Ratio | None:
    """The ratio over the blocks that both have; values are by block, NaN where there is none.

    None without a common block or when a value is not above 0: dropping only the blocks with a
    zero would bias the rest.
    """
    common = ~(np.isnan(numerator) | np.isnan(denominator))
    above, below = numerator[common], denominator[common]
    if not common.any() or min(above.min(), below.min()) <= 0:
        return None
    logs = medians.median(np.log(above) - np.log(below), level)
    notes = [] if common.all() else [f"paired in {logs.n} of {len(common)} blocks"]
    if logs.n < medians.LEAST:
        notes.append(medians.NO_INTERVAL)
    middle, low, high = np.exp([logs.value, logs.low, logs.high]).tolist()
    blocks = " ".join(f"{each:.6g}" for each in above / below)
    return Ratio(logs.n, middle, low, high, "; ".join(notes), blocks)


def verdict(effect: Ratio, floor: float, tier: str, unit: str = "s", better: str = "lower") -> str:
    """What may be said of a ratio of a metric in `unit` whose `better` direction is given.

    A difference needs a whole interval on one side of 1 and an effect beyond the noise floor.
    It is called slower or faster for a time or a rate, worse or better for anything else.
    """
    if tier == "smoke" or effect.n < medians.LEAST or np.isnan(floor):
        return "no inference"
    one_sided = effect.ci_low > 1 or effect.ci_high < 1
    if not one_sided or abs(np.log(effect.ratio)) <= np.log(floor):
        return "within noise"
    loss, gain = ("slower", "faster") if unit in TIMED else ("worse", "better")
    return loss if (effect.ratio > 1) == (better == "lower") else gain


def detectable(n: int, ci_low: float, ci_high: float, floor: float) -> float:
    """The smallest ratio above 1 that `n` pairs with such an interval find in 9 of 10 sessions.

    It must clear both hurdles of `verdict`: an interval on one side of 1, and the floor. NaN
    without an interval or a floor.
    """
    if not ci_low > 0 or np.isnan(floor):
        return float("nan")
    half = np.log(ci_high / ci_low) / 2
    error = half / medians.HALF_WIDTH
    beyond = np.log(floor) + _student(POWER, n - 1) * error
    return float(np.exp(max(beyond, standard_errors(n) * error)))


def standard_errors(n: int) -> float:
    """How many standard errors an effect must measure for the interval of `n` pairs to show it.

    The end of an interval varies more than its middle, the more so the fewer the pairs: Student's
    quantile makes up for that (checked in calibration.py).
    """
    return medians.HALF_WIDTH + _student(POWER, n - 1)


@cache
def _student(share: float, free: int) -> float:
    """The quantile of Student's t with so many degrees of freedom."""
    return float(special.stdtrit(free, share))


def tables(measurements: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables `ratios` and `noise` of the measurements."""
    rows = list(_rows(measurements))
    inexact = measurements[~measurements["exact"] & measurements["unit"].isin(TIMED)]
    measured = inexact[[*_SESSION, "workload"]].drop_duplicates().to_dict("records")
    aa = [row for row in rows if row["kind"] == "aa" and row["unit"] in TIMED]
    noise = _noise(measured, aa)
    at = ["machine", "session", "workload", "metric"]
    floors = noise.set_index(at)["floor"].to_dict()
    for row in rows:
        unknown = np.nan if row["unit"] in TIMED else NO_FLOOR
        row["floor"] = floors.get(tuple(pick(row, at).values()), unknown)
        effect = Ratio(**pick(row, list(Ratio.__annotations__)))
        row["detectable"] = detectable(effect.n, effect.ci_low, effect.ci_high, row["floor"])
        row["verdict"] = verdict(effect, row["floor"], row["tier"], row["unit"], row["better"])
    return schemas.table("ratios", rows), noise


def _rows(measurements: pd.DataFrame) -> Iterator[Row]:
    """Every comparison of cells by every metric that is not exact."""
    inexact = measurements.loc[~measurements["exact"], _SHOT]
    for rows in grouped(records(inexact), _GROUP):
        facts = pick(rows[0], [*_GROUP, "unit", "better"])
        place = {block: i for i, block in enumerate(sorted({row["block"] for row in rows}))}
        values: dict[Arm, Values] = {}
        for row in rows:
            cell = Arm(row["engine"], row["variant"], row["arm"])
            values.setdefault(cell, np.full(len(place), np.nan))[place[row["block"]]] = row["value"]
        references = {row["engine"] for row in rows if row["role"] == "reference"}
        for kind, cell, base in _comparisons(list(values), references):
            effect = ratio(values[cell], values[base])
            if effect:
                named = {
                    "kind": kind,
                    "engine": cell.engine,
                    "variant": cell.variant,
                    "base_engine": base.engine,
                    "base_variant": base.variant,
                }
                yield facts | named | vars(effect)


def _comparisons(cells: list[Arm], references: set[str]) -> Iterator[tuple[str, Arm, Arm]]:
    """Kind, numerator and denominator of every comparison among the cells."""
    for arm, other in combinations(cells, 2):
        for cell, base in ((arm, other), (other, arm)):
            if cell.variant == base.variant and base.arm == "A" and base.engine in references:
                if cell.arm == "B" and cell.engine == base.engine:
                    yield "aa", cell, base
                elif cell.arm == "A" and cell.engine not in references:
                    yield "engine", cell, base
            elif (
                cell.engine == base.engine
                and cell.arm == base.arm == "A"
                and _one_key_higher(cell.variant, base.variant)
            ):
                yield "variant", cell, base


def _one_key_higher(variant: str, base: str) -> bool:
    """Whether the two differ in the value of one key, and `variant` has the higher one.

    Numbers compare as numbers, anything else as text; so each pair is compared one way round.
    """
    keys, base_keys = variant_keys(variant), variant_keys(base)
    if keys.keys() != base_keys.keys():
        return False
    differing = [(value, base_keys[key]) for key, value in keys.items() if value != base_keys[key]]
    if len(differing) != 1:
        return False
    [(value, base_value)] = differing
    try:
        return float(value) > float(base_value)
    except ValueError:
        return value > base_value


def _noise(measured: list[Row], aa: list[Row]) -> pd.DataFrame:
    """Table `noise` from the A/A ratios: the floor of all pooled (`*`), and of each workload.

    `measured` holds every workload of every session and metric. Without A/A ratios it has no floor.
    """
    noise: list[Row] = []
    of_session = {tuple(pick(rows[0], _SESSION).values()): rows for rows in grouped(aa, _SESSION)}
    for workloads in grouped(measured, _SESSION):
        facts = pick(workloads[0], _SESSION)
        pool = of_session.get(tuple(facts.values()))
        if pool is None:
            continue
        pooled = {"floor": _floor(pool), "basis": "pooled"}
        noise.append(facts | pooled | {"workload": "*", "n_cells": len(pool)})
        for name in (row["workload"] for row in workloads):
            own = [row for row in pool if row["workload"] == name]
            enough = len(own) >= LEAST_CELLS
            basis = {"floor": _floor(own), "basis": "workload"} if enough else pooled
            noise.append(facts | basis | {"workload": name, "n_cells": len(own)})
    return schemas.table("noise", noise)


def floor(aa: Values) -> float:
    """What the ratio of one more A/A cell stays within 95 times in 100, from the ratios of some.

    The true log ratio is 0, so n cells have n degrees of freedom, and the next one lies within
    Student's t times their root mean square. A quantile of few values would lie too low.
    """
    logs = np.log(aa)
    spread = np.sqrt(np.mean(logs**2))
    return float(np.exp(_student((1 + medians.LEVEL) / 2, len(logs)) * spread))


def _floor(aa: list[Row]) -> float:
    return floor(np.array([row["ratio"] for row in aa]))
