"""The cells that answer what the published reports print: `data/published/<subsystem>.csv`."""

import csv
import io
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from assay.system import files

FOLDER = Path("data/published")


Cell = tuple[str, str, int | None]
"""Workload, variant and scale."""


@cache
def cells(root: Path, subsystem: str) -> Mapping[str, set[Cell]]:
    """By section of the report, the cells of every printed number that a workload of ours measures.

    A cost an operation is printed at no scale: that is the number of iterations, where it is told,
    else None. None are printed of a subsystem without a published report.
    """
    path = root / FOLDER / f"{subsystem}.csv"
    if not path.exists():
        return {}
    rows = list(csv.DictReader(io.StringIO(files.read_text(path))))
    iterations = {
        (row["section"], row["row"]): row["value"]
        for row in rows
        if row["column"].lower() == "iterations"
    }
    printed_cells = defaultdict[str, set[Cell]](set)
    for row in rows:
        if not row["metric"]:
            continue
        told = row["scale"] or iterations.get((row["section"], row["row"]), "")
        scale = int(float(told)) if told else None
        printed_cells[row["section"]].add((row["workload"], row["variant"], scale))
        if logged := row.get("logged_variant"):
            printed_cells[row["section"]].add((row["workload"], logged, scale))
    return printed_cells
