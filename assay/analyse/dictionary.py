"""The data dictionary, data/README.md: generated from the schemas, so that it cannot lag them."""

from collections.abc import Iterator
from pathlib import Path

import pandera.pandas as pa

from assay import published
from assay.system import files
from assay.tables import schemas

_OPENING = """\
# Data dictionary

This file is generated from the schemas: `python -m assay dictionary data/README.md`.

| folder | what it holds | in git |
| --- | --- | --- |
| `raw/` | what the harnesses printed, untouched, one folder a session | no |
| `tidy/<subsystem>/` | the tables below, made from `raw/`, and `session.json` | no |
| `reference/<subsystem>/` | the committed run: `session.json` and those tables, as Parquet | yes |
| `history/<subsystem>/` | the median times of every run that was committed, as Parquet | yes |
| `published/` | the numbers of the published reports | yes |

Tidy tables are parquet; in `tidy/`, a CSV file of the same name holds the same rows.
Each table is checked against its schema when it is written and when it is read.
Values are in SI base units: `s` second, `B` byte, `1` count.
`session.json` tells how a session came about: plan, engines, toolchain, machine, commit, command.
"""


def write(path: Path) -> None:
    """Write the data dictionary to `path`."""
    files.write_text(path, text())


def text() -> str:
    """The data dictionary as Markdown."""
    tables = {**schemas.TABLES, "published": published.SCHEMA, "machines": published.MACHINES}
    return "\n".join([_OPENING, *(line for item in tables.items() for line in _table(*item))])


def _table(name: str, schema: pa.DataFrameSchema) -> Iterator[str]:
    yield f"## {name}\n"
    yield f"{schema.description}"
    yield f"Key: {', '.join(f'`{column}`' for column in schema.unique or [])}.\n"
    yield "| column | type | null | allowed | meaning |"
    yield "| --- | --- | --- | --- | --- |"
    for column, about in schema.columns.items():
        null = "yes" if about.nullable else "no"
        yield f"| `{column}` | {_type(about)} | {null} | {_allowed(about)} | {about.description} |"
    rules = [str(check.error) for check in schema.checks]
    yield f"\nIn every row: {'; '.join(rules)}.\n" if rules else ""


def _type(column: pa.Column) -> str:
    return {"datetime64[us, UTC]": "time, UTC"}.get(str(column.dtype), schemas.type_name(column))


def _allowed(column: pa.Column) -> str:
    for check in column.checks:
        statistics = check.statistics or {}
        if check.name == "isin":
            return ", ".join(f"`{value}`" for value in statistics["allowed_values"] if value)
        if check.name == "greater_than_or_equal_to":
            return f"at least {statistics['min_value']}"
        if check.name == "greater_than":
            return f"above {statistics['min_value']}"
    return ""
