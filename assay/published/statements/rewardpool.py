"""What the report on the reward pool says of its own tables."""

from math import inf

from assay.published.statements.kinds import Factor, Number


def _pool(month: str, row: str, column: str) -> Number:
    return Number(f"Analysis ({month} 2025) / Metrics Collection", row, column)


FACTORS = [
    Factor(
        "rewardpool",
        "Batching lowers the latency of the mmap WAL",
        (_pool("07 Aug", "Mmap WAL", "ns/op"),),
        (_pool("Aug", "Mmap WAL", "ns/op"),),
        0,
        1,
    ),
    Factor(
        "rewardpool",
        "Batching significantly raises the throughput of the mmap WAL",
        (_pool("07 Aug", "Mmap WAL", "draws/sec"),),
        (_pool("Aug", "Mmap WAL", "draws/sec"),),
        1,
        inf,
    ),
    Factor(
        "rewardpool",
        "Batching raises memory per draw slightly (file WAL)",
        (_pool("07 Aug", "Basic WAL", "bytes/draw"),),
        (_pool("Aug", "Basic WAL", "bytes/draw"),),
        1,
        1.25,
    ),
    Factor(
        "rewardpool",
        "Without a WAL, batched: 5.7M draws a second",
        (_pool("07 Aug", "No WAL", "draws/sec"),),
        (5.7e6,),
        0.99,
        1.01,
    ),
    Factor(
        "rewardpool",
        "Without a WAL, batched: time a draw and draws a second are of one run",
        (_pool("07 Aug", "No WAL", "ns/op"), _pool("07 Aug", "No WAL", "draws/sec")),
        (),
        0.99,
        1.01,
    ),
    Factor(
        "rewardpool",
        "Batching lowers the latency of the file WAL",
        (_pool("07 Aug", "Basic WAL", "ns/op"),),
        (_pool("Aug", "Basic WAL", "ns/op"),),
        0,
        1,
    ),
    Factor(
        "rewardpool",
        "The memory-mapped WAL is much faster than the file WAL",
        (_pool("Aug", "Basic WAL", "ns/op"),),
        (_pool("Aug", "Mmap WAL", "ns/op"),),
        2,
        inf,
    ),
]
