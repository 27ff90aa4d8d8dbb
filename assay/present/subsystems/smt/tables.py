"""Tables of the report on sparse Merkle tries: hashes, proof sizes, memory, peers."""

from math import nan

import pandas as pd

from assay.inputs.variant import variant_keys
from assay.present.kit import tables
from assay.present.kit.cells import also
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import digits
from assay.present.kit.tables import Column, Html, number, ordered, over, table, text, value
from assay.present.subsystems.smt import theory
from assay.present.subsystems.smt.operations import DIGESTS, LIBRARY, OF_THIS_FORMAT, TRIES
from assay.tables.rows import Row

HASHED = ("fill", "fill_one_by_one", "update_commit")
"""Workloads whose number of node hashes follows from the shape of a trie of random keys."""


def hashes(evidence: Evidence) -> Html:
    """Node hashes an operation as counted, beside what a trie of random keys needs."""
    rows = [
        {**row, "expected": _expected(row)}
        for workload in HASHED
        for row in ordered(evidence.cells(workload, "hashes_per_op")).to_dict("records")
        if row["engine"] in OF_THIS_FORMAT and row["n"]
    ]
    columns = [
        tables.engine(evidence),
        text("workload", "workload"),
        text("variant", "variant"),
        number("keys", "scale"),
        _number("counted", "median"),
        _number("expected", "expected"),
        over("counted / expected", "median", "expected"),
    ]
    return table(rows, columns, "Node hashes an operation")


def _expected(row: Row) -> float:
    keys = int(row["scale"])
    batch = int(variant_keys(row["variant"]).get("batch", keys))
    return theory.hashes_per_update(keys, min(batch, keys))


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
            "digests": theory.proof_siblings(row["scale"]) * _digest(row),
        }
        for row in ordered(evidence.cells("proof_size", "proof_bytes")).to_dict("records")
        if row["n"]
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
        value("digests alone", "digests", "B"),
        over("average / digests", "median", "digests"),
    ]
    return table(rows, columns, "Bytes of a serialised proof")


def _digest(row: Row) -> int:
    """Bytes of a digest in a proof of the cell; v0.10.2 counts no leaves."""
    trie = variant_keys(row["variant"])["trie"]
    return 40 if row["engine"] == LIBRARY and trie == "smst" else DIGESTS[trie]


def memory(evidence: Evidence) -> Html:
    """What a filled trie holds in memory, and the greatest size of the process, a key."""
    rows = [
        {
            **row,
            "trie": TRIES[variant_keys(row["variant"])["trie"]],
            "peak": also(evidence, row, "peak_rss") / row["scale"],
        }
        for row in ordered(evidence.cells("fill", "memory_per_key")).to_dict("records")
        if row["n"]
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


def _number(title: str, name: str) -> Column:
    return Column(title, lambda row: digits(row[name], 5), lambda row: row[name])
