"""What the report on sparse Merkle tries says of its own tables."""

from math import inf

from assay.published.statements.kinds import Factor, Number, Pair


def _smt(row: str, column: str, section: str = "SMST / Operations") -> Number:
    return Number(section, row, column)


FACTORS = [
    Factor(
        "smt",
        "Compacted proofs are smaller (SMT, 10M)",
        (_smt("10,000,000", "Average Serialised Compacted Proof Size (bytes)", "Proofs / SMT"),),
        (_smt("10,000,000", "Average Serialised Proof Size (bytes)", "Proofs / SMT"),),
        0,
        1,
    ),
    Factor(
        "smt",
        "Delete finds its key as Get does, so it takes no less (SMT, 0.1M)",
        (_smt("Delete, 0.1M", "Time (ns/op)", "SMT / Operations"),),
        (_smt("Get, 0.1M", "Time (ns/op)", "SMT / Operations"),),
        1,
        inf,
    ),
    Factor(
        "smt",
        "Delete and commit takes no less than delete alone (SMST, 5M)",
        (_smt("Delete & Commit, 5M", "Time (ns/op)"),),
        (_smt("Delete, 5M", "Time (ns/op)"),),
        1,
        inf,
    ),
]

PAIRS = [
    *(
        Pair(
            "smt",
            f"Delete and commit writes to the database, delete alone does not (SMST, {size})",
            _smt(f"Delete & Commit, {size}", "Bytes (B/op)"),
            _smt(f"Delete, {size}", "Bytes (B/op)"),
        )
        for size in ("0.1M", "0.5M", "1M", "5M", "10M")
    ),
]
