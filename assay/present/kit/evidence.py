"""What reports and analysts ask of a session."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from assay import published
from assay.analyse.session import TABLES, Session
from assay.engines import currency
from assay.inputs import claims, manifest
from assay.inputs.validation import one_of
from assay.inputs.variant import Variant, variant_keys
from assay.present.kit.canvas import Cell
from assay.present.kit.quantities import separated
from assay.present.kit.subsystem import UNDECLARED, Subsystem
from assay.tables import io, schemas
from assay.tables.rows import Row, grouped, pick, records

if TYPE_CHECKING:
    from assay.present.sections.findings import Finding

ROOT = Path(__file__).parents[3]
ENGINES = ROOT / "engines"

NOT_IN_TIER = "not measured in this tier"
NOT_IN_PLAN = "not in this plan"
"""Why a cell has no value that no shot was meant to give; a report leaves such cells out."""

MORE = f"{NOT_IN_TIER}; `--config tier=full` and `tier=published` measure the most"
"""The one line that stands for what a report leaves out, behind what it is and "not"."""


COMMITTED = "committed run"
REPRODUCTION = "tier published"
"""What marks a value that is not of the session of a page, but of a committed one."""

_KEPT = {COMMITTED: currency.COMMITTED, REPRODUCTION: currency.REPRODUCTION}


class Place(NamedTuple):
    """A cell but for its scale."""

    workload: str
    engine: str
    variant: str


@dataclass(frozen=True)
class Evidence(Session):
    """A session with the questions that a report asks of it.

    A wrong name is a LookupError that tells the nearest. One that this session did not measure is
    none, as long as a manifest has it.
    """

    others: tuple["Evidence", ...]
    subsystem: Subsystem = UNDECLARED

    @property
    def published(self) -> pd.DataFrame:
        """What the published report on the subsystem prints."""
        return _published(self.folder.name)

    @property
    def planted(self) -> bool:
        """Whether the values were made up to test the reports."""
        return self.facts["key"] == "planted"

    @property
    def committed(self) -> "Evidence | None":
        """The committed run of the subsystem, where it is another session than this one."""
        return self.kept.get(COMMITTED)

    @cached_property
    def kept(self) -> Mapping[str, "Evidence"]:
        """The committed sessions that may know what this one left out, by what marks their values.

        None is this session itself, and planted data has none. What a page shows of them is marked
        and compared with nothing of this session: machines are never mixed.
        """
        own = ""
        if self.facts.get("committed"):
            own = REPRODUCTION if self.facts["tier"] == "published" else COMMITTED
        sessions = {}
        for mark, home in _KEPT.items():
            folder = ROOT / home / self.folder.name
            if mark != own and not self.planted and folder.exists():
                sessions[mark] = _declared(Evidence.load(folder), self.subsystem)
        return sessions

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """The claims on the subsystem as they were judged, for all its sessions; none before."""
        path = self.folder / "verdicts.parquet"
        return io.read(path) if path.exists() else schemas.table("verdicts", [])

    @cached_property
    def headlines(self) -> Sequence["Finding"]:
        """The findings that the subsystem puts first; empty where it declares none."""
        return self.subsystem.headlines(self) if self.subsystem.headlines else ()

    @property
    def inference(self) -> bool:
        """Whether the tier has enough blocks to conclude anything."""
        return self.facts["tier"] != "smoke"

    def catalogue(self) -> pd.DataFrame:
        """What was measured: a row a workload, engine and variant, with its scales and metrics."""
        named = ["workload", "engine", "variant"]
        rows = [
            {
                **pick(cells[0], named),
                "scales": sorted({row["scale"] for row in cells}),
                "metrics": sorted({row["metric"] for row in cells}),
            }
            for cells in grouped(records(self.estimates), named)
        ]
        return pd.DataFrame(rows, columns=[*named, "scales", "metrics"])

    def only(self, engines: Collection[str] = (), scale: int = 0, profile: str = "") -> "Evidence":
        """The same with less in it, for a figure of its own: what is not given is not restricted.

        `engines` stay beside the reference engine, with which all are compared. `scale` is one that
        was measured. `profile` takes the session of that profile.
        """
        if not (engines or scale or profile):
            return self  # with what it has grouped by workload
        where = str(self.folder)
        sessions = {session.facts["profile"]: session for session in (*self.others, self)}
        evidence = sessions[one_of("profile", profile, sessions, where)] if profile else self
        plan = evidence.facts["plan"]
        for name in engines:
            one_of("engine", name, plan["engines"], where)
        kept = {
            name: about
            for name, about in plan["engines"].items()
            if not engines or name in engines or about["role"] == "reference"
        }
        if scale:
            scales = {str(size) for size in evidence.estimates["scale"].unique()}
            one_of("scale", str(scale), scales, where)
        tables = {}
        for table in TABLES:
            rows = getattr(evidence, table)
            for column in {"engine", "base_engine"} & {*rows.columns}:
                rows = rows[rows[column].isin(kept)]
            if scale and "scale" in rows.columns:
                rows = rows[rows["scale"] == scale]
            tables[table] = rows
        return replace(
            evidence, facts={**evidence.facts, "plan": {**plan, "engines": kept}}, **tables
        )

    def cells(self, workload: str, metric: str = "time", **keys: str | int) -> pd.DataFrame:
        """Estimates of a workload, restricted by columns (engine=...) or keys of the variant."""
        return self._select(self.medians(workload, metric), workload, metric, keys)

    def points(self, workload: str, metric: str = "time", **keys: str | int) -> pd.DataFrame:
        """Successful measurements under those cells: one row a shot, arm A only."""
        return self._select(self.good(workload, metric), workload, metric, keys)

    def raced(self) -> pd.DataFrame:
        """The ratios of peers over the reference in what is raced; `race` says what kind it is.

        The manifest of the reference engine says which metrics are.
        """
        rows = self.ratios[self.ratios["kind"] == "engine"]
        races = _races(self.folder.name)
        kinds = [races.get(pair, "") for pair in zip(rows["workload"], rows["metric"], strict=True)]
        told = rows.assign(race=pd.Series(kinds, rows.index, dtype="str"))
        return told[told["race"] != ""]

    def compared(self, cells: frozenset[Cell]) -> pd.DataFrame:
        """The comparisons of the peers among `cells` with the reference engine, if all are shown.

        They are those that are raced, and the pairs that a report names. None, where one is with a
        cell that is not among them: what is left out could have come out otherwise.
        """
        named = self.pairs[(self.pairs["kind"] == "named") & (self.pairs["engine"] != "reference")]
        named = named[named["base_engine"] == "reference"]
        rows = {sides(row): row for row in (*records(named), *records(self.raced()))}
        kept = {both: row for both, row in rows.items() if both[0] in cells}
        shown = kept.values() if cells.issuperset(base for _, base in kept) else ()
        return pd.DataFrame([*shown], columns=["engine", "ratio", "verdict"])

    def over(self, cell: Place, base: Place) -> list[Row]:
        """What tables `ratios` and `pairs` hold of the times of `cell` over those of `base`.

        A row a scale, the smallest first, with the keys of table `pairs`; none where the two have
        no block in common. LookupError when they have one and no table compares them, and for cells
        of two workloads that are no pair.
        """
        for place in (cell, base):
            self._check(place.workload, keys={"engine": place.engine})
        rows = self._over.get((cell, base), [])
        alike = cell.workload == base.workload
        if not rows and (
            self._shared(cell, base) if alike else not _is_pair(self.folder.name, cell, base)
        ):
            file = f"config/claims/{self.folder.name}.yaml"
            raise LookupError(f"{file}: pairs: expected {cell} over {base}, found none")
        return rows

    def _shared(self, cell: Place, base: Place) -> bool:
        """Whether two cells of a workload have a scale and a block in common."""
        blocks = self.by_block(cell.workload)
        return any(
            above.keys() & blocks.get((base.engine, base.variant, scale, "A"), {}).keys()
            for (engine, variant, scale, arm), above in blocks.items()
            if (engine, variant, arm) == (cell.engine, cell.variant, "A")
        )

    @cached_property
    def _over(self) -> dict[tuple[Place, Place], list[Row]]:
        """The rows of both tables by their two cells, where this evidence still has these."""
        compared = self.ratios[(self.ratios["metric"] == "time") & (self.ratios["kind"] != "aa")]
        alike = {"base_workload": compared["workload"], "base_scale": compared["scale"]}
        named = self.pairs[self.pairs["kind"] == "named"]
        rows = [*records(compared.assign(**alike)), *records(named)]
        by_cells: dict[tuple[Place, Place], list[Row]] = {}
        for row in sorted(rows, key=lambda row: row["scale"]):
            sides = [
                Place(row[f"{side}workload"], row[f"{side}engine"], row[f"{side}variant"])
                for side in ("", "base_")
            ]
            if {(sides[0], row["scale"]), (sides[1], row["base_scale"])} <= self._measured_at:
                by_cells.setdefault((sides[0], sides[1]), []).append(row)
        return by_cells

    @cached_property
    def _measured_at(self) -> set[tuple[Place, int]]:
        cells = self.measurements[["workload", "engine", "variant", "scale"]].drop_duplicates()
        return {(Place(*names), scale) for *names, scale in cells.itertuples(index=False)}

    def floor(self, workload: str, metric: str = "time") -> float:
        """The noise floor of a workload, a ratio of at least 1; NaN when it has none."""
        self._check(workload, metric)
        return super().floor(workload, metric)

    def title(self, workload: str) -> str:
        """The plan's title of a workload."""
        self._check(workload)
        about = self.facts["plan"]["workloads"].get(workload)
        return separated(about["title"]) if about else workload

    def counted(self, workload: str) -> str:
        """What the scale of a workload counts: "keys"."""
        self._check(workload)
        about = self.facts["plan"]["workloads"].get(workload)
        return about["scale"] if about else "scale"

    def missing(self, workload: str, **keys: str | int) -> str:
        """Why these cells have no value, in one line."""
        self._check(workload, keys=keys)
        if keys.get("engine", "reference") not in self.facts["plan"]["engines"]:
            return NOT_IN_PLAN
        place = ("engine", "variant", "scale")
        wanted = {key: str(value) for key, value in keys.items() if key not in place}
        outcomes = [
            outcome
            for cell, outcome in self.outcomes(workload).items()
            if all(keys.get(key, value) == value for key, value in zip(place, cell, strict=True))
            and (not wanted or wanted.items() <= variant_keys(cell[1]).items())
        ]
        if not outcomes:
            return NOT_IN_TIER
        return next(filter(None, outcomes), "not measured")

    def _select(
        self, rows: pd.DataFrame, workload: str, metric: str, keys: Mapping[str, str | int]
    ) -> pd.DataFrame:
        self._check(workload, metric, keys)
        wanted = {key: str(value) for key, value in keys.items() if key not in rows.columns}
        variants = [
            variant
            for variant in rows["variant"].unique()
            if wanted.items() <= variant_keys(variant).items()
        ]
        matches = rows["variant"].isin(variants)
        for column in keys.keys() - wanted.keys():
            matches &= rows[column] == keys[column]
        return rows[matches]

    @cached_property
    def _metrics(self) -> set[str]:
        return {*self.estimates["metric"].unique()}

    @cached_property
    def _variants(self) -> dict[str, set[str]]:
        """The keys of the variants, each with its values."""
        return _values(map(variant_keys, self.estimates["variant"].unique()))

    def _check(
        self, workload: str, metric: str = "time", keys: Mapping[str, str | int] | None = None
    ) -> None:
        """LookupError for a name that neither the session has nor a manifest."""
        asked = {"workload": workload, "metric": metric, **(keys or {})}
        plan = self.facts["plan"]
        for part, value in asked.items():
            name, kind = str(value), part
            if part == "workload":
                known = name in plan["workloads"]
            elif part == "engine":
                known = name in plan["engines"]
            elif part == "metric":
                known = name in self._metrics
            elif part in self.measurements.columns:
                continue
            else:
                if part not in self._variants:
                    one_of("variant key", part, _names(self.folder.name)["variant key"])
                kind = _value_of(part)
                known = name in self._variants.get(part, ())
            if not known:
                one_of(kind, name, _names(self.folder.name).get(kind, ()))


