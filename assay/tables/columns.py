"""The columns of the tidy tables: kinds, groups that several tables share, and rules for rows."""

from collections.abc import Sequence

import pandas as pd
import pandera.pandas as pa

from assay.tables.vocabulary import BETTER, TIERS


def text(meaning: str, allowed: list[str] | None = None, regex: str = "") -> pa.Column:
    """Words, of those `allowed` where some are given, and of the form `regex`."""
    checks = [pa.Check.isin(allowed)] if allowed else []
    if regex:
        checks.append(pa.Check.str_matches(regex))
    return pa.Column("str", checks, description=meaning)


def count(meaning: str, least: int = 0) -> pa.Column:
    """A whole number, `least` or more."""
    return pa.Column("int64", pa.Check.ge(least), description=meaning)


def number(meaning: str, positive: bool = False) -> pa.Column:
    """A number, or null."""
    checks = [pa.Check.gt(0)] if positive else []
    return pa.Column("float64", checks, nullable=True, description=meaning)


def flag(meaning: str) -> pa.Column:
    """True or false."""
    return pa.Column("bool", description=meaning)


SESSION = {
    "machine": text("key of the machine: a digest of facts that survive a reboot"),
    "profile": text("hardware profile that the shots ran under"),
    "subsystem": text("what was measured"),
    "session": text("key of the session's plan: a digest of engines, shots, seed and toolchain"),
}
TIERED = {
    **SESSION,
    "tier": text("how much was measured; `smoke` allows no inference", TIERS),
}
SCALE = {
    "scale": count("size of the workload, in the unit that the plan names for it"),
}
ENGINE = {
    "workload": text("operation measured"),
    "engine": text("name of the engine; the reference engine is `reference`"),
    "role": text("the engine's part in the study", ["reference", "peer"]),
}
VARIANT = {
    "variant": text(
        "configuration of the engine, `key=value` pairs sorted by key; empty when it has none",
        regex=r"^([^=,]+=[^,]*(,[^=,]+=[^,]*)*)?$",
    ),
}
CELL = {**ENGINE, **VARIANT, **SCALE}
METRIC = {
    "metric": text("what was measured; `time` is the primary metric of every workload"),
    "unit": text("SI base unit of the values; `1` is a count, `B` is a byte"),
    "better": text("which direction is an improvement", BETTER),
    "exact": flag("true for a counter that must not vary between shots of a cell and seed"),
}
INTERVAL = {
    "ci_low": number("lower end of the 95 % interval; null when there is none"),
    "ci_high": number("upper end of the 95 % interval; null when there is none"),
}
NOTE = {"note": text("what a reader must know about the row; empty when nothing")}


def ordered(*columns: str) -> pa.Check:
    """Columns rise from left to right wherever they are not null."""

    def rises(table: pd.DataFrame) -> "pd.Series[bool]":
        values = table[list(columns)]
        steps = values.diff(axis="columns").iloc[:, 1:]
        return (steps.isna() | (steps >= 0)).all(axis="columns")

    return pa.Check(rises, error=" <= ".join(columns))


def schema(
    columns: dict[str, pa.Column], key: list[str], meaning: str, checks: Sequence[pa.Check] = ()
) -> pa.DataFrameSchema:
    """A table with these columns in this order, and no other; `key` names a row."""
    return pa.DataFrameSchema(
        columns, checks=list(checks), unique=key, strict=True, ordered=True, description=meaning
    )
