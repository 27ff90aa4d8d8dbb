"""Rows of a table as plain dicts: for many groups of few rows, far faster than data frames."""

from collections.abc import Iterable, Sequence
from typing import Any

Row = dict[Any, Any]


def grouped(rows: Iterable[Row], columns: Sequence[str]) -> list[list[Row]]:
    """The rows in groups that agree in `columns`, in the order of their first rows."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return list(groups.values())


def pick(row: Row, columns: Sequence[str]) -> Row:
    """The row with these columns alone."""
    return {column: row[column] for column in columns}
