"""What the report on linked-data repositories compares: operations, engines, headlines."""

from assay.inputs.variant import variant_of
from assay.present.kit.evidence import Evidence
from assay.present.kit.operations import Operation
from assay.present.sections.findings import Finding, NamedCell, compare, noise_floor, peers

REFERENCE = "reference"
FEDORA, A17, A18 = "fcrepo-4-7-5", "lakesuperior-a17", "lakesuperior-a18"

TITLES = {
    REFERENCE: "reference engine",
    FEDORA: "Fedora 4.7.5",
    A18: "Lakesuperior 1.0a18",
    A17: "Lakesuperior 1.0a17",
    "lakesuperior-a21": "Lakesuperior 1.0a21",
    "fcrepo-6-1-0": "Fedora 6.1.0",
    "community-solid-server-7": "Community Solid Server 7",
    "oxigraph": "Oxigraph",
}
"""Every engine: the reference, the systems of the published report, and others."""

ENGINES = tuple(TITLES)
"""The order of colours."""

PUBLISHED = {
    "FCREPO / Modeshape 4.7.5": FEDORA,
    "Lakesuperior 1.0a17": A17,
    "Lakesuperior 1.0a18": A18,
}
"""The rows of the published tables, and the engine that is the same system here."""

DURABILITY = {
    REFERENCE: "sync",
    FEDORA: "bg",
    A17: "sync",
    A18: "sync",
    "lakesuperior-a21": "sync",
    "fcrepo-6-1-0": "bg",
    "community-solid-server-7": "none",
    "oxigraph": "none",
}
"""What an answer promises: `sync`, it is on disk; `bg`, it will be within about a second; `none`.

Found by counting the calls that sync, a request. The reference engine has all three classes; the
strictest is its default.
"""

PROMISES = {
    "sync": "on disk before the answer",
    "bg": "on disk within about a second",
    "none": "whenever the system writes it",
}

FIGURES = {
    "put": "put",
    "post": "post",
    "load": "put",
    "get_parent": "get-parent",
    "sparql_count": "sparql",
    "py_get_parent": "python",
    "py_triples": "python",
    "py_put": "python",
    "start": "store",
    "put_stages": "stages",
    "put_clients": "clients",
    "put_rate": "latency",
    "mixed": "others",
    "patch": "others",
    "recover": "whole-process",
    "bulk_load": "whole-process",
    "export": "whole-process",
    "check": "whole-process",
}
"""The figure of the report that shows a workload."""

WRITES = {"put": "PUT", "post": "POST"}


def write_variant(durability: str, connection: str = "new") -> str:
    """The variant of a write."""
    return variant_of(connection=connection, durability=durability)


GET = Operation("GET the parent as Turtle", "get_parent", (("format", "turtle"),))
COUNT = Operation("count resources by SPARQL", "sparql_count", (("cache", "warm"),))
START = Operation("start, until the first answer", "start")
LAZY = Operation("get the parent in Python", "py_get_parent", (("as", "imr"),))
TRIPLES = Operation("match triples in Python", "py_triples")
PYTHON_PUT = Operation("put a resource in Python", "py_put")
READS = (GET, COUNT, LAZY, TRIPLES, PYTHON_PUT, START)


def findings(evidence: Evidence) -> list[Finding]:
    """The headlines: each published system on each published operation, peers, noise."""
    return [
        *(
            against(evidence, workload, engine)
            for workload in WRITES
            for engine in (A18, FEDORA, "fcrepo-6-1-0", "oxigraph")
        ),
        *(against_reading(evidence, GET, engine) for engine in (A18, FEDORA, "oxigraph")),
        *(against_reading(evidence, one, A18) for one in (COUNT, LAZY)),
        *(peers(evidence, name) for name in (*WRITES, GET.workload)),
        noise_floor(evidence),
    ]


def against(evidence: Evidence, workload: str, engine: str) -> Finding:
    """A system, with the promise that it makes, against the reference engine with the same."""
    durability = DURABILITY[engine]
    variant = write_variant(durability)
    cell = NamedCell(engine_title(engine), engine, variant)
    base = NamedCell("the reference engine", REFERENCE, variant)
    question = f"{WRITES[workload]} of 200 triples, {PROMISES[durability]}"
    return compare(evidence, f"{question}: {engine_title(engine)}", workload, cell, base)


def against_reading(evidence: Evidence, operation: Operation, engine: str) -> Finding:
    """A system against the reference engine on what does not write."""
    cell = NamedCell(engine_title(engine), engine, operation.variant())
    base = NamedCell("the reference engine", REFERENCE, operation.variant())
    label = f"{operation.label[0].upper()}{operation.label[1:]}: {engine_title(engine)}"
    return compare(evidence, label, operation.workload, cell, base)


def engine_title(engine: str) -> str:
    """The name of an engine in figures and tables."""
    return TITLES.get(engine, engine)
