"""Sparse Merkle tries."""

from assay.present.kit.subsystem import Promise, Score, Subsystem
from assay.present.kit.tables import Column, number, text
from assay.present.sections.bounds import Bounds
from assay.present.subsystems.smt import figures, published_figures
from assay.present.subsystems.smt.headlines import answer, findings
from assay.present.subsystems.smt.operations import (
    DURABLE_HUNDRED,
    FILL,
    GET,
    LATER_LIBRARY,
    LIBRARY,
    REFERENCE,
    TRIES,
    UPDATE_MANY,
)
from assay.present.subsystems.smt.published import PRINTED

_FILLED, _UPDATED, _DURABLE = (
    operation.variant(trie="smt") for operation in (FILL, UPDATE_MANY, DURABLE_HUNDRED)
)
_READ = Score("read", "look up a key", GET.workload, GET.variant(trie="smt"))
_MEMORY = Score("memory", "live bytes a key", FILL.workload, _FILLED, "memory_per_key")
_WRITE_DURABLE = Score("write", "update, 100 keys a commit", DURABLE_HUNDRED.workload, _DURABLE)
_FILL = Score("write", "fill, a key", FILL.workload, _FILLED)

_PROMISES = (
    Promise(
        "in memory; the roots and proofs of the published library",
        (REFERENCE, LIBRARY),
        (
            Score("write", "update, 10,000 keys a commit", UPDATE_MANY.workload, _UPDATED),
            _READ,
            _MEMORY,
        ),
    ),
    Promise(
        "on disk after each commit; the same roots and proofs",
        (REFERENCE, LATER_LIBRARY),
        (
            _WRITE_DURABLE,
            Score(
                "space",
                "bytes written a key",
                DURABLE_HUNDRED.workload,
                _DURABLE,
                "written_bytes_per_op",
            ),
        ),
    ),
    Promise(
        "on disk after each commit; a trie of another format",
        ("nomt",),
        (
            _WRITE_DURABLE,
            _READ,
            _MEMORY,
        ),
    ),
    Promise(
        "in memory; a trie of another format, of 16 children a node",
        ("go-ethereum", "jmt"),
        (_FILL, _READ, _MEMORY),
    ),
    Promise(
        "in memory; hashes of values only, and no proofs of absence",
        ("monotree",),
        (_FILL, _READ, _MEMORY),
    ),
)

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
    promises=_PROMISES,
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
