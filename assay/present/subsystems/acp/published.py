"""The published tables on document access control, old and new, beside the same engines here."""

import pandas as pd

from assay.present.kit.evidence import Evidence, Place
from assay.present.kit.tables import Column, Html, number, table, text, value
from assay.present.kit.tables import ratio as ratio_column
from assay.present.sections.reproduced import Counterpart, Printed
from assay.present.subsystems.acp.operations import NEW, OLD, REFERENCE, STORES
from assay.tables.rows import Row

LOOK_UPS = {
    "check_doc_access": "check the access of the owner",
    "is_doc_registered": "ask whether a document is registered",
}


def is_old(published: pd.DataFrame) -> "pd.Series[bool]":
    """Which published numbers are those of the old generation."""
    return published["row"].str.contains("Old/") | (published["table"] == "example, old")


def _new(published: pd.DataFrame) -> pd.DataFrame:
    # The summary at the end repeats the new tables, less the rows on disk.
    summary = published["section"].str.startswith("TLDR")
    return published[~is_old(published) & ~summary]


def _answers(generation: str, engine: str) -> tuple[Counterpart, Counterpart]:
    here = Counterpart(f"{generation} published engine, here", engine, compared=True)
    return here, Counterpart("reference", REFERENCE)


PRINTED = {
    "new": Printed("The new engine", _answers("new", NEW), _new),
    "old": Printed("The old engine", _answers("old", OLD), lambda rows: rows[is_old(rows)]),
}
"""The published numbers of a generation beside that engine and ours."""


def cold_and_warm(evidence: Evidence) -> Html:
    """What ten first calls, as published, say beside a loop of calls: the new engine, by scale."""
    rows = [
        row
        for workload, what in LOOK_UPS.items()
        for store in STORES
        for row in _modes(evidence, workload, store, what)
    ]
    columns = [
        text("look-up", "what"),
        text("store", "store"),
        number("documents", "scale"),
        value("first calls, as published", "cold", "s"),
        value("a loop of calls", "warm", "s"),
        ratio_column("first / loop [95\N{NO-BREAK SPACE}%\N{NO-BREAK SPACE}interval]"),
        Column("first calls, range over blocks", lambda row: row["range"]),
        number("n", "n"),
    ]
    return table(rows, columns, "First calls beside a loop of calls, new published engine")


def _modes(evidence: Evidence, workload: str, store: str, what: str) -> list[Row]:
    variants = [f"mode={mode},store={store}" for mode in ("cold", "warm")]
    cold, warm = (
        evidence.cells(workload, engine=NEW, variant=variant).set_index("scale")
        for variant in variants
    )
    return [
        {
            **row,
            "what": what,
            "store": STORES[store],
            "cold": first["median"],
            "warm": warm.loc[row["scale"], "median"],
            "range": f"{first['spread']:.1f}\N{MULTIPLICATION SIGN}",
        }
        for row in evidence.over(*(Place(workload, NEW, variant) for variant in variants))
        for first in [cold.loc[row["scale"]]]
    ]