_published = cache(published.read)


def load(data: str | Path, name: str, subsystem: Subsystem) -> Evidence:
    """The first session of the study in `data`/`name`, with the others that stand there.

    LookupError, with the nearest that is there, when there is none.
    """
    evidence = Evidence.load(Path(data) / one_of("subsystem", name, subsystems(data), str(data)))
    return _declared(evidence, subsystem)


def _declared(evidence: Evidence, subsystem: Subsystem) -> Evidence:
    """The same, with what its subsystem declares."""
    return replace(
        evidence,
        subsystem=subsystem.with_plan(evidence.facts["plan"]["engines"]),
        others=tuple(_declared(other, subsystem) for other in evidence.others),
    )


def subsystems(data: str | Path) -> list[str]:
    """Names of the subsystems that have tidy data below `data`."""
    return sorted(path.parent.name for path in Path(data).glob("*/session.json"))


def sides(row: Row) -> tuple[Cell, Cell]:
    """The two cells of a row of `ratios` or `pairs`."""
    full = {"base_workload": row["workload"], "base_scale": row["scale"], **row}
    cell, base = (
        (
            *(full[f"{side}{name}"] for name in ("workload", "engine", "variant", "scale")),
            row["metric"],
        )
        for side in ("", "base_")
    )
    return cell, base


