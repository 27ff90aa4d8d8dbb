"""Sparse Merkle tries."""

from assay.present.kit.subsystem import Subsystem
from assay.present.subsystems.smt import figures, published_figures
from assay.present.subsystems.smt.headlines import findings
from assay.present.subsystems.smt.operations import LATER_LIBRARY, LIBRARY, REFERENCE

SUBSYSTEM = Subsystem(
    engines={
        REFERENCE: "reference engine",
        LIBRARY: "published library v0.10.2",
        "go-ethereum": "go-ethereum",
        "nomt": "NOMT",
        "jmt": "JMT",
        "monotree": "Monotree",
        LATER_LIBRARY: "published library v0.14.1",
    },
    headlines=findings,
    figures=(*published_figures.FIGURES, *figures.FIGURES),
)
