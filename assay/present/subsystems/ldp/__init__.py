"""Linked-data repositories."""

from assay.present.kit.subsystem import Promise, Score, Subsystem
from assay.present.subsystems.ldp import operations as ldp
from assay.present.subsystems.ldp.figures import FIGURES
from assay.present.subsystems.ldp.headlines import answer, findings
from assay.present.subsystems.ldp.tables import PRINTED

_STORE = "store_bytes_per_resource"


def _scores(durability: str) -> tuple[Score, ...]:
    get, start, put = ldp.GET, ldp.START, ldp.write_variant(durability)
    return (
        Score("write", "PUT", "put", put),
        Score("read", "GET of the parent", get.workload, get.variant()),
        Score("space", "store, a resource", start.workload, start.variant(), _STORE),
        Score("memory", "peak of the server, PUT", "put", put, "peak_memory"),
        Score("start", "until the first answer", start.workload, start.variant()),
    )


_PROMISES = tuple(
    Promise(
        words,
        (
            ldp.REFERENCE,
            *(
                name
                for name, own in ldp.DURABILITY.items()
                if own == durability and name != ldp.REFERENCE
            ),
        ),
        _scores(durability),
    )
    for durability, words in ldp.DURABLE.items()
)

SUBSYSTEM = Subsystem(
    engines={
        ldp.REFERENCE: "reference engine",
        ldp.FEDORA: "Fedora 4.7.5",
        ldp.A18: "Lakesuperior 1.0a18",
        ldp.A17: "Lakesuperior 1.0a17",
        "lakesuperior-a21": "Lakesuperior 1.0a21",
        "fcrepo-6-1-0": "Fedora 6.1.0",
        "community-solid-server-7": "Community Solid Server 7",
        "oxigraph": "Oxigraph",
    },
    words={
        **{f"durability={key}": words for key, words in ldp.DURABLE.items()},
        "cache": "cache {}",
        "connection=new": "",
        "connection=kept": "on one connection",
        "format=turtle": "as Turtle",
        "format": "as {}",
        "as=imr": "as a resource",
        "as": "as {}",
    },
    promises=_PROMISES,
    answer=answer,
    printed=PRINTED,
    headlines=findings,
    figures=FIGURES,
)