def largest(rows: pd.DataFrame) -> pd.DataFrame:
    """Of estimates or measurements, those at the largest scale that their cell was run at."""
    top = rows.groupby(["engine", "variant"])["scale"].transform("max")
    return rows[rows["scale"] == top]


def at_scale(rows: pd.DataFrame, scale: float) -> pd.DataFrame:
    """Of estimates or measurements, those at `scale`; at the largest one when it is NaN."""
    return largest(rows) if isnan(scale) else rows[rows["scale"] == scale]


def wide(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with a column more for each key of their variants; a variant without it has none."""
    keys = pd.DataFrame([variant_keys(text) for text in rows["variant"]], index=rows.index)
    keys.columns = [f"variant_{key}" if key in rows else key for key in keys.columns]
    return pd.concat([rows, keys], axis=1)


@cache
def _races(subsystem: str) -> dict[tuple[str, str], str]:
    """What kind of a race a metric of a workload is, where it is one."""
    path = ENGINES / subsystem / "engine.yaml"
    benches = manifest.load(path).benches if path.exists() else ()
    return {(bench.workload, name): kind for bench in benches for name, kind in bench.races.items()}


def _is_pair(subsystem: str, cell: Place, base: Place) -> bool:
    """Whether a subsystem names two cells, of these engines or of each with itself."""
    each = (cell._replace(engine=claims.EACH), base._replace(engine=claims.EACH))
    told = _pairs(subsystem)
    return (cell, base) in told or (cell.engine == base.engine and each in told)


@cache
def _pairs(subsystem: str) -> set[tuple[Place, ...]]:
    path = claims.FOLDER / f"{subsystem}.yaml"
    return {
        tuple(Place(side.workload, side.engine, side.variant) for side in (pair.cell, pair.base))
        for pair in (claims.pairs(path, {}) if path.exists() else ())
    }


@cache
def _names(subsystem: str) -> dict[str, set[str]]:
    """All names that the manifests of a subsystem have, by their kind."""
    known = claims.engines(ENGINES / subsystem)
    benches = [bench for engine in known.values() for bench in engine.benches]
    metrics = {metric.column for bench in benches for metric in bench.metrics.values()}
    variants = _values(variant for bench in benches for variant in bench.variants)
    return {
        "workload": {bench.workload for bench in benches},
        "metric": metrics.union(claims.RUNNER_METRICS),
        "engine": set(known),
        "variant key": set(variants),
        **{_value_of(key): values for key, values in variants.items()},
    }


def _value_of(key: str) -> str:
    return f"value of variant key {key}"


def _values(variants: Iterable[Variant]) -> dict[str, set[str]]:
    """The keys of some variants, each with the values that it takes."""
    taken = defaultdict[str, set[str]](set)
    for variant in variants:
        for key, value in variant.items():
            taken[key].add(str(value))
    return taken
