"""What a draw cannot do without."""

from assay.inputs.variant import variant_of
from assay.present.kit.tables import text
from assay.present.sections.bounds import Bound, Bounds
from assay.present.subsystems.rewardpool.operations import COMMITS


def _bound(durability: str, commit: int, *parts: str) -> Bound:
    about = {"commit": COMMITS[commit], "mode": durability}
    variant = variant_of(commit=commit, durability=durability)
    return Bound(about, "draw", variant, dict.fromkeys(parts, 1))


CELLS = (
    _bound("none", 1, "lock", "random"),
    _bound("mmap", 1, "lock", "random", "store"),
    _bound("file", 1, "lock", "random", "write"),
    _bound("each", 1, "lock", "random", "sync"),
    _bound("none", 10_000, "random"),
    _bound("mmap", 10_000, "random"),
)
"""A call of 10,000 draws takes the lock once and stores one frame, so a draw's share is small."""

BOUNDS = Bounds(lambda _: CELLS, [text("commit", "commit"), text("mode", "mode")], "of a draw")
