"""The numbers of the published reports, as data: data/published/<subsystem>.csv."""

import math
from pathlib import Path

import pandas as pd
import pandera.pandas as pa

from assay.analyse import schemas

FOLDER = Path(__file__).parents[2] / "data" / "published"

NOT_GIVEN = "N/A"

UNITS = {
    "": ("1", 1.0),
    "ns/op": ("s", 1e-9),
    "draws/sec": ("1/s", 1.0),
    "bytes/draw": ("B", 1.0),
    "gc_count": ("1", 1.0),
    "wal_bytes/draw": ("B", 1.0),
    "wal_file_size": ("B", 1.0),
}
"""Unit as printed, to SI base unit and factor."""


def _text(meaning: str, *checks: pa.Check) -> pa.Column:
    return pa.Column("str", list(checks), description=meaning)


_NAMED = pa.Check.str_length(min_value=1)

SCHEMA = pa.DataFrameSchema(
    {
        "source": _text("title of the report", _NAMED),
        "section": _text("headings above the number, outermost first", _NAMED),
        "table": _text("which table or sample under the heading", _NAMED),
        "row": _text("row of the table as printed, or name of the benchmark", _NAMED),
        "column": _text("column of the table as printed", _NAMED),
        "printed": _text("the number as printed; `N/A` where the report gives none", _NAMED),
        "printed_unit": _text("its unit as printed; empty for a plain count", pa.Check.isin(UNITS)),
        "value": pa.Column("float64", nullable=True, description="the number in `unit`"),
        "unit": _text("SI base unit; `1` is a count, `B` is a byte"),
        "workload": _text("our workload that measures the same; empty when none does"),
        "metric": _text("our metric that measures the same; empty when none does"),
        "variant": _text("variant of our engine that answers the number"),
        "relaxed_variant": _text(
            "where the published engine acknowledges before data is durable and `variant` does "
            "not: the variant of our engine that does so too"
        ),
        "stand_in_variant": _text("variant that stands in for the published engine"),
    },
    unique=["source", "section", "table", "row", "column"],
    strict=True,
    ordered=True,
    description="One row a number of the published reports, data/published/<subsystem>.csv.",
)


def read(subsystem: str, folder: Path = FOLDER) -> pd.DataFrame:
    """The published numbers of a subsystem.

    ValueError when the file breaks the schema, or when a value is not its printed number in the
    SI base unit of its printed unit.
    """
    path = folder / f"{subsystem}.csv"
    text = {name: "str" for name in SCHEMA.columns if name != "value"}
    table = pd.read_csv(path, dtype=text, keep_default_na=False, na_values={"value": [""]})
    schemas.checked(SCHEMA, table, f"{path}: not a table of published numbers")
    wrong = [
        f"  line {line}: expected {value:.12g} {unit}, found {row['value']:.12g} {row['unit']}"
        for line, (_, row) in enumerate(table.iterrows(), start=2)
        for value, unit in [_in_base_unit(row["printed"], row["printed_unit"])]
        if unit != row["unit"] or not _same(value, row["value"])
    ]
    if wrong:
        raise ValueError("\n".join([f"{path}: values that do not follow from print", *wrong]))
    return table


def _in_base_unit(printed: str, printed_unit: str) -> tuple[float, str]:
    unit, factor = UNITS[printed_unit]
    value = math.nan if printed == NOT_GIVEN else float(printed.replace(",", "")) * factor
    return value, unit


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-12) or (math.isnan(one) and math.isnan(other))
