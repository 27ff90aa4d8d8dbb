"""Tables of the report on document access control: answers, contracts, sizes, counters."""

from assay.present.kit import tables
from assay.present.kit.cells import also, engines
from assay.present.kit.evidence import Evidence, largest
from assay.present.kit.tables import Html, number, table, text, value, valued
from assay.present.subsystems.acp.operations import CONTRACT, STORES
from assay.tables.rows import Row, records

ANSWERS = ("right", "wrongly_allowed", "wrongly_refused", "unanswered")
COUNTERS = {
    "register": ("scanned_per_doc", "records scanned a registration"),
    "is_doc_registered": ("scanned_per_op", "records scanned a question"),
    "check_cost": ("probes", "relationships probed a check"),
    "register_sync": ("syncs_per_op", "syncs a registration"),
}


def answers(evidence: Evidence) -> Html:
    """How each engine answers the checks of random policies, beside plain set semantics."""
    rows: list[Row] = []
    for engine in engines(evidence):
        cells = evidence.cells("algebra", "checks", engine=engine).dropna(subset="median")
        for row in records(largest(cells)):
            rows.append({**row, **{metric: also(evidence, row, metric) for metric in ANSWERS}})
    columns = [
        tables.engine(evidence),
        valued("checks", "median", "{:,.0f}".format),
        *(valued(metric.replace("_", " "), metric, "{:,.0f}".format) for metric in ANSWERS),
        number("policies", "scale"),
    ]
    return table(rows, columns, "Checks of random policies")


def contracts(evidence: Evidence) -> Html:
    """What a registration promises, as the bench found out by trying."""
    rows = []
    for engine in engines(evidence):
        for store, title in STORES.items():
            row: Row = {"engine": engine, "store": title}
            for metric in CONTRACT:
                cells = evidence.cells("register", metric, engine=engine, variant=f"store={store}")
                known = cells["median"].dropna()
                row[metric] = ("no", "yes")[int(known.iloc[0])] if len(known) else ""
            if any(row[metric] for metric in CONTRACT):
                rows.append(row)
    columns = [
        tables.engine(evidence),
        text("store", "store"),
        *(text(title, metric) for metric, title in CONTRACT.items()),
    ]
    return table(rows, columns, "What a registration promises")


def sizes(evidence: Evidence) -> Html:
    """Memory and disk that a registered document takes."""
    rows = []
    for store, title in STORES.items():
        cells = evidence.cells("register", "memory_per_doc", variant=f"store={store}")
        for row in tables.measured(cells):
            disk, log = (also(evidence, row, f"{name}_per_doc") for name in ("disk", "wal_bytes"))
            rows.append({**row, "store": title, "disk": disk, "log": log})
    columns = [
        tables.engine(evidence),
        text("store", "store"),
        number("documents", "scale"),
        tables.median("memory a document [95\N{NO-BREAK SPACE}% interval]"),
        value("disk a document", "disk", "B"),
        value("written to the log", "log", "B"),
        number("n", "n"),
    ]
    return table(rows, columns, "What a registered document takes")


def counted(evidence: Evidence) -> Html:
    """Counters of the reference engine, which prove how an operation grows without a clock."""
    rows = [
        {**row, "counter": what}
        for workload, (metric, what) in COUNTERS.items()
        for row in tables.measured(evidence.cells(workload, metric))
    ]
    columns = [
        text("workload", "workload"),
        text("variant", "variant"),
        number("scale", "scale"),
        text("counter", "counter"),
        valued("counted", "median", "{:,.4g}".format),
    ]
    return table(rows, columns, "Counted by the reference engine")


def peers(evidence: Evidence) -> Html:
    """Every peer over the reference engine."""
    rows = evidence.raced()
    chosen = rows[rows["metric"] == "time"]
    return tables.ratios(evidence, chosen, "Peers over the reference engine, the same work: time")
