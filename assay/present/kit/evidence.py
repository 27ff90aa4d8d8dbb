"""What reports and analysts ask of a session."""

from collections.abc import Mapping
from math import isnan
from pathlib import Path
from typing import Any

import pandas as pd

from assay.analyse.session import Session
from assay.inputs.variant import variant_keys
from assay.tables.rows import successful

NOT_IN_TIER = "not measured in this tier"
NOT_IN_PLAN = "not in this plan"
"""Why a cell has no value that no shot was meant to give; a report leaves such cells out."""

MORE = f"{NOT_IN_TIER}: `--config tier=full` measures the most"
"""The one line that stands for what a report leaves out, behind what it is and "not"."""


class Evidence(Session):
    """A session with the questions that a report asks of it."""

    @property
    def session(self) -> dict[str, Any]:
        """Its facts, as the pages show them."""
        return {**self.facts}

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
        return _select(successful(self.measurements), workload, metric, keys)

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
    """The first session of the study in `data`/`subsystem`, with the others that stand there."""
    return Evidence.load(Path(data) / subsystem)


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
