"""Tables of the report on linked-data repositories: published numbers, stores, writes, cells."""

from math import isnan

from assay.inputs.variant import variant_keys
from assay.present.kit import tables
from assay.present.kit.cells import also, engines, median
from assay.present.kit.evidence import Evidence
from assay.present.kit.tables import INTERVAL, Html, number, table, text, value
from assay.present.sections.reproduced import Counterpart, Printed
from assay.present.subsystems.ldp import operations as ldp
from assay.tables.rows import Row

TRIPLES = 200
"""Triples of a resource, as published."""

PRINTED = {
    "all": Printed(
        "Published numbers beside ours",
        (
            Counterpart("the same system here", ldp.PUBLISHED, compared=True),
            Counterpart("reference", ldp.REFERENCE),
        ),
    )
}
"""Every published number beside the same system here; the published store is of a whole run."""


def stores(evidence: Evidence) -> Html:
    """Bytes on disk, memory and start of every system, by scale."""
    rows: list[Row] = []
    for row in tables.measured(evidence.cells("start", "store_bytes_per_resource")):
        per: Row = {
            name: also(evidence, row, name) for name in ("store_bytes", "peak_memory", "time")
        }
        rows.append({**row, **per, "triple": row["median"] / TRIPLES})
    columns = [
        tables.engine(evidence, "system"),
        number("children", "scale"),
        value("store", "store_bytes", "B"),
        tables.median(f"a resource {INTERVAL}"),
        value("a triple", "triple", "B"),
        value("memory of the server, at most", "peak_memory", "B"),
        value("start", "time", "s"),
        number("n", "n"),
    ]
    return table(rows, columns, "What a store takes: after a clean stop, all files")


def writes(evidence: Evidence) -> Html:
    """Every write: wall time and CPU time of the server, by what it promises."""
    rows: list[Row] = []
    for workload, verb in ldp.WRITES.items():
        for row in tables.measured(evidence.cells(workload)):
            keys = variant_keys(row["variant"])
            cpu = also(evidence, row, "cpu_time_per_op")
            rows.append({**row, **keys, "cpu": cpu, "verb": verb})
    columns = [
        text("request", "verb", choose=True),
        tables.engine(evidence, "system", choose=True),
        text("promise", "durability", choose=True),
        text("connection", "connection"),
        number("children", "scale"),
        tables.median(f"time {INTERVAL}"),
        value("CPU time of the server", "cpu", "s"),
        number("n", "n"),
    ]
    return table(rows, columns, "Writes of 200 triples")


def read_write(evidence: Evidence) -> Html:
    """How many reads make up for one write, against each published system.

    A system that writes faster and reads slower is ahead as long as a client reads less than this
    many times for each write; "always" and "never" tell that one is ahead at both.
    """
    rows = []
    for engine in engines(evidence):
        write, read = (
            median(evidence, workload, scale=COMMON, engine=engine, variant=variant)
            for workload, variant in (
                ("put", ldp.write_variant(ldp.DURABILITY[engine])),
                (ldp.GET.workload, ldp.GET.variant()),
            )
        )
        if not isnan(write) and not isnan(read):
            rows.append({"engine": engine, "write": write, "read": read})
    base = next((row for row in rows if row["engine"] == ldp.FEDORA), None)
    for row in rows:
        row["even"] = _even(row, base)
    columns = [
        tables.engine(evidence, "system"),
        value("PUT", "write", "s"),
        value("GET of the parent", "read", "s"),
        text("reads a write from which it is ahead of Fedora 4.7.5", "even"),
    ]
    return table(rows, columns, "Reads against writes: medians at 1,000 children")


COMMON = 1_000
"""The children at which most systems are measured."""


def _even(row: Row, base: Row | None) -> str:
    if base is None:
        return "not measured"
    if row is base:
        return "–"
    lost, won = row["write"] - base["write"], base["read"] - row["read"]
    if lost <= 0 and won >= 0:
        return "always"
    if lost >= 0 and won <= 0:
        return "never"
    return f"{'from' if won > 0 else 'below'} {lost / won:.2g}"
