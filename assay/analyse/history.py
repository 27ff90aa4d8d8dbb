"""The history of the committed run: the median times of every session that was ever committed.

A session adds one file and changes none: `data/history/<subsystem>/<date>-<commit>.parquet`, with
the tier at the end of its name where that is not full.
"""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from assay.system import files
from assay.tables import io, schemas
from assay.tables.rows import pick, records

HISTORY = Path("data/history")

_CELL = ["machine", "profile", "workload", "engine", "variant", "scale"]


def add(folder: Path, home: Path) -> Path:
    """Add the sessions whose tidy data lies in `folder` to the history in `home`."""
    session = files.read_json(folder / "session.json")
    commits = {
        (facts["machine"], facts["key"]): pick(facts, ["commit", "started_at"])
        for facts in [session, *session["other_sessions"]]
    }
    estimates = io.read(folder / "estimates.parquet")
    times = estimates[(estimates["metric"] == "time") & (estimates["n"] > 0)]
    rows = [row | commits[row["machine"], row["session"]] for row in records(times)]
    table = schemas.check("history", schemas.table("history", rows), str(folder))
    tier = "" if session["tier"] == "full" else f"-{session['tier']}"
    name = f"{session['started_at'][:10]}-{session['commit'][:12]}{tier}.parquet"
    path = home / folder.name / name
    files.replace(path, lambda temporary: table.to_parquet(temporary, index=False))
    return path


def read(home: Path, subsystem: str) -> pd.DataFrame:
    """Table `history` of a subsystem, the oldest session first; ValueError without any."""
    paths = sorted((home / subsystem).glob("*.parquet"))
    if not paths:
        known = ", ".join(sorted(path.name for path in home.glob("*/"))) or "none"
        raise ValueError(f"{home}: expected a history of {subsystem}, found {known}")
    tables = [schemas.check("history", pd.read_parquet(path), str(path)) for path in paths]
    return pd.concat(tables, ignore_index=True).sort_values("started_at", kind="stable")


def changes(history: pd.DataFrame, engine: str) -> Iterator[dict[str, object]]:
    """One row a cell of an engine: its first and last median on one machine, and their ratio.

    Cells that only one session has are left out, and so is what another machine measured: a ratio
    of two machines says nothing of an engine.
    """
    for cell, rows in history[history["engine"] == engine].groupby(_CELL, sort=True):
        if len(rows) > 1:
            first, last = rows.iloc[0], rows.iloc[-1]
            yield {
                **dict(zip(_CELL, cell, strict=True)),
                "sessions": len(rows),
                "first": first["median"],
                "first_commit": first["commit"][:12],
                "last": last["median"],
                "last_commit": last["commit"][:12],
                "ratio": last["median"] / first["median"],
                "apart": bool(
                    last["ci_low"] > first["ci_high"] or last["ci_high"] < first["ci_low"]
                ),
            }
