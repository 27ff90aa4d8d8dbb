"""The published tables, number by number, beside what this study measured."""

import pandas as pd

from assay.analyse.rows import Row
from assay.present.evidence import Evidence, largest
from assay.present.quantities import interval, quantity
from assay.present.tables import Column, Html, table, text

OURS = {
    "variant": "reference engine",
    "relaxed_variant": "reference engine, acknowledging first",
    "stand_in_variant": "stand-in",
}

TOTALS = ("gc_count", "wal_file_size")
"""Metrics that grow with the number of draws, which is shown beside them."""


def beside(evidence: Evidence, published: pd.DataFrame) -> Html:
    """Every published metric that a workload of ours answers, with our median and interval."""
    counts = published[published["column"] == "iterations"]
    iterations = counts.set_index(["section", "row"])["value"].to_dict()
    rows = [
        {
            **row,
            "draws": iterations.get((row["section"], row["row"])),
            **{key: _ours(evidence, row, key) for key in OURS},
        }
        for row in published[published["metric"] != ""].to_dict("records")
    ]
    columns = [
        Column("published under", lambda row: row["section"].split(" / ")[0]),
        text("row", "row"),
        text("metric", "column"),
        Column("published", _printed, lambda row: row["value"]),
        *(_column(name, key) for key, name in OURS.items()),
    ]
    return table(rows, columns, "Published numbers beside ours: median [95 % interval], n")


def _printed(row: Row) -> str:
    if pd.isna(row["value"]):
        return "not given"
    shown = quantity(row["value"], row["unit"])
    if row["metric"] not in TOTALS:
        return shown
    return f"{shown} at {row['draws']:,.0f} draws" if row["draws"] else f"{shown}, draws not given"


def _column(title: str, key: str) -> Column:
    def show(row: Row) -> str:
        ours = row[key]
        if not isinstance(ours, dict):
            return str(ours)
        shown = interval(ours["median"], ours["ci_low"], ours["ci_high"], ours["unit"])
        at = f" at {ours['scale']:,} draws" if row["metric"] in TOTALS else ""
        return f"{shown}{at}, n = {ours['n']}"

    def value(row: Row) -> float:
        return float(row[key]["median"]) if isinstance(row[key], dict) else float("nan")

    return Column(title, show, value)


def _ours(evidence: Evidence, row: Row, key: str) -> Row | str:
    """Our estimate for a published number, or why there is none."""
    variant = row[key]
    if not variant:
        return "–"
    cells = evidence.cells(row["workload"], row["metric"], variant=variant)
    found = largest(cells.dropna(subset="median")).to_dict("records")
    return found[0] if found else evidence.missing(row["workload"], variant=variant)
