"""The data dictionary, data/README.md: generated from schemas and types, so that it cannot lag."""

from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Any, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

import pandera.pandas as pa

from assay import published
from assay.raw import layout, records, shotlog
from assay.system import files, machine
from assay.tables import schemas

_OPENING = """\
# Data dictionary

This file is generated from schemas and types: `python -m assay dictionary data/README.md`.

| folder | what it holds | in git |
| --- | --- | --- |
| `plans/` | plans of sessions, as they are before a machine is known | no |
| `raw/` | [what sessions left](#raw-data), untouched, one folder a session | no |
| `sessions/` | where the session of each plan lies | no |
| `tidy/<subsystem>/` | the tables below, made from `raw/`, and `session.json` | no |
| `reference/<subsystem>/` | the committed run: `session.json` and those tables, as Parquet | yes |
| `reference/published/<subsystem>/` | the same of tier `published`, taken for a release | yes |
| `history/<subsystem>/` | the median times of every run that was committed, as Parquet | yes |
| `published/` | the numbers of the published reports, and what these say of them | yes |

Tidy tables are parquet; in `tidy/`, a CSV file of the same name holds the same rows.
Each table is checked against its schema when it is written and when it is read.
Values are in SI base units: `s` second, `B` byte, `1` count.
`session.json` tells how a session came about: [its fields](#sessionjson).
"""

_RAW = f"""\
## Raw data

A session lies in `{layout.RAW.as_posix()}/<machine>/<subsystem>/<profile>/<key>/`, the key being
that of its plan. The files are JSON, indented and with sorted keys; `{layout.SHOTS}` holds one
object a line, in the order in which the shots ran. Plans and raw data have version
{shotlog.VERSION}: what has another one, or is not as it was written, is refused when it is read.
"""

_FILES = {
    layout.PLAN: records.Plan,
    layout.SHOTS: records.Line,
    layout.MACHINE: machine.Facts,
    layout.ORIGIN: records.Origin,
    layout.STOPPED: records.Stopped,
    "sessions/<subsystem>.<profile>.json": records.Pointer,
    "session.json": records.SessionFacts,
}
"""What is on disk, by the type that it has."""


def write(path: Path) -> None:
    """Write the data dictionary to `path`."""
    files.write_text(path, text())


def text() -> str:
    """The data dictionary as Markdown."""
    of_print = {"published": published.SCHEMA, "machines": published.MACHINES}
    tables = {**schemas.TABLES, **of_print, "moved": published.MOVED}
    return "\n".join(
        [
            _OPENING,
            *(line for item in tables.items() for line in _table(*item)),
            _RAW,
            *(line for name, record in _records().items() for line in _fields(name, record)),
        ]
    )


def _table(name: str, schema: pa.DataFrameSchema) -> Iterator[str]:
    yield f"## {name}\n"
    yield f"{schema.description}"
    yield f"Key: {', '.join(f'`{column}`' for column in schema.unique or [])}.\n"
    yield "| column | type | null | allowed | meaning |"
    yield "| --- | --- | --- | --- | --- |"
    for column, about in schema.columns.items():
        null, type_ = "yes" if about.nullable else "no", schemas.type_name(about)
        type_ = "time, UTC" if type_.startswith("datetime64") else type_
        yield f"| `{column}` | {type_} | {null} | {_allowed(about)} | {about.description} |"
    rules = [str(check.error) for check in schema.checks]
    yield f"\nIn every row: {'; '.join(rules)}.\n" if rules else ""


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


def _records() -> dict[str, type]:
    """The records by their headings: the files, then what is in them."""
    named: dict[str, type] = dict(_FILES)
    waiting = list(named.values())
    while waiting:
        parts = [part for hint in get_type_hints(waiting.pop(0)).values() for part in _parts(hint)]
        new = [part for part in dict.fromkeys(parts) if part not in named.values()]
        named |= {part.__name__: part for part in new}
        waiting += new
    return named


def _parts(hint: Any) -> list[type]:
    """The records in a type."""
    if is_typeddict(hint):
        return [hint]
    return [part for inner in get_args(hint) for part in _parts(inner)]


def _fields(name: str, record: type) -> Iterator[str]:
    yield f"### {name}\n"
    yield f"{record.__doc__}\n"
    yield "| field | type | meaning |"
    yield "| --- | --- | --- |"
    for field, hint in get_type_hints(record, include_extras=True).items():
        may_lack = get_origin(hint) is NotRequired
        type_, meaning = get_args(get_args(hint)[0] if may_lack else hint)
        yield f"| `{field}` | {_words(type_)} | {meaning}{'; may be absent' * may_lack} |"
    yield ""


def _words(hint: Any) -> str:
    """A type as people say it."""
    plain = {
        str: "text",
        int: "whole number",
        float: "number",
        bool: "true or false",
        NoneType: "null",
        Any: "anything",
    }
    if hint in plain:
        return plain[hint]
    if is_typeddict(hint):
        heading = next(name for name, record in _records().items() if record is hint)
        return f"[{heading}](#{''.join(c for c in heading.lower() if c.isalnum())})"
    kind, parts = get_origin(hint), [_words(part) for part in get_args(hint)]
    if kind is list:
        return f"list: {parts[0]}"
    if kind is dict:
        return f"by name: {parts[1]}"
    return " or ".join(parts)
