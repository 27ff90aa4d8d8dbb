"""What an answer of each engine promises, and what the scorecard rates it by."""

from assay.present.kit.subsystem import Promise, Score
from assay.present.subsystems.smt.operations import (
    DURABLE_HUNDRED,
    FILL,
    GET,
    LATER_LIBRARY,
    LIBRARY,
    REFERENCE,
    UPDATE_MANY,
)

_FILLED, _UPDATED, _DURABLE = (
    operation.variant(trie="smt") for operation in (FILL, UPDATE_MANY, DURABLE_HUNDRED)
)
_READ = Score("read", "look up a key", GET.workload, GET.variant(trie="smt"))
_MEMORY = Score("memory", "live bytes a key", FILL.workload, _FILLED, "memory_per_key")
_WRITE_DURABLE = Score("write", "update, 100 keys a commit", DURABLE_HUNDRED.workload, _DURABLE)
_FILL = Score("write", "fill, a key", FILL.workload, _FILLED)

PROMISES = (
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
