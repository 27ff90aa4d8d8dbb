"""Sparse Merkle tries."""

from assay.present.kit.subsystem import Subsystem
from assay.present.kit.tables import Column, number, text
from assay.present.sections.bounds import Bounds
from assay.present.subsystems.smt import figures, published_figures
from assay.present.subsystems.smt.headlines import answer, findings
from assay.present.subsystems.smt.operations import LATER_LIBRARY, LIBRARY, REFERENCE, TRIES
from assay.present.subsystems.smt.promises import PROMISES
from assay.present.subsystems.smt.published import PRINTED

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
    words={
        **{f"trie={key}": name for key, name in TRIES.items()},
        "how=single": "",
        "batch=1": "a key a batch",
        "batch": "{} keys a batch",
        "codec=gob": "in the encoding of gob",
        "codec=gob_compact": "in the encoding of gob, compacted",
        "codec": "in the {} encoding",
    },
    promises=PROMISES,
    answer=answer,
    printed=PRINTED,
    bounds=Bounds(
        [
            text("operation", "label"),
            number("keys", "scale"),
            Column("reached in", lambda row: "time" if row["metric"] == "time" else "CPU time"),
        ],
        "a key, SMT, reference engine",
    ),
    headlines=findings,
    figures=(*published_figures.FIGURES, *figures.FIGURES),
)
