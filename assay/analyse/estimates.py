"""What the tidy measurements say of each cell; docs/method.md explains the statistics.

`estimate` writes every table of a session but that of the verdicts.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from assay.analyse import medians, quotients, ratios, scaling
from assay.tables import io, schemas
from assay.tables.rows import Row, grouped, pick, records
from assay.tables.vocabulary import PERCENTILES, percentile

_CELL = [
    *("machine", "profile", "subsystem", "session", "tier"),
    *("workload", "engine", "role", "variant", "scale"),
]


def estimate(folder: Path) -> None:
    """Write what follows from the measurements in `folder` there."""
    for name, table in tables(io.read(folder / "measurements.parquet")).items():
        io.write(name, table, folder)


def tables(measurements: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """All tables that follow from the measurements, by name."""
    compared, noise = ratios.tables(measurements)
    curves, steps = scaling.tables(measurements)
    estimated = cells(measurements)
    return {
        "estimates": estimated,
        "ratios": compared,
        "quotients": quotients.table(estimated),
        "costs": costs(measurements),
        "noise": noise,
        "scaling": curves,
        "steps": steps,
    }


def cells(measurements: pd.DataFrame) -> pd.DataFrame:
    """Table `estimates`: one row a cell of arm A and metric."""
    arm = records(measurements[measurements["arm"] == "A"])
    rows = [row for cell in grouped(arm, _CELL) for row in _estimates(cell)]
    return schemas.table("estimates", rows)


def costs(measurements: pd.DataFrame) -> pd.DataFrame:
    """Table `costs`: one row a session, from all its shots."""
    shots = measurements.drop_duplicates(["machine", "session", "shot"])
    rows = [
        dict(zip(_CELL[:5], key, strict=True))
        | {"shots": len(own), "out_of_memory": int((own["status"] == "oom").sum())}
        | {name: own[name].median() for name in ("throttled_s", "fsync_s")}
        | {name: own[name].max() for name in ("group_peak_bytes", "peak_rss_bytes")}
        for key, own in shots.groupby(_CELL[:5], sort=False)
    ]
    return schemas.table("costs", rows)


def precise(cells: pd.DataFrame, precision: float) -> tuple[int, int]:
    """How many of these estimates have an interval that is as narrow, and how many have a value.

    `precision` is half the width of the 95 % interval over the median.
    """
    known = cells[cells["n"] > 0]
    half = (known["ci_high"] - known["ci_low"]) / 2 / known["median"]
    return int((half <= precision).sum()), len(known)


def _estimates(cell: list[Row]) -> Iterator[Row]:
    failed = [row for row in cell if row["status"] != "ok"]
    for rows in grouped(cell, ["metric"]):
        ok = [row for row in rows if row["status"] == "ok"]
        facts = pick(rows[0], [*_CELL, "metric", "unit", "better", "exact"])
        values = [row["value"] for row in ok]
        middle = medians.median(values)
        copies = facts["exact"] and len(set(values)) == 1
        yield facts | {
            "n": middle.n,
            "n_failed": len(failed),
            "n_noisy": sum(row["noisy"] for row in ok),
            "median": middle.value,
            "ci_low": np.nan if copies else middle.low,
            "ci_high": np.nan if copies else middle.high,
            "minimum": min(values, default=np.nan),
            **{
                percentile(share): np.percentile(values, share) if enough else np.nan
                for share, least in PERCENTILES.items()
                for enough in [len(values) >= least]
            },
            "maximum": max(values, default=np.nan),
            "spread": max(values) / min(values) if min(values, default=0) > 0 else np.nan,
            "note": "; ".join(_notes(facts, values, failed)),
        }


def _notes(facts: Row, values: list[float], failed: list[Row]) -> Iterator[str]:
    if not values:
        yield f"no shot succeeded: {failed[0]['reason'].splitlines()[0]}"
        return
    if facts["tier"] == "smoke":
        yield "smoke: no inference"
    if facts["exact"] and min(values) == max(values):
        return
    if facts["exact"]:
        yield f"depends on the input: {min(values):.15g}..{max(values):.15g}"
    if len(values) < medians.LEAST:
        yield medians.NO_INTERVAL
    if min(values) <= 0:
        yield "not above 0: no ratio"
