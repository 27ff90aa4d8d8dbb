"""The tables of one session: what claims are judged by, what is compared and what reports show."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pandas as pd

from assay.raw import records
from assay.system import files
from assay.tables import io

TABLES = ("measurements", "estimates", "ratios", "noise", "scaling", "steps")
"""The tables of a session, each with its schema in `assay/tables/schemas.py`."""


@dataclass(frozen=True)
class Session:
    """The tables of one session, and its facts from session.json (data/README.md).

    `folder` holds them. `others` are the sessions of other profiles and machines that stand in the
    same tables, in the order of the study.
    """

    folder: Path
    facts: records.Session
    measurements: pd.DataFrame
    estimates: pd.DataFrame
    ratios: pd.DataFrame
    noise: pd.DataFrame
    scaling: pd.DataFrame
    steps: pd.DataFrame
    others: tuple["Session", ...] = ()

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The first session in `folder`: of the study's first profile, on this machine.

        ValueError when session.json and the measurements tell of different sessions, and when a
        table breaks its schema.
        """
        path = folder / "session.json"
        first: records.Session = files.read_json(path)
        every = [first, *first.get("other_sessions", [])]
        tables = {name: io.read(folder / f"{name}.parquet") for name in TABLES}
        found = tables["measurements"][_KEY].drop_duplicates().itertuples(index=False, name=None)
        known, told = sorted(found), sorted(map(_key, every))
        if known != told:
            wanted = f"expected the sessions of measurements.parquet, {known}"
            raise ValueError(f"{path}: {wanted}, found {told}")

        def chosen(facts: records.Session, others: tuple[Self, ...] = ()) -> Self:
            own = pd.Series(_key(facts), _KEY)
            rows = {name: table[(table[_KEY] == own).all(axis=1)] for name, table in tables.items()}
            return cls(folder, facts, **rows, others=others)

        return chosen(first, tuple(map(chosen, every[1:])))

    def floor(self, workload: str, metric: str = "time") -> float:
        """The noise floor of a workload, a ratio of at least 1; NaN when it has none."""
        rows = self.noise[(self.noise["workload"] == workload) & (self.noise["metric"] == metric)]
        return float(rows["floor"].iloc[0]) if len(rows) else float("nan")


_KEY = ["session", "machine", "profile"]
"""What tells sessions apart in tables: no plan has a machine."""


def _key(facts: records.Session) -> tuple[str, str, str]:
    return facts["key"], facts["machine"], facts["profile"]
