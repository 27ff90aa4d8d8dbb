"""The tidy tables: every column with its type, unit, allowed values and meaning.

A table is checked against its schema when it is written and when it is read.
The data dictionary is generated from here.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import pandera.pandas as pa

TIERS = ["smoke", "standard", "full"]
STATUSES = ["ok", "failed", "timeout", "oom", "refused"]
BETTER = ["lower", "higher"]
KINDS = ["engine", "variant", "aa"]
VERDICTS = ["slower", "faster", "worse", "better", "within noise", "no inference"]
BASES = ["workload", "pooled"]
LAWS = ["constant", "log n", "n", "n log n", "n^2", "power"]
"""How a cost may grow with the scale n; all but the power law with a fixed cost beside."""
PERCENTILES = {5: 100, 25: 20, 75: 20, 95: 100}
"""Percentiles and how many values each needs: 5 beyond it."""
STATISTICS = ["", "median", "ratio", "exponent"]
CLAIM_VERDICTS = [
    *("contradicted", "stale", "inconclusive", "equivalent", "supported", "not testable here")
]
"""From what weighs most in a claim over several scales to what weighs least."""


def percentile(share: int) -> str:
    """The column of table `estimates` that holds a percentile."""
    return f"p{share:02}"


def weight_of(law: str) -> str:
    """The column of table `scaling` that holds the Akaike weight of a law."""
    return "weight_" + law.replace(" ", "_").replace("^", "")


def _text(meaning: str, allowed: list[str] | None = None, regex: str = "") -> pa.Column:
    checks = [pa.Check.isin(allowed)] if allowed else []
    if regex:
        checks.append(pa.Check.str_matches(regex))
    return pa.Column("str", checks, description=meaning)


def _count(meaning: str, least: int = 0) -> pa.Column:
    return pa.Column("int64", pa.Check.ge(least), description=meaning)


def _number(meaning: str, positive: bool = False) -> pa.Column:
    checks = [pa.Check.gt(0)] if positive else []
    return pa.Column("float64", checks, nullable=True, description=meaning)


def _later(meaning: str) -> pa.Column:
    """A number that tables made before it was recorded do not have."""
    return pa.Column("float64", nullable=True, required=False, description=meaning)


def _flag(meaning: str) -> pa.Column:
    return pa.Column("bool", description=meaning)


_SESSION = {
    "machine": _text("key of the machine: a digest of facts that survive a reboot"),
    "profile": _text("hardware profile that the shots ran under"),
    "subsystem": _text("what was measured"),
    "session": _text("key of the session's plan: a digest of engines, shots, seed and toolchain"),
}
_TIER = {
    "tier": _text("how much was measured; `smoke` allows no inference", TIERS),
}
_SCALE = {
    "scale": _count("size of the workload, in the unit that the plan names for it"),
}
_ENGINE = {
    "workload": _text("operation measured"),
    "engine": _text("name of the engine; the reference engine is `reference`"),
    "role": _text("the engine's part in the study", ["reference", "peer"]),
}
_VARIANT = {
    "variant": _text(
        "configuration of the engine, `key=value` pairs sorted by key; empty when it has none",
        regex=r"^([^=,]+=[^,]*(,[^=,]+=[^,]*)*)?$",
    ),
}
_METRIC = {
    "metric": _text("what was measured; `time` is the primary metric of every workload"),
    "unit": _text("SI base unit of the values; `1` is a count, `B` is a byte"),
    "better": _text("which direction is an improvement", BETTER),
    "exact": _flag("true for a counter that must not vary between shots of a cell"),
}
_INTERVAL = {
    "ci_low": _number("lower end of the 95 % interval; null when there is none"),
    "ci_high": _number("upper end of the 95 % interval; null when there is none"),
}
_NOTE = {"note": _text("what a reader must know about the row; empty when nothing")}


def _value_exactly_when_ok(table: pd.DataFrame) -> "pd.Series[bool]":
    return table["value"].notna() == (table["status"] == "ok")


def _reason_exactly_when_not_ok(table: pd.DataFrame) -> "pd.Series[bool]":
    return (table["reason"] != "") == (table["status"] != "ok")


def _ordered(*columns: str) -> pa.Check:
    """Columns rise from left to right wherever they are not null."""

    def rises(table: pd.DataFrame) -> "pd.Series[bool]":
        values = table[list(columns)]
        steps = values.diff(axis="columns").iloc[:, 1:]
        return (steps.isna() | (steps >= 0)).all(axis="columns")

    return pa.Check(rises, error=" <= ".join(columns))


def _table(
    columns: dict[str, pa.Column], key: list[str], meaning: str, checks: list[pa.Check]
) -> pa.DataFrameSchema:
    """A table with these columns in this order, and no other; `key` names a row."""
    return pa.DataFrameSchema(
        columns, checks=checks, unique=key, strict=True, ordered=True, description=meaning
    )


TABLES: dict[str, pa.DataFrameSchema] = {
    "measurements": _table(
        {
            **_SESSION,
            **_TIER,
            **_ENGINE,
            "arm": _text("`A`, or `B` for the second, identical run of the reference", ["A", "B"]),
            **_VARIANT,
            **_SCALE,
            "block": _count("pass over all cells that the shot belongs to"),
            "slot": _count("place of the shot in its block's random order"),
            "shot": _text("name of the shot, unique in its session"),
            "seed": _count("seed that the shot was given"),
            "status": _text("what became of the shot", STATUSES),
            "reason": _text("why the shot is not ok; empty when it is"),
            **_METRIC,
            "value": _number("median over the shot's iterations; null when the shot is not ok"),
            "noisy": _flag("true when the machine was not quiet around the shot"),
            "engine_hash": _text("digest of the engine's source; empty when it was not built"),
            "started_at": pa.Column(
                "datetime64[us, UTC]",
                nullable=True,
                description="when the shot began, UTC; null when it never did",
            ),
            "wall_s": _number("duration of the whole process, s"),
            "cpu_s": _number("user and system CPU time of the process tree, s"),
            "peak_rss_bytes": _number("peak resident memory of the process tree, B"),
            "group_peak_bytes": _later("peak memory of the shot's group with page cache, B"),
            "throttled_s": _later("time in which the shot's group had used up its CPU quota, s"),
            "fsync_s": _later("fdatasync of 4 KiB where the shot worked, before it, s"),
        },
        key=["machine", "session", "shot", "metric"],
        meaning="One row a shot and metric. A shot that is not ok has one row, metric `time`.",
        checks=[
            pa.Check(_value_exactly_when_ok, error="value is null exactly when status is not ok"),
            pa.Check(_reason_exactly_when_not_ok, error="reason is empty exactly when ok"),
        ],
    ),
    "estimates": _table(
        {
            **_SESSION,
            **_TIER,
            **_ENGINE,
            **_VARIANT,
            **_SCALE,
            **_METRIC,
            "n": _count("shots behind the median"),
            "n_failed": _count("shots of the cell that are not ok"),
            "n_noisy": _count("shots behind the median that ran while the machine was not quiet"),
            "median": _number("median over the shots; null when no shot is ok"),
            **_INTERVAL,
            "minimum": _number("smallest value"),
            **{
                percentile(share): _number(f"{share} % of the values are below; null below n = {n}")
                for share, n in PERCENTILES.items()
            },
            "maximum": _number("largest value"),
            **_NOTE,
        },
        key=["machine", "session", "workload", "engine", "variant", "scale", "metric"],
        meaning="One row a cell and metric, arm A. A cell is a workload, engine, variant, scale.",
        checks=[_ordered("minimum", "median", "maximum"), _ordered("ci_low", "median", "ci_high")],
    ),
    "ratios": _table(
        {
            **_SESSION,
            **_TIER,
            "workload": _ENGINE["workload"],
            **_SCALE,
            "metric": _METRIC["metric"],
            "kind": _text(
                "`engine`: a peer over the reference; `variant`: two variants of one engine that "
                "differ in one key; `aa`: arm B over arm A of the reference",
                KINDS,
            ),
            "engine": _text("engine of the numerator"),
            "variant": _text("variant of the numerator"),
            "base_engine": _text("engine of the denominator"),
            "base_variant": _text("variant of the denominator"),
            "n": _count("blocks in which both cells are ok", least=1),
            "ratio": _number("median of the ratios within a block", positive=True),
            **_INTERVAL,
            "floor": _number("noise floor in force, a ratio of at least 1; null without A/A cells"),
            "detectable": _number(
                "smallest ratio above 1 that so many blocks find with power 0.9; null without one"
            ),
            "verdict": _text("what the interval and the floor allow to be said", VERDICTS),
            **_NOTE,
        },
        key=[
            "machine",
            "session",
            "workload",
            "scale",
            "metric",
            "kind",
            "engine",
            "variant",
            "base_engine",
            "base_variant",
        ],
        meaning="One row a pair of cells and metric, paired by block. Exact metrics have none.",
        checks=[_ordered("ci_low", "ratio", "ci_high")],
    ),
    "noise": _table(
        {
            **_SESSION,
            "workload": _text("operation measured; `*` is all of them together"),
            "metric": _METRIC["metric"],
            "n_cells": _count(
                "A/A cells of this workload; without any, or few, it has the pooled floor"
            ),
            "floor": pa.Column(
                "float64",
                pa.Check.ge(1),
                description="what an A/A ratio stays within 95 times in 100; at least 1",
            ),
            "basis": _text("cells behind the floor: the workload's own, or all pooled", BASES),
        },
        key=["machine", "session", "workload", "metric"],
        meaning="One row a workload and metric: the A/A difference that this session shows.",
        checks=[],
    ),
    "scaling": _table(
        {
            **_SESSION,
            **_TIER,
            **_ENGINE,
            **_VARIANT,
            **_METRIC,
            "n": _count("blocks with a value at every scale", least=1),
            "n_scales": _count("scales of the curve", least=4),
            "smallest": _count("smallest scale"),
            "largest": _count("largest scale"),
            "exponent": _number("median over the blocks of the slope of log value over log scale"),
            **_INTERVAL,
            "law": _text("law of the largest weight; empty where none can be chosen", ["", *LAWS]),
            **{
                weight_of(law): _number(f"Akaike weight of the law `{law}`, 0 to 1; null as above")
                for law in LAWS
            },
            "misfit": _number("largest residual of the law, a ratio of at least 1; null as above"),
            **_NOTE,
        },
        key=["machine", "session", "workload", "engine", "variant", "metric"],
        meaning="One row a curve: a workload, engine, variant and metric at 4 scales or more. "
        "Rates, and metrics that can be 0, have none.",
        checks=[_ordered("ci_low", "exponent", "ci_high")],
    ),
    "steps": _table(
        {
            **_SESSION,
            **_TIER,
            **_ENGINE,
            **_VARIANT,
            **_METRIC,
            **_SCALE,
            "previous": _count("the scale before; 0 at the smallest"),
            "median": _number("median over the blocks of the curve", positive=True),
            "slope": _number(
                "exponent between the scale before and this one; null at the smallest"
            ),
            **_INTERVAL,
            "residual": _number("measured over fitted by the law of the curve; null without one"),
        },
        key=["machine", "session", "workload", "engine", "variant", "metric", "scale"],
        meaning="One row a curve of `scaling` and scale: local slope and residual.",
        checks=[_ordered("ci_low", "slope", "ci_high")],
    ),
    "verdicts": _table(
        {
            **_SESSION,
            "tier": _text("how much was measured; empty without a session", ["", *TIERS]),
            "claim": _text("name of the claim, as in config/claims/"),
            "text": _text("what is claimed, in our words"),
            "report": _text("where it is said"),
            "section": _text("the section of that report"),
            "workload": _text("operation that the claim is about; empty when it is not testable"),
            "metric": _text("metric that the claim is about; empty when it is not testable"),
            "statistic": _text("what is claimed; empty when it is not testable", STATISTICS),
            "unit": _text("SI base unit of the effect, `1` for a ratio or an exponent; or empty"),
            "low": _number("lower bound of the claim; null when it is not testable"),
            "high": _number("upper bound of the claim, may be infinite; null as above"),
            "tolerance": _number(
                "how far the effect may lie outside: a share; of an exponent, as is"
            ),
            "scale": _count(
                "scale judged, of an exponent the largest; 0 when nothing was measured"
            ),
            "effect": _number("what was measured; null when nothing was"),
            **_INTERVAL,
            "n": _count("blocks behind the effect"),
            "floor": _number("noise floor in force, a ratio of at least 1; null without one"),
            "detectable": _number(
                "smallest ratio above 1 that so many blocks find with power 0.9; null without one"
            ),
            "verdict": _text("what the session says of the claim", CLAIM_VERDICTS),
            "reason": _text("why the verdict is neither supported nor contradicted; or empty"),
        },
        key=["subsystem", "claim", "scale"],
        meaning="One row a claim and scale. Without a session, only what is claimed.",
        checks=[_ordered("low", "high"), _ordered("ci_low", "effect", "ci_high")],
    ),
}


def table(name: str, rows: Iterable[Mapping[Any, Any]]) -> pd.DataFrame:
    """Rows as the table called `name`: its columns in order, with their types.

    Times may be given as ISO 8601 text.
    """
    types = {column: type_name(about) for column, about in TABLES[name].columns.items()}
    made = pd.DataFrame(list(rows), columns=list(types))
    for column, type_ in types.items():
        if type_.startswith("datetime64"):
            made[column] = pd.to_datetime(made[column], utc=True, format="ISO8601")
    return made.astype(types)


def type_name(column: pa.Column) -> str:
    """The pandas type of a column. pandera names text after the way pandas stores it."""
    name = str(column.dtype)
    return "str" if name.startswith("string") else name


def check(name: str, table: pd.DataFrame, where: str) -> pd.DataFrame:
    """`table`, when it agrees with the schema called `name`.

    Otherwise a ValueError that names `where`, each column, what was expected and what was found.
    """
    return checked(TABLES[name], table, f"{where}: not a table of {name}")


def checked(schema: pa.DataFrameSchema, table: pd.DataFrame, complaint: str) -> pd.DataFrame:
    """`table`, when it agrees with `schema`; otherwise a ValueError that opens with `complaint`."""
    try:
        return schema.validate(table, lazy=True)
    except pa.errors.SchemaErrors as error:
        failures = error.failure_cases.drop_duplicates(["column", "check"])
        lines = [
            f"  {row.column}: expected {row.check}, found {row.failure_case!r}"
            + ("" if pd.isna(row.index) else f" in row {row.index}")
            for row in failures.itertuples(name="Failure")
        ]
        raise ValueError("\n".join([complaint, *lines])) from None
