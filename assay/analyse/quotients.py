"""Table `quotients`: medians over numbers that share no block with them, so that none is paired.

These are printed numbers, bounds, what theory says, and the same cells of an earlier session.
"""

from collections.abc import Iterator, Sequence
from math import isnan, nan

import numpy as np
import pandas as pd

from assay import published
from assay.analyse import theory
from assay.inputs import bounds
from assay.inputs.bounds import Bound
from assay.tables import schemas
from assay.tables.rows import Row, grouped, pick, records
from assay.tables.vocabulary import POOLED, session_of

_SESSION = ["machine", "profile", "subsystem", "session", "tier"]
_CELL = [*POOLED]
_SERIES = ["workload", "metric", "engine", "variant"]

Measured = dict[tuple[str, ...], list[Row]]
"""The estimates with a value by workload, metric, engine and variant, the smallest scale first."""


def table(estimates: pd.DataFrame) -> pd.DataFrame:
    """The quotients of all sessions of a subsystem; the first session is that of the first row."""
    return schemas.table("quotients", _rows(estimates))


def _rows(estimates: pd.DataFrame) -> Iterator[Row]:
    by_session = {tuple(pick(row, _SESSION).values()): list[Row]() for row in records(estimates)}
    for row in records(estimates.dropna(subset="median")):
        by_session[tuple(pick(row, _SESSION).values())].append(row)
    subsystems = estimates["subsystem"].unique()
    printed = {name: published.of(name) for name in subsystems}
    bounded = {name: bounds.load(name) for name in subsystems}
    for nth, (key, rows) in enumerate(by_session.items()):
        facts = dict(zip(_SESSION, key, strict=True))
        series = {
            tuple(pick(some[0], _SERIES).values()): sorted(some, key=lambda row: row["scale"])
            for some in grouped(rows, _SERIES)
        }
        made = [
            *_over_print(series, printed[facts["subsystem"]]),
            *(_over_bound(series, bound) for bound in bounded[facts["subsystem"]]),
            *(
                _quotient("theory", "random keys", row, base)
                for row in rows
                if not isnan(base := theory.expected(row))
            ),
            *(
                _quotient("scale", "scale", row, row["scale"])
                for row in rows
                if row["metric"] == "peak_rss" and row["scale"]
            ),
            *(
                made
                for earlier in [*by_session][:nth]
                for made in _over_session(session_of(*earlier[:2]), rows, by_session[earlier])
            ),
        ]
        yield from (facts | row for row in made)


def _quotient(
    kind: str, over: str, row: Row, base: float, low: float = nan, high: float = nan
) -> Row:
    """A median over a number, or over another median with an interval."""
    ends = (base, base) if kind != "session" else (low, high)
    return {
        "kind": kind,
        "over": over,
        **pick(row, [*_CELL, "n", "median"]),
        "base": base,
        "ratio": row["median"] / base,
        "ci_low": row["ci_low"] / ends[1],
        "ci_high": row["ci_high"] / ends[0],
    }


def _over_print(series: Measured, printed: pd.DataFrame) -> Iterator[Row]:
    """Every engine over the numbers that it answers, at their scale or at its largest one."""
    engines = dict.fromkeys(engine for _, _, engine, _ in series)
    printed = printed.assign(at=published.scales(printed))
    for row in records(printed[(printed["metric"] != "") & (printed["value"] > 0)]):
        for engine in engines:
            cells = series.get((row["workload"], row["metric"], engine, row["variant"]), [])
            if cells := [each for each in cells if isnan(row["at"]) or each["scale"] == row["at"]]:
                yield _quotient("published", published.named(row), cells[-1], row["value"])


def _over_bound(series: Measured, bound: Bound) -> Row:
    """The reference engine over the sum of its parts, which may be nothing."""

    def cell(workload: str, metric: str, variant: str) -> Row | None:
        cells = series.get((workload, metric, "reference", variant), [])
        return next(
            (c for c in cells[::-1] if isnan(bound.scale) or c["scale"] == bound.scale), None
        )

    def took(part: str) -> float:
        found = cell("floor", "time", f"part={part}")
        return nan if found is None else float(found["median"])

    reached = cell(bound.workload, bound.metric, bound.variant) or {
        **pick(vars(bound), ["workload", "variant", "metric"]),
        **dict.fromkeys(("median", "ci_low", "ci_high"), nan),
        "engine": "reference",
        "scale": 0 if isnan(bound.scale) else bound.scale,
        "n": 0,
    }
    parts = dict(bound.parts)
    if bound.hashes is not None and (keys := reached["scale"]):
        hashes = theory.hashes_per_update(keys, min(bound.hashes or keys, keys))
        ways = {part: time for part in _HASHES if not isnan(time := took(part))}
        parts = {min(ways, key=lambda part: ways[part], default=_HASHES[-1]): hashes} | parts
    least = sum(count * took(part) for part, count in parts.items())
    said = " + ".join(_part(part, count) for part, count in parts.items())
    made = _quotient("bound", said, reached, least)
    undercut = reached["median"] < least
    return made | (dict.fromkeys(("ratio", "ci_low", "ci_high"), nan) if undercut else {})


_HASHES = ("hash-shani", "hash-std")
"""By the processor's own instructions, where it has them, and without."""


def _part(part: str, count: float) -> str:
    if count == 1:
        return part
    if count < 1:
        return f"{part} / {1 / count:,.0f}"
    return f"{count if count == int(count) else f'{count:#.3g}'} {part}"


def _over_session(over: str, rows: Sequence[Row], earlier: Sequence[Row]) -> Iterator[Row]:
    """Times over those of the same cells before, and what the reference engine's come to."""
    before = {tuple(pick(row, _CELL).values()): row for row in earlier}
    top: dict[tuple[str, str], int] = {}
    for row in (*earlier, *rows):
        place = (row["engine"], row["variant"])
        top[place] = max(top.get(place, 0), row["scale"])
    largest = list[float]()
    for row in rows:
        base = before.get(tuple(pick(row, _CELL).values()))
        if row["metric"] == "time" and base:
            ends = (base["ci_low"], base["ci_high"])
            made = _quotient("session", over, row, base["median"], *ends)
            if row["role"] == "reference" and row["scale"] == top[row["engine"], row["variant"]]:
                largest.append(made["ratio"])
            yield made
    if largest:
        yield {
            "kind": "session",
            "over": over,
            **POOLED,
            "n": len(largest),
            **dict.fromkeys(("median", "base", "ci_low", "ci_high"), nan),
            "ratio": float(np.median(largest)),
        }
