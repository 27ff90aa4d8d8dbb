"""What an operation on a sparse Merkle trie cannot do without."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.present.kit.cells import median
from assay.present.kit.evidence import Evidence
from assay.present.kit.operations import Operation
from assay.present.kit.tables import number, text
from assay.present.sections.bounds import Bound, Bounds
from assay.present.subsystems.smt import operations as smt
from assay.present.subsystems.smt.theory import hashes_per_update

VERIFY = Operation("verify a proof of a present key", "verify")
GET_BATCH = Operation("look up keys in batches", "get_hit", (("how", "batch"),))


@dataclass(frozen=True)
class Work:
    """The parts that an operation cannot do without, and how often; `hashed` names its batch.

    Node hashes are those of theory: `hashed` keys change together, 0 stands for all of them.
    None is an operation that hashes no node.
    """

    operation: Operation
    parts: Mapping[str, float]
    hashed: int | None = None
    metric: str = "cpu_time_per_op"


WORK = (
    Work(smt.FILL, {"sha-key": 2}, 0),
    Work(smt.ONE_BY_ONE, {"sha-key": 2}, 0),
    Work(smt.UPDATE_ONE, {"sha-key": 2, "load": 1}, 1),
    Work(smt.UPDATE_MANY, {"sha-key": 2}, 10_000),
    Work(smt.DURABLE, {"sha-key": 2, "write": 1, "sync": 1e-4}, 10_000, "time"),
    Work(smt.GET, {"sha-key": 1, "load": 1}, metric="time"),
    Work(GET_BATCH, {"sha-key": 1}, metric="time"),
    Work(smt.PROVE, {"sha-key": 1, "load": 1}, metric="time"),
    # A proof is as many hashes as an update of one key.
    Work(VERIFY, {"sha-key": 2}, 1, "time"),
)
"""A key and its value take a hash each. A look-up misses the cache at least once; in a batch, the
misses overlap, so that none of them is a part that cannot be done without."""


def _bounds(evidence: Evidence) -> Iterator[Bound]:
    for work in WORK:
        operation, variant = work.operation, work.operation.variant(trie="smt")
        _, keys = smt.reference_median(evidence, operation.workload, variant, work.metric)
        parts = dict(work.parts)
        if work.hashed is not None and keys:
            hashes = hashes_per_update(keys, min(work.hashed or keys, keys))
            parts = {_fastest_hash(evidence): hashes} | parts
        about = {
            "operation": operation.label,
            "keys": keys,
            "metric": "CPU time" if work.metric == "cpu_time_per_op" else "time",
        }
        yield Bound(about, operation.workload, variant, parts, work.metric)


def _fastest_hash(evidence: Evidence) -> str:
    """The hash of the processor's own instructions where it has them."""
    times = {part: median(evidence, "floor", part=part) for part in ("hash-shani", "hash-std")}
    known = {part: time for part, time in times.items() if time == time}
    return min(known, key=lambda part: known[part], default="hash-std")


BOUNDS = Bounds(
    _bounds,
    [text("operation", "operation"), number("keys", "keys"), text("reached in", "metric")],
    "a key, SMT, reference engine",
)
