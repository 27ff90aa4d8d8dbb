"""Cells of a session: single medians, and series over a scale or at named rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan

import pandas as pd

from assay.inputs.variant import variant_keys
from assay.present.kit.evidence import Evidence, at_scale, largest
from assay.present.kit.marks import NO_SHOTS, Series, series
from assay.present.kit.style import Look
from assay.tables.rows import Row


def median(
    evidence: Evidence,
    workload: str,
    metric: str = "time",
    scale: float = nan,
    **keys: str | int,
) -> float:
    """The median of a cell at `scale`, at its largest one when that is NaN; NaN without one."""
    rows = evidence.cells(workload, metric, **keys).dropna(subset="median")
    medians = at_scale(rows, scale)["median"]
    return float(medians.iloc[0]) if len(medians) else nan


def also(evidence: Evidence, row: Row, metric: str) -> float:
    """The median of another metric of the cell in `row`; NaN without one."""
    keys = {name: row[name] for name in ("engine", "variant")}
    return median(evidence, row["workload"], metric, row["scale"], **keys)


def over_scale(
    evidence: Evidence,
    workload: str,
    label: str,
    look: Look,
    metric: str = "time",
    **keys: str | int,
) -> Series:
    """The cells of a workload that `keys` choose, one for each scale."""
    cells, points = (
        choose(workload, metric, **keys) for choose in (evidence.cells, evidence.points)
    )
    missing: dict[str | int, str] = {0: evidence.missing(workload, **keys)}
    return series(label, look, cells, points, "scale", missing)


def engine_over_scale(
    evidence: Evidence, workload: str, engine: str, metric: str = "time", **keys: str | int
) -> Series:
    """The same of one engine, under its name and in its look."""
    label, look = evidence.subsystem.shown(engine)
    return over_scale(evidence, workload, label, look, metric, engine=engine, **keys)


def engines_over_scale(
    evidence: Evidence, workload: str, metric: str = "time", **keys: str | int
) -> list[Series]:
    """The same of every engine of the plan, a series each."""
    return [
        engine_over_scale(evidence, workload, name, metric, **keys) for name in engines(evidence)
    ]


@dataclass(frozen=True)
class Chosen:
    """Cells that stand in one row: at the scale among the keys, else at the largest of each."""

    workload: str
    keys: Mapping[str, str | int]
    metric: str = "time"


def in_rows(evidence: Evidence, label: str, look: Look, rows: Mapping[str, Chosen]) -> Series:
    """A lane of named rows, each with the cells that are chosen for it."""
    cells, points = (
        [
            largest(choose(row.workload, row.metric, **row.keys)).assign(row=name)
            for name, row in rows.items()
        ]
        for choose in (evidence.cells, evidence.points)
    )
    if not rows:
        return Series(label, look, {}, NO_SHOTS)
    missing: dict[str | int, str] = {
        name: evidence.missing(row.workload, **row.keys) for name, row in rows.items()
    }
    return series(label, look, pd.concat(cells), pd.concat(points), "row", missing)


def values_of(evidence: Evidence, workload: str, key: str, **others: str) -> list[str]:
    """The values that a key of the variant takes beside `others` in the plan, in their order."""
    rows = evidence.measurements
    variants = map(variant_keys, rows.loc[rows["workload"] == workload, "variant"].unique())
    values = {variant[key] for variant in variants if others.items() <= variant.items()}
    return sorted(values, key=lambda value: (int(value) if value.isdigit() else 0, value))


def engines(evidence: Evidence) -> list[str]:
    """Engines of the plan, the reference first."""
    known = evidence.facts["plan"]["engines"]
    return sorted(known, key=lambda name: (known[name]["role"] != "reference", name))
