"""Two sessions of the same subsystem, cell by cell: what changed, and what cannot be told.

The shots of two sessions share no block, so nothing is paired: a change is the ratio of the
medians, with a bootstrap over the shots of both. What a reboot or another day does is in no
interval; the margin, 5 % or the larger noise floor, is all that stands against it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from assay.analyse import medians, ratios
from assay.analyse.judge import MARGIN
from assay.analyse.session import Session
from assay.analyse.sessions import Key, Sessions
from assay.tables.rows import Row, grouped, pick

CHANGED, LOST = 1, 2
"""Exit codes: something is slower or worse; something of the first session cannot be compared."""

_CELL = ["workload", "engine", "variant", "scale", "metric"]


@dataclass(frozen=True)
class Gap:
    """What cannot be compared, and why. `lost` when the first session had it."""

    what: str
    why: str
    lost: bool


@dataclass(frozen=True)
class Comparison:
    """Two sessions of the same key; one of them is None where there is only the other.

    A row of `changes` is a cell and metric: `before` and `after` are medians in `unit`, `ratio` is
    after / before with its interval (none for exact counters), `margin` is what it had to exceed,
    `p` that of a Mann-Whitney U test.
    """

    subsystem: str
    profile: str
    machine: str
    before: Session | None
    after: Session | None
    changes: Sequence[Row]
    gaps: Sequence[Gap]


def compare(before: Sessions, after: Sessions, metrics: Collection[str]) -> list[Comparison]:
    """The sessions that have the same key, by `metrics` and exact counters.

    Raises `ValueError` for a metric that A or B has nowhere: nothing would be compared by it.
    """
    for name, sessions in (("A", before), ("B", after)):
        known = {
            metric for session in sessions.values() for metric in session.measurements["metric"]
        }
        if missing := sorted({*metrics} - known):
            raise ValueError(
                f"no metric {', '.join(missing)} in {name}, expected of {', '.join(sorted(known))}"
            )
    return [
        _compare(key, before.get(key), after.get(key), metrics) for key in sorted({*before, *after})
    ]


def differences(comparison: Comparison) -> dict[str, tuple[str, str]]:
    """Facts of the machine and the toolchain that differ beside the engines, in A and in B."""
    if comparison.before is None or comparison.after is None:
        return {}
    before, after = (
        {**session.facts["machine_facts"], **session.facts["plan"]["toolchain"]}
        for session in (comparison.before, comparison.after)
    )
    pairs = {fact: (_fact(before, fact), _fact(after, fact)) for fact in [*before, *after]}
    return {fact: pair for fact, pair in pairs.items() if pair[0] != pair[1]}


def _fact(facts: Mapping[str, object], name: str) -> str:
    return str(facts.get(name, "")) or "unknown"


def code(comparisons: Sequence[Comparison]) -> int:
    """The exit code: `CHANGED`, else `LOST`, else 0: what cannot be told is not a pass."""
    verdicts = {row["verdict"] for comparison in comparisons for row in comparison.changes}
    if verdicts & {"slower", "worse"}:
        return CHANGED
    unknown = not verdicts or "no inference" in verdicts
    lost = any(gap.lost for comparison in comparisons for gap in comparison.gaps)
    return LOST if unknown or lost else 0


def _compare(
    key: Key, before: Session | None, after: Session | None, metrics: Collection[str]
) -> Comparison:
    def nothing(why: str) -> Comparison:
        gap = Gap("{}, profile {}, machine {}".format(*key), why, before is not None)
        return Comparison(*key, before, after, [], [gap])

    if before is None or after is None:
        return nothing(f"measured only in {'A' if before else 'B'}")
    seeds = before.facts["seed"], after.facts["seed"]
    if seeds[0] != seeds[1]:
        return nothing(f"other seeds, so other inputs: {seeds[0]} and {seeds[1]}")
    cells = [_cells(session.measurements, metrics) for session in (before, after)]
    changes, gaps = list[Row](), list[Gap]()
    for cell in sorted({*cells[0], *cells[1]}):
        baseline, other = (rows.get(cell, []) for rows in cells)
        if why := _not_comparable(baseline, other):
            workload, engine, variant, scale, metric = cell
            name = ", ".join(filter(None, [workload, engine, variant, f"{scale:,}", metric]))
            gaps.append(Gap(name, why, bool(_values(baseline)) or not other))
        elif baseline[0]["exact"]:
            changes.append(_counted(baseline, other))
        else:
            timed = baseline[0]["unit"] in ratios.TIMED
            floors = [s.floor(cell[0], cell[4]) for s in (before, after)] if timed else []
            changes.append(_timed(baseline, other, float(np.max([MARGIN, *floors]))))
    return Comparison(*key, before, after, changes, gaps)


def _cells(
    measurements: pd.DataFrame, metrics: Collection[str]
) -> dict[tuple[Any, ...], list[Row]]:
    """The shots of arm A by cell; those that failed stand under the metric `time`."""
    rows = measurements[measurements["arm"] == "A"]
    rows = rows[rows["metric"].isin(list(metrics)) | rows["exact"]]
    return {
        tuple(pick(cell[0], _CELL).values()): cell
        for cell in grouped(rows.to_dict("records"), _CELL)
    }


def _not_comparable(baseline: list[Row], other: list[Row]) -> str:
    """Why the shots of two sessions say nothing of a change; empty when they do."""
    for name, rows in (("A", baseline), ("B", other)):
        if not rows:
            return f"not in {name}"
        if not _values(rows):
            return f"no value in {name}: {rows[0]['status']}: {rows[0]['reason'].splitlines()[0]}"
        if rows[0]["exact"] and any(len(counts) > 1 for counts in _counts(rows).values()):
            return f"the exact counter varies in {name}"
        if not rows[0]["exact"] and min(_values(rows)) <= 0:
            return f"not above 0 in {name}: no ratio"
    if _counts(baseline).keys().isdisjoint(_counts(other)):
        return "other inputs: no shot of A has the seed of one of B"
    facts = [pick(rows[0], ["unit", "better", "exact"]) for rows in (baseline, other)]
    if facts[0] != facts[1]:
        return f"another metric under the same name: {facts[0]} and {facts[1]}"
    return ""


def _timed(baseline: list[Row], other: list[Row], margin: float) -> Row:
    before, after = (np.array(_values(rows)) for rows in (baseline, other))
    logs = medians.difference(np.log(after), np.log(before))
    value, low, high = np.exp([logs.value, logs.low, logs.high]).tolist()
    tier = "smoke" if "smoke" in (baseline[0]["tier"], other[0]["tier"]) else baseline[0]["tier"]
    effect = ratios.Ratio(logs.n, value, low, high, "")
    verdict = ratios.verdict(effect, margin, tier, baseline[0]["unit"], baseline[0]["better"])
    tied = len(np.unique([*before, *after])) < len(before) + len(after)
    method = "asymptotic" if tied else "exact"
    p = float(stats.mannwhitneyu(after, before, method=method).pvalue)
    return _row(baseline, other) | {
        "ratio": value,
        "ci_low": low,
        "ci_high": high,
        "margin": margin,
        "p": p,
        "verdict": verdict,
    }


def _counted(baseline: list[Row], other: list[Row]) -> Row:
    """The counts for the inputs that both had: worse when one of them is."""
    counts = _counts(baseline), _counts(other)
    seeds = counts[0].keys() & counts[1].keys()
    before, after = (np.array([max(count[seed]) for seed in seeds]) for count in counts)
    lost = after - before if baseline[0]["better"] == "lower" else before - after
    verdict = "worse" if max(lost) > 0 else "better" if min(lost) < 0 else "unchanged"
    base = np.median(before)
    return _row(baseline, other) | {
        "ratio": float(np.median(after) / base) if base else np.nan,
        "ci_low": np.nan,
        "ci_high": np.nan,
        "margin": 1.0,
        "p": np.nan,
        "verdict": verdict,
    }


def _row(baseline: list[Row], other: list[Row]) -> Row:
    values = [_values(rows) for rows in (baseline, other)]
    return {
        **pick(baseline[0], [*_CELL, "unit"]),
        **dict(zip(("before", "after"), map(float, map(np.median, values)), strict=True)),
        **dict(zip(("n_before", "n_after"), map(len, values), strict=True)),
    }


def _counts(rows: list[Row]) -> dict[int, set[float]]:
    """By seed of the input what was counted; one value each of an exact counter."""
    counts: dict[int, set[float]] = {}
    for row in rows:
        if row["status"] == "ok":
            counts.setdefault(row["seed"], set()).add(row["value"])
    return counts


def _values(rows: list[Row]) -> list[float]:
    return [row["value"] for row in rows if row["status"] == "ok"]
