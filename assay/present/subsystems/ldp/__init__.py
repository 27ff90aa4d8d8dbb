"""Linked-data repositories."""

from assay.present.kit.subsystem import Subsystem
from assay.present.subsystems.ldp.figures import FIGURES
from assay.present.subsystems.ldp.headlines import answer, findings
from assay.present.subsystems.ldp.operations import A17, A18, DURABLE, FEDORA, REFERENCE
from assay.present.subsystems.ldp.promises import PROMISES
from assay.present.subsystems.ldp.tables import PRINTED

SUBSYSTEM = Subsystem(
    engines={
        REFERENCE: "reference engine",
        FEDORA: "Fedora 4.7.5",
        A18: "Lakesuperior 1.0a18",
        A17: "Lakesuperior 1.0a17",
        "lakesuperior-a21": "Lakesuperior 1.0a21",
        "fcrepo-6-1-0": "Fedora 6.1.0",
        "community-solid-server-7": "Community Solid Server 7",
        "oxigraph": "Oxigraph",
    },
    words={
        **{f"durability={key}": words for key, words in DURABLE.items()},
        "cache": "cache {}",
        "connection=new": "",
        "connection=kept": "on one connection",
        "format=turtle": "as Turtle",
        "format": "as {}",
        "as=imr": "as a resource",
        "as": "as {}",
    },
    promises=PROMISES,
    answer=answer,
    printed=PRINTED,
    headlines=findings,
    figures=FIGURES,
)
