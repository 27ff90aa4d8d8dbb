"""Tables of the report on sparse Merkle tries: hashes, proof sizes, memory, peers."""

from math import nan

import pandas as pd

from assay.analyse.theory import HASHED, OF_THIS_FORMAT
from assay.inputs.variant import variant_keys
from assay.present.kit import tables
from assay.present.kit.cells import also
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import digits
from assay.present.kit.tables import Column, Html, number, ratio, table, text, value, valued
from assay.present.subsystems.smt.operations import TRIES
from assay.tables.rows import Row, pick


def hashes(evidence: Evidence) -> Html:
    """Node hashes an operation as counted, beside what a trie of random keys needs."""
    rows = [
        row | _in_theory(evidence, row)
        for workload in HASHED
        for row in tables.measured(evidence.cells(workload, "hashes_per_op"))
        if row["engine"] in OF_THIS_FORMAT
    ]
    columns = [
        tables.engine(evidence),
        text("workload", "workload"),
        text("variant", "variant"),
        number("keys", "scale"),
        valued("counted", "median", lambda hashes: digits(hashes, 5)),
        valued("expected", "base", lambda hashes: digits(hashes, 5)),
        ratio("counted / expected"),
    ]
    return table(rows, columns, "Node hashes an operation")


def _in_theory(evidence: Evidence, row: Row) -> Row:
    """The same over what a trie of random keys needs; theory has no interval."""
    over = evidence.quotient("theory", "random keys", row)
    return pick(over, ["base", "ratio"]) | dict.fromkeys(("ci_low", "ci_high"), nan)


def proof_sizes(evidence: Evidence, published: pd.DataFrame) -> Html:
    """Average, least and greatest proof, as published and here, beside the digests in it."""
    sizes = published[published["workload"] == "proof_size"]
    printed = sizes.set_index(["variant", "scale", "metric"])["value"].to_dict()
    rows = [
        {
            **row,
            **variant_keys(row["variant"]),
            **{name: also(evidence, row, name) for name in ("proof_bytes_min", "proof_bytes_max")},
            "printed": printed.get((row["variant"], row["scale"], "proof_bytes"), nan),
            **_in_theory(evidence, row),
        }
        for row in tables.measured(evidence.cells("proof_size", "proof_bytes"))
    ]
    columns = [
        tables.engine(evidence),
        Column("trie", lambda row: TRIES[row["trie"]]),
        text("codec", "codec"),
        number("keys", "scale"),
        value("published average", "printed", "B"),
        value("average", "median", "B"),
        value("least", "proof_bytes_min", "B"),
        value("greatest", "proof_bytes_max", "B"),
        value("digests alone", "base", "B"),
        ratio("average / digests"),
    ]
    return table(rows, columns, "Bytes of a serialised proof")


def memory(evidence: Evidence) -> Html:
    """What a filled trie holds in memory, and the greatest size of the process, a key."""
    rows = [
        {
            **row,
            "trie": TRIES[variant_keys(row["variant"])["trie"]],
            "peak": evidence.quotient("scale", "scale", row | {"metric": "peak_rss"})["ratio"],
        }
        for row in tables.measured(evidence.cells("fill", "memory_per_key"))
    ]
    columns = [
        tables.engine(evidence),
        text("trie", "trie"),
        number("keys", "scale"),
        tables.median("live after the fill, a key [95\N{NO-BREAK SPACE}% interval]"),
        value("greatest size of the process, a key", "peak", "B"),
        number("n", "n"),
    ]
    return table(rows, columns, "Memory of a filled trie")


def peers(evidence: Evidence) -> Html:
    """Every peer over the reference engine, on all honest operations."""
    rows = evidence.raced()
    chosen = rows[(rows["metric"] == "time") & ~rows["workload"].str.startswith("published_")]
    return tables.ratios(evidence, chosen, "Peers over the reference engine, the same work: time")
