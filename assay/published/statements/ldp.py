"""What the report on linked-data repositories says of its own tables."""

from math import inf

from assay.published.statements.kinds import Factor, Number, Pair


def _ldp(section: str, row: str, column: str) -> Number:
    rows = {"fedora": "FCREPO / Modeshape 4.7.5", "a17": "Lakesuperior 1.0a17"}
    return Number(section, rows.get(row, row), column)


_LAPTOP, _LAPTOP_100K, _SERVER = (
    f"{where} Resources" for where in ("Laptop / 10K", "Laptop / 100K", "server / 10K")
)

FACTORS = [
    Factor(
        "ldp",
        "Lakesuperior 1.0a17 is markedly slower on writes (PUT, 100K)",
        (_ldp(_LAPTOP_100K, "a17", "PUT"),),
        (_ldp(_LAPTOP_100K, "fedora", "PUT"),),
        1,
        inf,
    ),
    Factor(
        "ldp",
        "The ratio of reads (a17 over Fedora) is identical on laptop and server",
        (_ldp(_LAPTOP, "a17", "GET"), _ldp(_SERVER, "fedora", "GET")),
        (_ldp(_LAPTOP, "fedora", "GET"), _ldp(_SERVER, "a17", "GET")),
        0.95,
        1.05,
    ),
    Factor(
        "ldp",
        "POST to Fedora kept slowing down and had to be stopped, so it takes no less than PUT; "
        "the mark of this note stands at PUT",
        (_ldp(_LAPTOP_100K, "fedora", "POST"),),
        (_ldp(_LAPTOP_100K, "fedora", "PUT"),),
        1,
        inf,
    ),
    Factor(
        "ldp",
        "The ratio of writes (PUT, a17 over Fedora) is identical on laptop and server",
        (_ldp(_LAPTOP, "a17", "PUT"), _ldp(_SERVER, "fedora", "PUT")),
        (_ldp(_LAPTOP, "fedora", "PUT"), _ldp(_SERVER, "a17", "PUT")),
        0.95,
        1.05,
    ),
    Factor(
        "ldp",
        "Lakesuperior 1.0a17 is markedly faster on reads (GET, 100K)",
        (_ldp(_LAPTOP_100K, "a17", "GET"),),
        (_ldp(_LAPTOP_100K, "fedora", "GET"),),
        0,
        1,
    ),
]

PAIRS = [
    Pair(
        "ldp",
        "The query was timed on the laptop and on the server, where PUT takes 5.7 times as long",
        _ldp(_LAPTOP, "a17", "SPARQL Query"),
        _ldp(_SERVER, "a17", "SPARQL Query"),
    ),
]
