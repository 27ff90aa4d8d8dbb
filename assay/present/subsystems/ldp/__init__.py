"""Linked-data repositories."""

from assay.present.kit.subsystem import Subsystem
from assay.present.subsystems.ldp.figures import FIGURES
from assay.present.subsystems.ldp.headlines import findings
from assay.present.subsystems.ldp.operations import A17, A18, FEDORA, REFERENCE

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
    headlines=findings,
    figures=FIGURES,
)
