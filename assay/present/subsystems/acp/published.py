"""The published tables on document access control, old and new, beside the same engines here."""

import pandas as pd

from assay.analyse.ratios import paired_ratio
from assay.present.kit.evidence import Evidence
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
    modes = [
        evidence.cells(workload, engine=NEW, mode=mode, store=store).dropna(subset="median")
        for mode in ("cold", "warm")
    ]
    cold, warm = (cells.set_index("scale") for cells in modes)
    rows: list[Row] = []
    for scale in sorted(set(cold.index) & set(warm.index)):
        above, below = (
            {
                "workload": workload,
                "engine": NEW,
                "variant": f"mode={mode},store={store}",
                "scale": int(scale),
            }
            for mode in ("cold", "warm")
        )
        found = paired_ratio(evidence.measurements, above, below)
        first = cold.loc[scale]
        rows.append(
            {
                "what": what,
                "store": STORES[store],
                "scale": int(scale),
                "cold": first["median"],
                "warm": warm.loc[scale, "median"],
                "ratio": found.ratio,
                "ci_low": found.ci_low,
                "ci_high": found.ci_high,
                "range": f"{first['maximum'] / first['minimum']:.1f}\N{MULTIPLICATION SIGN}",
                "n": found.n,
            }
        )
    return rows
