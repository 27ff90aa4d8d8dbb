"""What the published benchmark of the sparse Merkle trie measures, and its honest twins."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan

import pandas as pd

from assay.present.kit.evidence import MORE, Evidence, Place
from assay.present.kit.operations import Operation
from assay.present.kit.quantities import SPACE
from assay.present.kit.tables import (
    INTERVAL,
    Html,
    absent,
    note,
    number,
    table,
    text,
    value,
    valued,
)
from assay.present.kit.tables import ratio as ratio_column
from assay.present.sections.reproduced import Counterpart, Printed
from assay.present.subsystems.smt.operations import (
    DELETE_MANY,
    GET,
    LATER_LIBRARY,
    LIBRARY,
    PROVE,
    REFERENCE,
    TRIES,
    UPDATE_MANY,
    UPDATE_ONE,
    WITH_ROOT,
)
from assay.tables.rows import Row

ANSWERS = (
    Counterpart("library v0.10.2", LIBRARY, compared=True, fairly={"time": WITH_ROOT}),
    Counterpart("reference", REFERENCE),
    Counterpart("reference, root included", REFERENCE, instead={"time": WITH_ROOT}),
    Counterpart("library v0.14.1", LATER_LIBRARY),
)
"""What stands beside the published numbers."""

FILL = Operation("fill an empty trie and commit once", "fill")
DELETE = Operation("delete a key that is there, no commit", "delete_hit")

BEYOND = {
    ("SMT", "Update"): "insert new keys and grow the trie",
    ("SMT", "Get"): "miss",
    ("SMT", "Prove"): "prove that a key is absent",
    ("SMT", "Delete"): "fail: the key is gone or was never there",
    ("SMST", "Update"): "insert new keys and grow the trie",
    ("SMST", "Get"): "miss: look up 8-byte keys, filled were decimal ones",
    ("SMST", "Prove"): "prove that a key is absent: 8-byte keys, filled were decimal ones",
    ("SMST", "Delete"): "fail: delete 8-byte keys, filled were decimal ones",
}
"""What the operations do that meet no prefilled key."""


@dataclass(frozen=True)
class Twin:
    """A published row and the operation that measures what its name says.

    The operation is always one on the plain trie: the version of the library that the report is
    about has sum trie roots of its own, so nothing checks its honest operations on that trie.
    """

    row: str
    workload: str
    trie: str
    trap: str
    honest: Operation


_REFILL = "fills a trie that already holds the same keys, committed"
_ONE_COMMIT = "shares one commit among all operations"
_PAST = "looks past the prefilled keys: mostly misses"
_NEVER = "works on keys that were never filled"
_GONE = "deletes keys that are gone"
TWINS = (
    Twin("Fill & Commit", "published_fill_commit", "smt", _REFILL, FILL),
    Twin("Update & Commit", "published_update_commit", "smt", _ONE_COMMIT, UPDATE_ONE),
    Twin("Update & Commit", "published_update_commit", "smt", _ONE_COMMIT, UPDATE_MANY),
    Twin("Get", "published_get", "smt", _PAST, GET),
    Twin("Get", "published_get", "smst", _NEVER, GET),
    Twin("Prove", "published_prove", "smt", _PAST, PROVE),
    Twin("Prove", "published_prove", "smst", _NEVER, PROVE),
    Twin("Delete", "published_delete", "smt", _GONE, DELETE),
    Twin("Delete", "published_delete", "smst", _NEVER, DELETE),
    Twin("Delete & Commit", "published_delete_commit", "smt", _ONE_COMMIT, DELETE_MANY),
    Twin("Delete & Commit", "published_delete_commit", "smst", _NEVER, DELETE_MANY),
)


def _printed(part: str, times: bool) -> Printed:
    """The tables whose section names `part`: their times, or everything else."""

    def holds(published: pd.DataFrame) -> pd.DataFrame:
        of_part = published["section"].str.contains(part)
        is_time = (published["metric"] == "time") | (published["column"] == "Iterations")
        return published[of_part & (is_time if times else ~is_time)]

    what = f"{part}, {'times' if times else 'sizes and counts'}"
    return Printed(f"{what}, published and measured here", ANSWERS, holds)


PRINTED = {
    "fill-times": _printed("Fill", times=True),
    "fill-sizes": _printed("Fill", times=False),
    "operation-times": _printed("Operations", times=True),
    "operation-sizes": _printed("Operations", times=False),
    "proof-sizes": _printed("Proofs", times=False),
}


def past_the_keys(published: pd.DataFrame) -> Html:
    """How many operations of each published row meet no prefilled key, from its own numbers."""
    columns = [
        text("trie", "trie"),
        text("row", "row"),
        number("prefilled", "prefilled"),
        number("operations", "operations"),
        valued("without a prefilled key", "share", lambda part: f"{100 * part:.1f}{SPACE}%"),
        text("these", "these"),
        text("commits", "commits"),
    ]
    caption = "Operations of the published rows, by the key that they meet"
    return table(list(_operations(published)), columns, caption)


def _operations(published: pd.DataFrame) -> Iterator[Row]:
    """The rows of the operation tables: iterations, and the share that no prefilled key is for."""
    rows = published[published["table"] == "operations"]
    wide = rows.pivot(index=["section", "row"], columns="column", values="value")
    for section, row in rows[["section", "row"]].drop_duplicates().itertuples(index=False):
        trie, name = section.split(" / ")[0], row.split(",")[0]
        known = wide.loc[(section, row)]
        prefilled, operations = int(known["Prefilled Values"]), int(known["Iterations"])
        # The sum trie's operations use another form of key than its fill: none is ever met.
        met = min(prefilled, operations) if trie == "SMT" else 0
        yield {
            "trie": trie,
            "row": row,
            "prefilled": prefilled,
            "operations": operations,
            "share": 1 - met / operations,
            "these": BEYOND[trie, name.removesuffix(" & Commit")] if met < operations else "–",
            "commits": f"1 for all {operations:,}" if "Commit" in name else "none",
        }


def twins(evidence: Evidence, published: pd.DataFrame) -> Html:
    """Each published row beside its honest twin, both by the published library here."""
    columns = [
        text("trie", "trie"),
        text("published row", "row"),
        text("what it does", "trap"),
        value("published", "printed", "s"),
        value("the same, here", "published", "s"),
        text("honest twin, SMT", "twin"),
        value("twin, here", "honest", "s"),
        ratio_column(f"twin / published row {INTERVAL}"),
        number("keys", "keys"),
        number("n", "n"),
    ]
    rows = [row for twin in TWINS if (row := _twin(evidence, published, twin))]
    caption = "Published rows and their honest twins, published library"
    left = len(TWINS) - len(rows)
    if not rows:
        return absent(f"Table {caption}", f"is {MORE}")
    more = note(f"{left} more of {len(TWINS)} published rows and their twins are {MORE}.")
    return Html(table(rows, columns, caption).text + (more.text if left else ""))


def _twin(evidence: Evidence, published: pd.DataFrame, twin: Twin) -> Row | None:
    """A row of `twins`, at the largest scale that both were measured at; all times are a key's."""
    cell = Place(twin.honest.workload, LIBRARY, twin.honest.variant(trie="smt"))
    base = Place(twin.workload, LIBRARY, f"trie={twin.trie}")
    rows = evidence.over(cell, base)
    if not rows:
        return None
    row, keys = rows[-1], rows[-1]["scale"]
    # A published fill is an operation as a whole.
    share = keys if "fill" in twin.workload else 1
    honest, mistaken = (
        evidence.cells(**place._asdict(), scale=keys)["median"].iloc[0] for place in (cell, base)
    )
    of_row = (published["metric"] == "time") & (published["workload"] == twin.workload)
    at = (published["variant"] == f"trie={twin.trie}") & (published["scale"] == keys)
    times = published.loc[of_row & at, "value"]
    return {
        "trie": TRIES[twin.trie],
        "row": twin.row,
        "trap": twin.trap,
        "twin": twin.honest.label,
        "keys": keys,
        "n": row["n"],
        "printed": float(times.iloc[0]) / share if len(times) else nan,
        "published": mistaken / share,
        "honest": honest,
        "ratio": row["ratio"] * share,
        "ci_low": row["ci_low"] * share,
        "ci_high": row["ci_high"] * share,
    }
