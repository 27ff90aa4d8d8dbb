"""The tidy tables: every column with its type, unit, allowed values and meaning.

A table is checked against its schema when it is written and when it is read.
The data dictionary is generated from here.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa

from assay.tables.columns import (
    CELL,
    ENGINE,
    INTERVAL,
    METRIC,
    NOTE,
    SCALE,
    SESSION,
    TIERED,
    VARIANT,
    count,
    flag,
    number,
    ordered,
    schema,
    text,
)
from assay.tables.vocabulary import (
    BASES,
    CLAIM_VERDICTS,
    COLUMNS,
    KINDS,
    LAWS,
    PAIR_KINDS,
    PERCENTILES,
    QUOTIENTS,
    STATISTICS,
    STATUSES,
    TIERS,
    VERDICTS,
    percentile,
    weight_of,
)


def _possible(table: pd.DataFrame) -> "pd.Series[bool]":
    value = table["value"]
    is_zero = (value == 0) & (table["metric"] != "time")
    return value.isna() | is_zero | ((value > 0) & (value < np.inf))


_FLOOR = number("noise floor in force, a ratio of at least 1; null without A/A cells")
_DETECTABLE = number(
    "smallest ratio above 1 that so many blocks find with power 0.9; null without one"
)
_BLOCKS = text("the ratio in each block that has both cells, in their order, to six digits")
_CELL = ("workload", "engine", "variant", "scale")

TABLES: dict[str, pa.DataFrameSchema] = {
    "measurements": schema(
        {
            **TIERED,
            **ENGINE,
            "arm": text(
                "`A`; `B` for a second, identical run that shows the noise; `C` for one that is "
                "compared by exact counters alone",
                ["A", "B", "C"],
            ),
            **VARIANT,
            **SCALE,
            "block": count("pass over all cells that the shot belongs to"),
            "slot": count("place of the shot in its block's random order"),
            "shot": text("name of the shot, unique in its session"),
            "seed": count("seed that the shot was given"),
            "status": text("what became of the shot", STATUSES),
            "reason": text("why the shot is not ok; empty when it is"),
            **METRIC,
            "value": number("median over the shot's iterations; null when the shot is not ok"),
            "noisy": flag("true when the machine was not quiet around the shot"),
            "engine_hash": text("digest of the engine's source; empty when it was not built"),
            "started_at": pa.Column(
                "datetime64[us, UTC]",
                nullable=True,
                description="when the shot began, UTC; null when it never did",
            ),
            "wall_s": number("duration of the whole process, s"),
            "cpu_s": number("user and system CPU time of the process tree, s"),
            "peak_rss_bytes": number("peak resident memory of the process tree, B"),
            "group_peak_bytes": number("peak memory of the shot's group with page cache, B"),
            "throttled_s": number("time in which the shot's group had used up its CPU quota, s"),
            "fsync_s": number("fdatasync of 4 KiB where the shot worked, before it, s"),
        },
        key=["machine", "session", "shot", "metric"],
        meaning="One row a shot and metric. A shot that is not ok has one row, metric `time`.",
        checks=[
            pa.Check(
                lambda table: table["value"].notna() == (table["status"] == "ok"),
                error="value is null exactly when status is not ok",
            ),
            pa.Check(_possible, error="value is finite and not negative, and of a time not 0"),
            pa.Check(
                lambda table: (table["reason"] == "") == (table["status"] == "ok"),
                error="reason is empty exactly when ok",
            ),
        ],
    ),
    "estimates": schema(
        {
            **TIERED,
            **CELL,
            **METRIC,
            "n": count("shots behind the median"),
            "n_failed": count("shots of the cell that are not ok"),
            "n_noisy": count("shots behind the median that ran while the machine was not quiet"),
            "median": number("median over the shots; null when no shot is ok"),
            **INTERVAL,
            "minimum": number("smallest value"),
            **{
                percentile(share): number(f"{share} % of the values are below; null below n = {n}")
                for share, n in PERCENTILES.items()
            },
            "maximum": number("largest value"),
            "spread": number("largest over smallest value; null where that is not above 0"),
            **NOTE,
        },
        key=["machine", "session", "workload", "engine", "variant", "scale", "metric"],
        meaning="One row a cell and metric, arm A. A cell is a workload, engine, variant, scale.",
        checks=[ordered("minimum", "median", "maximum"), ordered("ci_low", "median", "ci_high")],
    ),
    "history": schema(
        {
            "commit": text("commit at which the session began"),
            "started_at": pa.Column("datetime64[us, UTC]", description="when it began"),
            **TIERED,
            **CELL,
            "n": count("shots behind the median"),
            "median": number("median time in seconds over the shots"),
            **INTERVAL,
        },
        key=["machine", "session", "workload", "engine", "variant", "scale"],
        meaning="One row a cell of a session that was committed: `history/`, a file a session.",
        checks=[ordered("ci_low", "median", "ci_high")],
    ),
    "ratios": schema(
        {
            **TIERED,
            "workload": ENGINE["workload"],
            **SCALE,
            "metric": METRIC["metric"],
            "kind": text(
                "`engine`: a peer over the reference; `variant`: two variants of one engine that "
                "differ in one key; `aa`: arm B over arm A of the reference",
                KINDS,
            ),
            "engine": text("engine of the numerator"),
            "variant": text("variant of the numerator"),
            "base_engine": text("engine of the denominator"),
            "base_variant": text("variant of the denominator"),
            "n": count("blocks in which both cells are ok", least=1),
            "ratio": number("median of the ratios within a block", positive=True),
            **INTERVAL,
            "blocks": _BLOCKS,
            "floor": _FLOOR,
            "detectable": _DETECTABLE,
            "verdict": text("what the interval and the floor allow to be said", VERDICTS),
            **NOTE,
        },
        key=[
            *("machine", "session", "workload", "scale", "metric", "kind"),
            *("engine", "variant", "base_engine", "base_variant"),
        ],
        meaning="One row a pair of cells and metric, paired by block. Exact metrics have none.",
        checks=[ordered("ci_low", "ratio", "ci_high")],
    ),
    "pairs": schema(
        {
            **TIERED,
            "kind": text(
                "`named`: a report compares them; `claimed`: only a claim does", PAIR_KINDS
            ),
            "metric": METRIC["metric"],
            "workload": text("operation of the numerator"),
            "engine": text("engine of the numerator"),
            "variant": text("variant of the numerator"),
            "scale": count("size of the numerator's workload"),
            "base_workload": text("operation of the denominator"),
            "base_engine": text("engine of the denominator"),
            "base_variant": text("variant of the denominator"),
            "base_scale": count("size of the denominator's workload"),
            "n": count("blocks in which both cells are ok", least=1),
            "ratio": number("median of the ratios within a block", positive=True),
            **INTERVAL,
            "near_low": number("lower end of the 90 % interval; null when there is none"),
            "near_high": number("upper end of the 90 % interval; null when there is none"),
            "blocks": _BLOCKS,
            "floor": number(
                "the larger noise floor of the two workloads, 1 for what has no noise; null "
                "without A/A cells"
            ),
            "verdict": text("what the interval and the floor allow to be said", VERDICTS),
            **NOTE,
        },
        key=[
            *("machine", "session", "metric"),
            *(f"{side}{name}" for side in ("", "base_") for name in _CELL),
        ],
        meaning="One row a pair of cells that `config/claims/` names or claims something of, paired"
        " by block. A peer over the reference engine stands in `ratios`, too.",
        checks=[ordered("ci_low", "near_low", "ratio", "near_high", "ci_high")],
    ),
    "scores": schema(
        {
            **TIERED,
            "promise": text("what an answer promises, alike for the engines that are compared"),
            "column": text("column of the scorecard", COLUMNS),
            "workload": ENGINE["workload"],
            **SCALE,
            "metric": METRIC["metric"],
            "unit": METRIC["unit"],
            "engine": ENGINE["engine"],
            "variant": text("variant of the engine"),
            "median": number("median of the engine at that scale", positive=True),
            "best_engine": text("engine of the denominator, the best of those compared"),
            "n": count("blocks in which both are ok", least=1),
            "ratio": number("median of the ratios within a block; 1 of the best", positive=True),
            **INTERVAL,
            "floor": _FLOOR,
            "verdict": text("what may be said of the ratio", ["best", "alone", *VERDICTS]),
        },
        key=["machine", "session", "promise", "column", "engine"],
        meaning="One row a cell of the scorecard, paired by block within one session. It is made "
        "with the front page and not kept.",
        checks=[ordered("ci_low", "ratio", "ci_high")],
    ),
    "quotients": schema(
        {
            **TIERED,
            "kind": text(
                "what the denominator is. `published`: a printed number; `bound`: the sum of the "
                "parts that the cell cannot do without, `config/bounds/`; `theory`: what a trie "
                "of random keys needs; `scale`: the scale, of what a whole process takes; "
                "`session`: the same cell in an earlier session",
                QUOTIENTS,
            ),
            "over": text("name of the denominator, as printed; its parts; or its session"),
            "workload": text("operation measured; `*` is all of the reference engine together"),
            "engine": ENGINE["engine"],
            **VARIANT,
            **SCALE,
            "metric": METRIC["metric"],
            "n": count("shots behind the median; of `*` cells"),
            "median": number("the numerator; null when it was not measured, and of `*`"),
            "base": number("the denominator, in the same unit; null as above"),
            "ratio": number(
                "the one over the other, of `*` the median over its cells at their largest scales; "
                "null without one, and where the parts alone took longer"
            ),
            **INTERVAL,
        },
        key=[
            *("machine", "session", "kind", "over"),
            *("workload", "engine", "variant", "scale", "metric"),
        ],
        meaning="One row a median and a number that no block pairs it with. Only another session "
        "has an interval of its own: then the interval is of the ends of both.",
        checks=[ordered("ci_low", "ratio", "ci_high")],
    ),
    "costs": schema(
        {
            **TIERED,
            "shots": count("shots of the session"),
            "out_of_memory": count("of these those that ran out of memory"),
            "throttled_s": number("median time in which a shot's group had used up its quota, s"),
            "group_peak_bytes": number("largest memory of a shot's group with page cache, B"),
            "peak_rss_bytes": number("largest resident memory of a shot's process tree, B"),
            "fsync_s": number("median fdatasync of 4 KiB before a shot, s"),
        },
        key=["machine", "session"],
        meaning="One row a session: what its limits did, as its shots saw them.",
    ),
    "noise": schema(
        {
            **SESSION,
            "workload": text("operation measured; `*` is all of them together"),
            "metric": METRIC["metric"],
            "n_cells": count(
                "A/A cells of this workload; without any, or few, it has the pooled floor"
            ),
            "floor": pa.Column(
                "float64",
                pa.Check.ge(1),
                description="what an A/A ratio stays within 95 times in 100; at least 1",
            ),
            "basis": text("cells behind the floor: the workload's own, or all pooled", BASES),
        },
        key=["machine", "session", "workload", "metric"],
        meaning="One row a workload and metric: the A/A difference that this session shows.",
    ),
    "scaling": schema(
        {
            **TIERED,
            **ENGINE,
            **VARIANT,
            **METRIC,
            "n": count("blocks with a value at every scale", least=1),
            "n_scales": count("scales of the curve", least=4),
            "smallest": count("smallest scale"),
            "largest": count("largest scale"),
            "exponent": number("median over the blocks of the slope of log value over log scale"),
            **INTERVAL,
            "growth": number("from the smallest scale to the largest by the exponent, a ratio"),
            "law": text("law of the largest weight; empty where none can be chosen", ["", *LAWS]),
            **{
                weight_of(law): number(f"Akaike weight of the law `{law}`, 0 to 1; null as above")
                for law in LAWS
            },
            "misfit": number("largest residual of the law, a ratio of at least 1; null as above"),
            **NOTE,
        },
        key=["machine", "session", "workload", "engine", "variant", "metric"],
        meaning="One row a curve: a workload, engine, variant and metric at 4 scales or more. "
        "Rates, and metrics that can be 0, have none.",
        checks=[ordered("ci_low", "exponent", "ci_high")],
    ),
    "steps": schema(
        {
            **TIERED,
            **ENGINE,
            **VARIANT,
            **METRIC,
            **SCALE,
            "previous": count("the scale before; 0 at the smallest"),
            "median": number("median over the blocks of the curve", positive=True),
            "slope": number("exponent between the scale before and this one; null at the smallest"),
            **INTERVAL,
            "residual": number("measured over fitted by the law of the curve; null without one"),
        },
        key=["machine", "session", "workload", "engine", "variant", "metric", "scale"],
        meaning="One row a curve of `scaling` and scale: local slope and residual.",
        checks=[ordered("ci_low", "slope", "ci_high")],
    ),
    "verdicts": schema(
        {
            **SESSION,
            "tier": text("how much was measured; empty without a session", ["", *TIERS]),
            "claim": text("name of the claim, as in config/claims/"),
            "text": text("what is claimed, in our words"),
            "report": text("where it is said"),
            "section": text("the section of that report"),
            "workload": text("operation that the claim is about; empty when it is not testable"),
            "cell": text("engine and variant judged; empty when it is not testable"),
            "base": text("engine and variant that they are compared with; empty without one"),
            "metric": text("metric that the claim is about; empty when it is not testable"),
            "statistic": text("what is claimed; empty when it is not testable", STATISTICS),
            "unit": text("SI base unit of the effect, `1` for a ratio or an exponent; or empty"),
            "low": number("lower bound of the claim; null when it is not testable"),
            "high": number("upper bound of the claim, may be infinite; null as above"),
            "tolerance": number(
                "how far the effect may lie outside: a share; of an exponent, as is"
            ),
            "scale": count("scale judged, of an exponent the largest; 0 when nothing was measured"),
            "effect": number("what was measured; null when nothing was"),
            **INTERVAL,
            "n": count("blocks behind the effect"),
            "floor": number("noise floor in force, a ratio of at least 1; null without one"),
            "detectable": _DETECTABLE,
            "verdict": text("what the session says of the claim", CLAIM_VERDICTS),
            "reason": text("why the verdict is neither supported nor contradicted; or empty"),
        },
        key=["subsystem", "claim", "scale"],
        meaning="One row a claim and scale. Without a session, only what is claimed.",
        checks=[ordered("low", "high"), ordered("ci_low", "effect", "ci_high")],
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
