"""The findings that the report on sparse Merkle tries puts first."""

from assay.present.kit.evidence import Evidence
from assay.present.kit.operations import Operation
from assay.present.kit.quantities import digits
from assay.present.sections.findings import Finding, NamedCell, compare, no_data, noise_floor, peers
from assay.present.subsystems.smt.operations import (
    DELETE_MANY,
    EQUAL,
    FILL,
    GET,
    PROVE,
    REFERENCE,
    TRIES,
    UPDATE_MANY,
    UPDATE_ONE,
    reference_median,
)
from assay.present.subsystems.smt.theory import hashes_per_update

HEADLINES = (
    *((one, "smt") for one in (FILL, UPDATE_MANY, UPDATE_ONE, DELETE_MANY, GET, PROVE)),
    *((one, "smst") for one in (FILL, UPDATE_MANY)),
)
COMPARED_WITH_PEERS = ("fill", "get_hit", "prove_hit", "update_commit", "durable_commit")


def findings(evidence: Evidence) -> list[Finding]:
    """The headlines: the published library at equal work, the peers, exact counts, the noise."""
    return [
        *(against_library(evidence, operation, trie) for operation, trie in HEADLINES),
        hashes(evidence),
        *(peers(evidence, workload) for workload in COMPARED_WITH_PEERS),
        noise_floor(evidence),
    ]


def against_library(evidence: Evidence, operation: Operation, trie: str) -> Finding:
    """The published library against the reference engine, doing the same work."""
    variant = operation.variant(trie=trie)
    engine = EQUAL[trie]
    library = NamedCell(f"the {evidence.subsystem.title(engine)}", engine, variant)
    base = NamedCell("the reference engine", REFERENCE, variant)
    question = f"{TRIES[trie]}: {operation.label}"
    return compare(evidence, question, operation.workload, library, base)


def hashes(evidence: Evidence) -> Finding:
    """Whether a fill hashes as many nodes as there must be."""
    question = "Node hashes of a fill"
    counted, keys = reference_median(evidence, "fill", "trie=smt", "hashes_per_op")
    if not keys:
        why = evidence.missing("fill", engine=REFERENCE, variant="trie=smt")
        return no_data(question, ("the reference engine", why))
    answer = (
        f"The reference engine hashes {digits(counted, 5)} nodes a key at {keys:,} keys; a trie of "
        f"random keys has {digits(hashes_per_update(keys, keys), 5)} to hash."
    )
    return Finding(question, answer, "counted")
