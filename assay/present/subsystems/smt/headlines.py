"""The findings that the report on sparse Merkle tries puts first."""

from assay.analyse.theory import hashes_per_update
from assay.present.kit.evidence import Evidence
from assay.present.kit.operations import Operation
from assay.present.kit.quantities import digits
from assay.present.sections.findings import (
    Finding,
    NamedCell,
    briefly,
    compare,
    no_data,
    noise_floor,
    peers,
)
from assay.present.subsystems.smt import operations as smt

HEADLINES = (
    *(
        (operation, "smt")
        for operation in (
            smt.FILL,
            smt.UPDATE_MANY,
            smt.UPDATE_ONE,
            smt.DELETE_MANY,
            smt.GET,
            smt.PROVE,
        )
    ),
    *((operation, "smst") for operation in (smt.FILL, smt.UPDATE_MANY)),
)
COMPARED_WITH_PEERS = ("fill", "get_hit", "prove_hit", "update_commit", "durable_commit")


def answer(evidence: Evidence) -> str:
    """What an update costs in large and in small batches."""
    many, single = (
        briefly(evidence, operation.workload, *_cells(evidence, operation, "smt"))
        for operation in (smt.UPDATE_MANY, smt.UPDATE_ONE)
    )
    if not many or not single:
        return ""
    return (
        f"An update with its commit takes the reference engine {many} a key in batches of 10,000 "
        f"and {single} alone; rows of the published benchmark measure other work than their "
        "names say."
    )


def findings(evidence: Evidence) -> list[Finding]:
    """The headlines: the published library at equal work, the peers, exact counts, the noise."""
    return [
        *(against_library(evidence, operation, trie) for operation, trie in HEADLINES),
        sums(evidence),
        hashes(evidence),
        *(peers(evidence, workload) for workload in COMPARED_WITH_PEERS),
        noise_floor(evidence),
    ]


def against_library(evidence: Evidence, operation: Operation, trie: str) -> Finding:
    """The published library against the reference engine, doing the same work."""
    library, base = _cells(evidence, operation, trie)
    question = f"{smt.TRIES[trie]}: {operation.label}"
    return compare(evidence, question, operation.workload, library, base)


def sums(evidence: Evidence) -> Finding:
    """The sum trie of the published library against its plain one, as the report fills them."""
    title = evidence.subsystem.title(smt.LIBRARY)
    cell, base = (
        NamedCell(f"the {words} of the {title}", smt.LIBRARY, f"trie={trie}")
        for trie, words in (("smst", "sum trie"), ("smt", "plain trie"))
    )
    return compare(evidence, "What sums cost: the published fill", "published_fill", cell, base)


def hashes(evidence: Evidence) -> Finding:
    """Whether a fill hashes as many nodes as there must be."""
    question = "Node hashes of a fill"
    counted = evidence.measured("fill", "hashes_per_op", smt.REFERENCE, "trie=smt")
    if not counted:
        why = evidence.missing("fill", engine=smt.REFERENCE, variant="trie=smt")
        return no_data(question, ("the reference engine", why))
    keys, hashed = counted[-1]["scale"], digits(counted[-1]["median"], 5)
    answer = (
        f"The reference engine hashes {hashed} nodes a key at {keys:,} keys; a trie of random keys "
        f"has {digits(hashes_per_update(keys, keys), 5)} to hash."
    )
    return Finding(question, answer, "counted")


def _cells(evidence: Evidence, operation: Operation, trie: str) -> tuple[NamedCell, NamedCell]:
    """The published library and the reference engine, doing the same work."""
    variant, engine = operation.variant(trie=trie), smt.EQUAL[trie]
    library = NamedCell(f"the {evidence.subsystem.title(engine)}", engine, variant)
    return library, NamedCell("the reference engine", smt.REFERENCE, variant)
