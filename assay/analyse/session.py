"""The tables of one session: what claims are judged by, what is compared and what reports show."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from pathlib import Path
from typing import Any, Self

import pandas as pd

from assay.raw.records import SessionFacts
from assay.system import files
from assay.tables import io, schemas
from assay.tables.rows import Row, records, successful

TABLES = ("measurements", "estimates", "ratios", "quotients", "costs", "noise", "scaling", "steps")
"""The tables of a session, each with its schema in `assay/tables/schemas.py`."""

Blocks = dict[tuple[str, str, int, str], dict[int, float]]
"""By engine, variant, scale and arm the values of a metric, by block."""


@dataclass(frozen=True)
class Session:
    """The tables of one session, and its facts from session.json (data/README.md).

    `folder` holds them. `others` are the sessions of other profiles and machines that stand in the
    same tables, in the order of the study. `pairs` has no row before the session is judged.
    """

    folder: Path
    facts: SessionFacts
    measurements: pd.DataFrame
    estimates: pd.DataFrame
    ratios: pd.DataFrame
    quotients: pd.DataFrame
    costs: pd.DataFrame
    noise: pd.DataFrame
    scaling: pd.DataFrame
    steps: pd.DataFrame
    others: tuple["Session", ...] = ()
    pairs: pd.DataFrame = field(default_factory=lambda: schemas.table("pairs", []))

    @classmethod
    def load(cls, folder: Path, judged: bool = True) -> Self:
        """The first session in `folder`: of the study's first profile, on this machine.

        With its pairs, where it was `judged`.

        ValueError when session.json and the measurements tell of different sessions, and when a
        table breaks its schema.
        """
        path = folder / "session.json"
        first: SessionFacts = files.read_json(path)
        every = [first, *first.get("other_sessions", [])]
        tables = {name: io.read(folder / f"{name}.parquet") for name in TABLES}
        if judged and (paired := folder / "pairs.parquet").exists():
            tables["pairs"] = io.read(paired)
        keys = tables["measurements"][_KEY].drop_duplicates().itertuples(index=False, name=None)
        known, told = sorted(keys), sorted(map(_key, every))
        if known != told:
            wanted = f"expected the sessions of measurements.parquet, {known}"
            raise ValueError(f"{path}: {wanted}, found {told}")

        def chosen(facts: SessionFacts, others: tuple[Self, ...] = ()) -> Self:
            rows = {name: _of(facts, table) for name, table in tables.items()}
            return cls(folder, facts, **rows, others=others)

        return chosen(first, tuple(map(chosen, every[1:])))

    def own(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows of a table of several sessions that are of this one."""
        return _of(self.facts, table)

    def shots(self, workload: str, metric: str = "time") -> pd.DataFrame:
        """The measurements of a metric of a workload; none of a name that nothing has."""
        return self._part("shots", workload, metric)

    def good(self, workload: str, metric: str = "time") -> pd.DataFrame:
        """Those of them that the estimates are made of."""
        return self._part("good", workload, metric)

    def medians(self, workload: str, metric: str = "time") -> pd.DataFrame:
        """The estimates of a metric of a workload; none of a name that nothing has."""
        return self._part("medians", workload, metric)

    def measured(self, workload: str, metric: str, engine: str, variant: str) -> list[Row]:
        """The estimates of a metric of an engine's variant that have a value, by scale."""
        return self._measured.get((workload, metric, engine, variant), [])

    def outcomes(self, workload: str) -> dict[tuple[str, str, int], str]:
        """Why each cell of a workload failed, by engine, variant and scale; empty where none."""
        return self._outcomes.get(workload, {})

    def by_block(self, workload: str, metric: str = "time") -> Blocks:
        """What the ok shots of a workload measured, by cell and block."""
        known = self._by_block
        if (workload, metric) not in known:
            cells = known.setdefault((workload, metric), {})
            for row in records(self.shots(workload, metric)):
                if row["status"] == "ok":
                    cell = (row["engine"], row["variant"], row["scale"], row["arm"])
                    cells.setdefault(cell, {})[row["block"]] = row["value"]
        return known[workload, metric]

    def quotient(self, kind: str, over: str, row: Mapping[Any, Any]) -> Row:
        """The cell and metric of a row over what is no cell of its session; without one, of NaN."""
        none = dict.fromkeys(("median", "base", "ratio", "ci_low", "ci_high"), nan)
        return self._quotients.get((kind, over, *(row[name] for name in _PLACE)), none)

    @cached_property
    def _quotients(self) -> dict[tuple[str, ...], Row]:
        names = ["kind", "over", *_PLACE]
        return {tuple(row[name] for name in names): row for row in records(self.quotients)}

    @cached_property
    def _measured(self) -> dict[tuple[str, ...], list[Row]]:
        have = records(self.estimates.dropna(subset="median").sort_values("scale"))
        cells: dict[tuple[str, ...], list[Row]] = {}
        for row in have:
            cell = (row["workload"], row["metric"], row["engine"], row["variant"])
            cells.setdefault(cell, []).append(row)
        return cells

    @cached_property
    def _outcomes(self) -> dict[str, dict[tuple[str, str, int], str]]:
        outcomes: dict[str, dict[tuple[str, str, int], str]] = {}
        for row in records(self.measurements[self.measurements["metric"] == "time"]):
            cell = (row["engine"], row["variant"], row["scale"])
            ok, reason = row["status"] == "ok", str(row["reason"]).partition("\n")[0]
            cells = outcomes.setdefault(row["workload"], {})
            cells[cell] = cells.get(cell) or ("" if ok else f"{row['status']}: {reason}")
        return outcomes

    @cached_property
    def _by_block(self) -> dict[tuple[str, str], Blocks]:
        return {}

    def _part(self, kind: str, workload: str, metric: str) -> pd.DataFrame:
        whole, parts = self._parts[kind]
        return parts.get((workload, metric), whole[:0])

    @cached_property
    def _parts(self) -> dict[str, tuple[pd.DataFrame, dict[Any, pd.DataFrame]]]:
        """By workload and metric. A page asks for a thousand cells: masks over all are slow."""
        good = successful(self.measurements)
        tables = {"shots": self.measurements, "good": good, "medians": self.estimates}
        by = ["workload", "metric"]
        return {
            name: (rows, dict(list(rows.groupby(by, sort=False)))) for name, rows in tables.items()
        }

    def floor(self, workload: str, metric: str = "time") -> float:
        """The noise floor of a workload, a ratio of at least 1; NaN when it has none."""
        rows = self.noise[(self.noise["workload"] == workload) & (self.noise["metric"] == metric)]
        return float(rows["floor"].iloc[0]) if len(rows) else float("nan")


_PLACE = ("workload", "engine", "variant", "scale", "metric")

_KEY = ["session", "machine", "profile"]
"""What tells sessions apart in tables: no plan has a machine."""


def _of(facts: SessionFacts, table: pd.DataFrame) -> pd.DataFrame:
    return table[(table[_KEY] == pd.Series(_key(facts), _KEY)).all(axis=1)]


def _key(facts: SessionFacts) -> tuple[str, str, str]:
    return facts["key"], facts["machine"], facts["profile"]
