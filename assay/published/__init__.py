"""The numbers of the published reports, as data: data/published/<subsystem>.csv."""

import io
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa

from assay.system import files
from assay.tables import schemas

FOLDER = Path(__file__).parents[2] / "data" / "published"

NOT_GIVEN = ["N/A", "Not measured"]

UNITS = {
    "": ("1", 1.0),
    "%": ("1", 0.01),
    "s": ("s", 1.0),
    "ms": ("s", 1e-3),
    "us": ("s", 1e-6),
    "s/op": ("s", 1.0),
    "ms/op": ("s", 1e-3),
    "µs/op": ("s", 1e-6),
    "ns/op": ("s", 1e-9),
    "us/B": ("s/B", 1e-6),
    "bytes": ("B", 1.0),
    "Mb": ("B", 1e6),
    "Gb": ("B", 1e9),
    "B/op": ("B", 1.0),
    "kB/op": ("B", 1e3),
    "MB/op": ("B", 1e6),
    "GB/op": ("B", 1e9),
    "allocs/op": ("1", 1.0),
    "draws/sec": ("1/s", 1.0),
    "bytes/draw": ("B", 1.0),
    "gc_count": ("1", 1.0),
    "wal_bytes/draw": ("B", 1.0),
    "wal_file_size": ("B", 1.0),
}
"""Unit as printed, to SI base unit and factor. Where `Mb` and `Gb` are printed, bytes are meant:
`assay.published.slips.units` shows that they cannot be bits."""

SUFFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6}


def _text(meaning: str, *checks: pa.Check) -> pa.Column:
    return pa.Column("str", list(checks), description=meaning)


_NUMBERS = {"value": [""], "scale": [""], "reading_error": [""]}
"""The columns that are not text, and what stands for null in them."""

_NAMED = pa.Check.str_length(min_value=1)

SCHEMA = pa.DataFrameSchema(
    {
        "source": _text("title of the report", _NAMED),
        "section": _text("headings above the number, outermost first", _NAMED),
        "table": _text("which table or sample under the heading", _NAMED),
        "row": _text("row of the table as printed, or name of the benchmark", _NAMED),
        "column": _text(
            "column of the table as printed, with what tells it apart where it is printed twice",
            _NAMED,
        ),
        "printed": _text("the number as printed, or what stands in the place of one", _NAMED),
        "printed_unit": _text("its unit as printed; empty for a plain count", pa.Check.isin(UNITS)),
        "value": pa.Column("float64", nullable=True, description="the number in `unit`"),
        "unit": _text("SI base unit; `1` is a count, `B` is a byte"),
        "workload": _text("our workload that measures the same; empty when none does"),
        "metric": _text("our metric that measures the same; empty when none does"),
        "variant": _text("variant of our engine that answers the number"),
        "scale": pa.Column(
            "float64",
            pa.Check.ge(0),
            nullable=True,
            description="scale that answers the number; null where the largest one does",
        ),
        "logged_variant": pa.Column(
            "str",
            required=False,
            description="where `variant` acknowledges a draw before it is logged: the variant of "
            "the reference engine that logs it first",
        ),
        "reading_error": pa.Column(
            "float64",
            required=False,
            nullable=True,
            description="how far `value` may be off, in `unit`; null where it is printed",
        ),
    },
    unique=["source", "section", "table", "row", "column"],
    strict=True,
    ordered=True,
    description="One row a number of the published reports, data/published/<subsystem>.csv.",
)

MACHINES = pa.DataFrameSchema(
    {
        "subsystem": _text("subsystem whose numbers come from the machine", _NAMED),
        "source": _text("title of the report", _NAMED),
        "machine": _text("the machine as the report names it", _NAMED),
        "cpu": _text("processor; empty when not stated, as in the columns that follow"),
        "cpus": _text("how many CPUs or threads"),
        "memory": _text("main memory"),
        "disk": _text("kind of disk"),
        "os": _text("operating system"),
        "not_stated": _text("what a reader would need and the report does not say", _NAMED),
    },
    unique=["source", "machine"],
    strict=True,
    ordered=True,
    description="One row a machine of the published reports, data/published/machines.csv.",
)


