"""What a draw cannot do without, beside what is reached."""

from assay.inputs.variant import variant_of
from assay.present.kit.evidence import Evidence, largest
from assay.present.kit.tables import Html, over, table, text, value
from assay.present.subsystems.rewardpool.operations import COMMITS
from assay.tables.rows import Row

FLOORS = {
    ("none", 1): ("lock", "random"),
    ("mmap", 1): ("lock", "random", "store"),
    ("file", 1): ("lock", "random", "write"),
    ("each", 1): ("lock", "random", "sync"),
    ("none", 10_000): ("random",),
    ("mmap", 10_000): ("random",),
}
"""The parts that one draw cannot do without, by durability and draws a commit.

A call of 10,000 draws takes the lock once and stores one frame, so a draw's share of them is small.
"""


def beside_floor(evidence: Evidence) -> Html:
    """The direct design in each mode of `FLOORS`, beside the sum of the parts it cannot avoid.

    All are medians of one session; the ratio is that of the two shown, without an interval.
    """
    rows: list[Row] = []
    for (durability, size), parts in FLOORS.items():
        drawn = variant_of(commit=size, design="direct", durability=durability)
        reached = _time(evidence, "draw", drawn)
        floor = sum(_time(evidence, "floor", variant_of(part=part)) for part in parts)
        draw = {"commit": COMMITS[size], "mode": durability, "parts": " + ".join(parts)}
        rows.append(draw | {"reached": reached, "floor": floor})
    columns = [
        text("commit", "commit"),
        text("mode", "mode"),
        value("reached", "reached", "s"),
        text("parts of the floor", "parts"),
        value("floor", "floor", "s"),
        over("reached / floor", "reached", "floor"),
    ]
    return table(rows, columns, "Reached, beside the floor: medians of a draw, direct design")


def _time(evidence: Evidence, workload: str, variant: str) -> float:
    """The median time at the largest scale; NaN without one."""
    cells = evidence.cells(workload, engine="reference", variant=variant)
    medians = largest(cells.dropna(subset="median"))["median"]
    return float(medians.iloc[0]) if len(medians) else float("nan")
