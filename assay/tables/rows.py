"""Rows of a table as plain dicts: for many groups of few rows, far faster than data frames."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

Row = dict[Any, Any]


def successful(measurements: pd.DataFrame) -> pd.DataFrame:
    """The shots behind every estimate: those of arm A that are ok."""
    return measurements[(measurements["status"] == "ok") & (measurements["arm"] == "A")]


def records(table: pd.DataFrame) -> list[Row]:
    """The rows of a table; `to_dict("records")` takes four times as long for columns of text."""
    columns = list(table.columns)
    values = zip(*(table[column].tolist() for column in columns), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in values]


def grouped(rows: Iterable[Row], columns: Sequence[str]) -> list[list[Row]]:
    """The rows in groups that agree in `columns`, in the order of their first rows."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return list(groups.values())


def pick(row: Mapping[Any, Any], columns: Sequence[str]) -> Row:
    """The row with these columns alone."""
    return {column: row[column] for column in columns}