MOVED = pa.DataFrameSchema(
    {
        "row": _text("row of the table as printed", _NAMED),
        "operation": _text("column of the table as printed", _NAMED),
        "laptop": pa.Column("float64", description="the printed time on the laptop, s"),
        "server": pa.Column("float64", description="that on the server, s"),
        "ratio": pa.Column("float64", description="server over laptop"),
    },
    unique=["row", "operation"],
    strict=True,
    ordered=True,
    description="One row a time of 10,000 resources that the report on linked-data repositories "
    "prints of two machines. It is made with the page of profiles and not kept.",
)

_LAPTOP, _SERVER = "Laptop / 10K Resources", "server / 10K Resources"
"""How the sections end that tell of the same work on two machines."""


def moved() -> pd.DataFrame:
    """The same work on a laptop and on a server, by print."""
    rows = read("ldp")
    rows = rows[rows["value"].notna() & rows["column"].isin(["PUT", "GET", "SPARQL Query"])]
    laptop, server = (
        rows[rows["section"].str.endswith(machine)].set_index(["row", "column"])["value"]
        for machine in (_LAPTOP, _SERVER)
    )
    both = pd.concat({"laptop": laptop, "server": server}, axis="columns", join="inner")
    both = both.assign(ratio=both["server"] / both["laptop"]).reset_index()
    table = both.rename(columns={"column": "operation"})
    return schemas.checked(MOVED, table, "not a table of two machines")


def machines(folder: Path = FOLDER) -> pd.DataFrame:
    """The machines that the published numbers come from."""
    path = folder / "machines.csv"
    table = pd.read_csv(_opened(path), dtype="str", keep_default_na=False)
    return schemas.checked(MACHINES, table, f"{path}: not a table of machines")


def read(subsystem: str, folder: Path = FOLDER) -> pd.DataFrame:
    """The published numbers of a subsystem.

    ValueError when the file breaks the schema, or when a value is not its printed number in the
    SI base unit of its printed unit.
    """
    path = folder / f"{subsystem}.csv"
    text = {name: "str" for name in SCHEMA.columns if name not in _NUMBERS}
    table = pd.read_csv(_opened(path), dtype=text, keep_default_na=False, na_values=_NUMBERS)
    schemas.checked(SCHEMA, table, f"{path}: not a table of published numbers")
    wrong = [
        f"  line {line}: expected {value:.12g} {unit}, found {row['value']:.12g} {row['unit']}"
        for line, (_, row) in enumerate(table.iterrows(), start=2)
        for value, unit in [_in_base_unit(row["printed"], row["printed_unit"])]
        if unit != row["unit"] or not np.isclose(value, row["value"], 1e-12, 0, equal_nan=True)
    ]
    if wrong:
        raise ValueError("\n".join([f"{path}: values that do not follow from print", *wrong]))
    return table


def of(subsystem: str) -> pd.DataFrame:
    """The published numbers of a subsystem; none of one that no report is about."""
    there = (FOLDER / f"{subsystem}.csv").exists()
    return read(subsystem) if there else pd.DataFrame(columns=[*SCHEMA.columns])


def scales(numbers: pd.DataFrame) -> "pd.Series[float]":
    """The scale that each of some numbers is at, null where none is told.

    A cost an operation is printed at no scale: that is the number of iterations, where it is told.
    """
    counts = numbers[numbers["column"].str.lower() == "iterations"]
    iterations = counts.set_index(["section", "row"])["value"].to_dict()
    told = [iterations.get(row) for row in zip(numbers["section"], numbers["row"], strict=True)]
    return numbers["scale"].fillna(pd.Series(told, numbers.index, "float64"))


def named(row: Mapping[Any, Any]) -> str:
    """The name of a published number, among those of its report."""
    return " / ".join(row[name] for name in ("section", "table", "row", "column"))


def _opened(path: Path) -> io.StringIO:
    return io.StringIO(files.read_text(path))


def _in_base_unit(printed: str, printed_unit: str) -> tuple[float, str]:
    unit, factor = UNITS[printed_unit]
    return (math.nan if printed in NOT_GIVEN else _number(printed) * factor), unit


def _number(printed: str) -> float:
    """A number with commas, minutes (`2m6.7`) or a suffix (`213k`); NaN when it is none."""
    parts = re.fullmatch(r"(?:(\d+)m)?(\d[\d,]*\.?\d*)([kKM]?)", printed)
    if not parts:
        return math.nan
    minutes, number, suffix = parts.groups("")
    return int(minutes or 0) * 60 + float(number.replace(",", "")) * SUFFIXES[suffix]
