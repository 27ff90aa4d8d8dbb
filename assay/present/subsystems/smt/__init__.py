"""What the report of the sparse Merkle trie compares: operations, engines, headlines."""

from assay.present.kit.evidence import Evidence, largest
from assay.present.kit.operations import Operation
from assay.present.kit.quantities import digits
from assay.present.sections.findings import Finding, NamedCell, compare, no_data, noise_floor, peers
from assay.present.subsystems.smt.theory import hashes_per_update

REFERENCE, LIBRARY, LATER_LIBRARY = "reference", "pokt-smt-v0-10", "pokt-smt-v0-14"

TITLES = {
    REFERENCE: "reference engine",
    LIBRARY: "published library v0.10.2",
    LATER_LIBRARY: "published library v0.14.1",
}
"""Engines of this format."""

TRIES = {"smt": "SMT", "smst": "SMST"}
EQUAL = {"smt": LIBRARY, "smst": LATER_LIBRARY}
"""The published library of each trie, in the first version that we know with the same roots as
ours: v0.10.2 is that of the report, but its sum trie counts no leaves."""

DIGESTS = {"smt": 32, "smst": 48}
"""Bytes of a node's digest: a hash, and in the sum trie the sum and the count of leaves."""

WITH_ROOT = "time_with_root"
"""Time with a share of the root that is asked for afterwards: fair where there is no commit, for
one engine queues keys and another changes nodes at once."""

ENGINES = (
    "reference",
    "pokt-smt-v0-10",
    "go-ethereum",
    "nomt",
    "jmt",
    "monotree",
    "pokt-smt-v0-14",
)
"""The reference, what stands for the published engine, and the peers: the order of colours."""

FIGURES = {
    "published_fill": "fill",
    "published_fill_commit": "fill",
    "published_update": "operations-smt",
    "published_update_commit": "operations-smt",
    "published_get": "operations-smt",
    "published_prove": "operations-smt",
    "published_delete": "operations-smt",
    "published_delete_commit": "operations-smst",
    "proof_size": "proofs",
    "fill": "scaling",
    "get_hit": "scaling",
    "prove_hit": "scaling",
    "update_commit": "batches",
    "durable_commit": "peers",
}
"""The figure of the report that shows a workload."""


FILL = Operation("fill an empty trie and compute its root, the fastest way", "fill")
ONE_BY_ONE = Operation("fill it one key at a time, then commit once", "fill_one_by_one")
GET = Operation("look up a key that is there", "get_hit", (("how", "single"),))
PROVE = Operation("prove a key that is there", "prove_hit", (("how", "single"),))
UPDATE_ONE = Operation("update and commit, 1 key a batch", "update_commit", (("batch", 1),))
UPDATE_THOUSAND = Operation(
    "update and commit, 1,000 keys a batch", "update_commit", (("batch", 1_000),)
)
UPDATE_MANY = Operation(
    "update and commit, 10,000 keys a batch", "update_commit", (("batch", 10_000),)
)
DELETE_MANY = Operation(
    "delete and commit, 10,000 keys a batch", "delete_commit", (("batch", 10_000),)
)
DURABLE_HUNDRED = Operation(
    "update and commit to disk, 100 keys and one sync a batch", "durable_commit", (("batch", 100),)
)
DURABLE = Operation(
    "update and commit to disk, 10,000 keys and one sync a batch",
    "durable_commit",
    (("batch", 10_000),),
)
OPERATIONS = (
    *(FILL, ONE_BY_ONE, GET, PROVE),
    *(UPDATE_ONE, UPDATE_THOUSAND, UPDATE_MANY, DELETE_MANY),
    *(DURABLE_HUNDRED, DURABLE),
)

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
    library = NamedCell(f"the {TITLES[EQUAL[trie]]}", EQUAL[trie], variant)
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


def engine_title(engine: str) -> str:
    """The name of an engine in figures and tables."""
    return TITLES.get(engine, engine)


def reference_median(
    evidence: Evidence, workload: str, variant: str, metric: str = "time"
) -> tuple[float, int]:
    """The reference engine's median of a metric at its largest scale, and that scale.

    NaN and 0 without one.
    """
    cells = evidence.cells(workload, metric, engine=REFERENCE, variant=variant)
    found = largest(cells.dropna(subset="median")).to_dict("records")
    return (float(found[0]["median"]), int(found[0]["scale"])) if found else (float("nan"), 0)
