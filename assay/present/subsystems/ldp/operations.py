"""What the report on linked-data repositories compares: engines, promises, operations."""

from assay.inputs.variant import variant_of
from assay.present.kit.operations import Operation

REFERENCE = "reference"
FEDORA, A17, A18 = "fcrepo-4-7-5", "lakesuperior-a17", "lakesuperior-a18"

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

DURABLE = {
    "sync": "on disk before the answer",
    "bg": "on disk within about a second",
    "none": "whenever the system writes it",
}

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
