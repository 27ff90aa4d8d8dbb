"""What an operation on a sparse Merkle trie cannot do without, beside what is reached."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.present.kit.evidence import Evidence
from assay.present.kit.operations import Operation
from assay.present.kit.quantities import digits
from assay.present.kit.tables import Html, number, over, table, text, value
from assay.present.subsystems.smt.operations import (
    DURABLE,
    FILL,
    GET,
    ONE_BY_ONE,
    PROVE,
    UPDATE_MANY,
    UPDATE_ONE,
    reference_median,
)
from assay.present.subsystems.smt.theory import hashes_per_update
from assay.tables.rows import Row

VERIFY = Operation("verify a proof of a present key", "verify")
GET_BATCH = Operation("look up keys in batches", "get_hit", (("how", "batch"),))


@dataclass(frozen=True)
class Floor:
    """The parts that an operation cannot do without, and how often; `hashed` names its batch.

    Node hashes are those of theory: `hashed` keys change together, 0 stands for all of them.
    None is an operation that hashes no node.
    """

    operation: Operation
    parts: Mapping[str, float]
    hashed: int | None = None
    metric: str = "cpu_time_per_op"


FLOORS = (
    Floor(FILL, {"sha-key": 2}, 0),
    Floor(ONE_BY_ONE, {"sha-key": 2}, 0),
    Floor(UPDATE_ONE, {"sha-key": 2, "load": 1}, 1),
    Floor(UPDATE_MANY, {"sha-key": 2}, 10_000),
    Floor(DURABLE, {"sha-key": 2, "write": 1, "sync": 1e-4}, 10_000, "time"),
    Floor(GET, {"sha-key": 1, "load": 1}, metric="time"),
    Floor(GET_BATCH, {"sha-key": 1}, metric="time"),
    Floor(PROVE, {"sha-key": 1, "load": 1}, metric="time"),
    # A proof is as many hashes as an update of one key.
    Floor(VERIFY, {"sha-key": 2}, 1, "time"),
)
"""A key and its value take a hash each. A look-up misses the cache at least once; in a batch, the
misses overlap, so that none of them is a part that cannot be done without."""


def beside_floor(evidence: Evidence) -> Html:
    """What the reference engine reaches, beside the sum of the parts it cannot avoid.

    All are medians of one session; the ratio is that of the two shown, without an interval.
    """
    columns = [
        text("operation", "operation"),
        number("keys", "keys"),
        text("parts of the floor", "parts"),
        text("reached in", "metric"),
        value("reached", "reached", "s"),
        value("floor", "floor", "s"),
        over("reached / floor", "reached", "floor"),
    ]
    rows = list(_floors(evidence))
    return table(rows, columns, "Reached, beside the floor: medians a key, SMT, reference engine")


def _floors(evidence: Evidence) -> Iterator[Row]:
    for one in FLOORS:
        variant = one.operation.variant(trie="smt")
        reached, keys = reference_median(evidence, one.operation.workload, variant, one.metric)
        parts = dict(one.parts)
        if one.hashed is not None and keys:
            part = _fastest_hash(evidence)
            parts = {part: hashes_per_update(keys, min(one.hashed or keys, keys))} | parts
        floor = sum(
            count * reference_median(evidence, "floor", f"part={part}")[0]
            for part, count in parts.items()
        )
        yield {
            "operation": one.operation.label,
            "keys": keys,
            "parts": " + ".join(_part(part, count) for part, count in parts.items()),
            "metric": "CPU time" if one.metric == "cpu_time_per_op" else "time",
            "reached": reached,
            "floor": floor,
        }


def _fastest_hash(evidence: Evidence) -> str:
    """The hash of the processor's own instructions where it has them."""
    times = {
        part: reference_median(evidence, "floor", f"part={part}")[0]
        for part in ("hash-shani", "hash-std")
    }
    known = {part: time for part, time in times.items() if time == time}
    return min(known, key=lambda part: known[part], default="hash-std")


def _part(part: str, count: float) -> str:
    if count == 1:
        return part
    return f"{part} / {1 / count:,.0f}" if count < 1 else f"{digits(count)} {part}"
