"""The tidy data of one session, with the questions that a report asks of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

import pandas as pd

from assay.inputs.variant import variant_keys
from assay.system import files
from assay.tables import io

Session = dict[str, Any]

TABLES = ["measurements", "estimates", "ratios", "noise", "scaling", "steps"]
"""The tables that a report reads of a session."""

NOT_IN_TIER = "not measured in this tier"
NOT_IN_PLAN = "not in this plan"
"""Why a cell has no value that no shot was meant to give; a report leaves such cells out."""

MORE = f"{NOT_IN_TIER}: `--config tier=full` measures the most"
"""The one line that stands for what a report leaves out, behind what it is and "not"."""


@dataclass(frozen=True)
class Evidence:
    """The tables of one session (see data/README.md) and its facts from session.json.

    `others` are the sessions of other profiles and machines, in the order of the study.
    """

    folder: Path
    session: Session
    measurements: pd.DataFrame
    estimates: pd.DataFrame
    ratios: pd.DataFrame
    noise: pd.DataFrame
    scaling: pd.DataFrame
    steps: pd.DataFrame
    others: tuple["Evidence", ...] = ()

    @property
    def planted(self) -> bool:
        """Whether the values were made up to test the reports."""
        return str(self.session["key"]) == "planted"

    @property
    def inference(self) -> bool:
        """Whether the tier has enough blocks to conclude anything."""
        return str(self.session["tier"]) != "smoke"

    def cells(self, workload: str, metric: str = "time", **keys: str | int) -> pd.DataFrame:
        """Estimates of a workload, restricted by columns (engine=...) or keys of the variant."""
        return _select(self.estimates, workload, metric, keys)

    def points(self, workload: str, metric: str = "time", **keys: str | int) -> pd.DataFrame:
        """Successful measurements under those cells: one row a shot, arm A only."""
        rows = self.measurements
        rows = rows[(rows["status"] == "ok") & (rows["arm"] == "A")]
        return _select(rows, workload, metric, keys)

    def floor(self, workload: str, metric: str = "time") -> float:
        """The noise floor of a workload, a ratio of at least 1; NaN when it has none."""
        rows = self.noise[(self.noise["workload"] == workload) & (self.noise["metric"] == metric)]
        return float(rows["floor"].iloc[0]) if len(rows) else float("nan")

    def title(self, workload: str) -> str:
        """The plan's title of a workload."""
        known = self.session["plan"]["workloads"]
        return str(known.get(workload, {}).get("title", workload))

    def counted(self, workload: str) -> str:
        """What the scale of a workload counts: "keys"."""
        known = self.session["plan"]["workloads"]
        return str(known.get(workload, {}).get("scale", "scale"))

    def missing(self, workload: str, **keys: str | int) -> str:
        """Why these cells have no value, in one line."""
        if keys.get("engine", "reference") not in self.session["plan"]["engines"]:
            return NOT_IN_PLAN
        rows = _select(self.measurements, workload, "time", keys)
        if rows.empty:
            return NOT_IN_TIER
        bad = rows[rows["status"] != "ok"]
        if bad.empty:
            return "not measured"
        reason = str(bad["reason"].iloc[0]).partition("\n")[0]
        return f"{bad['status'].iloc[0]}: {reason}"


def load(data: str | Path, subsystem: str) -> Evidence:
    """The first session of the study in `data`/`subsystem`: the first profile, on this machine.

    The rows of other profiles and machines, which stand in the same tables, are those of its
    `others`. Every table is checked against its schema by `io.read`.
    """
    folder = Path(data) / subsystem
    session = files.read_json(folder / "session.json")
    tables = {name: io.read(folder / f"{name}.parquet") for name in TABLES}

    def of(one: Session, others: tuple[Evidence, ...] = ()) -> Evidence:
        chosen = {name: table[_is_of(one, table)] for name, table in tables.items()}
        return Evidence(folder, one, others=others, **chosen)

    return of(session, tuple(map(of, session.get("other_sessions", []))))


def _is_of(session: Session, table: pd.DataFrame) -> "pd.Series[bool]":
    """Which rows are of this session: a plan does not tell its machine."""
    same = {"machine": session["machine"], "profile": session["profile"], "session": session["key"]}
    return (table[list(same)] == pd.Series(same)).all(axis=1)


def subsystems(data: str | Path) -> list[str]:
    """Names of the subsystems that have tidy data below `data`."""
    return sorted(path.parent.name for path in Path(data).glob("*/session.json"))


def largest(rows: pd.DataFrame) -> pd.DataFrame:
    """Of estimates or measurements, those at the largest scale that their cell was run at."""
    top = rows.groupby(["engine", "variant"])["scale"].transform("max")
    return rows[rows["scale"] == top]


def at_scale(rows: pd.DataFrame, scale: float) -> pd.DataFrame:
    """Of estimates or measurements, those at `scale`; at the largest one when it is NaN."""
    return largest(rows) if isnan(scale) else rows[rows["scale"] == scale]


def _select(
    rows: pd.DataFrame, workload: str, metric: str, keys: Mapping[str, str | int]
) -> pd.DataFrame:
    chosen = rows[(rows["workload"] == workload) & (rows["metric"] == metric)]
    columns = {key: value for key, value in keys.items() if key in rows.columns}
    for column, value in columns.items():
        chosen = chosen[chosen[column] == value]
    wanted = {key: str(value) for key, value in keys.items() if key not in columns}
    matches = chosen["variant"].map(lambda text: wanted.items() <= variant_keys(text).items())
    return chosen[matches.astype(bool)]
