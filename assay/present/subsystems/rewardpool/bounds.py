"""What a draw cannot do without."""

from assay.inputs.variant import variant_of
from assay.present.kit.evidence import Evidence
from assay.present.kit.tables import Html, text
from assay.present.sections import bounds
from assay.present.sections.bounds import Bound
from assay.present.subsystems.rewardpool.operations import COMMITS


def _bound(durability: str, commit: int, *parts: str) -> Bound:
    about = {"commit": COMMITS[commit], "mode": durability}
    variant = variant_of(commit=commit, durability=durability)
    return Bound(about, "draw", variant, dict.fromkeys(parts, 1))


BOUNDS = (
    _bound("none", 1, "lock", "random"),
    _bound("mmap", 1, "lock", "random", "store"),
    _bound("file", 1, "lock", "random", "write"),
    _bound("each", 1, "lock", "random", "sync"),
    _bound("none", 10_000, "random"),
    _bound("mmap", 10_000, "random"),
)
"""A call of 10,000 draws takes the lock once and stores one frame, so a draw's share is small."""


def beside(evidence: Evidence) -> Html:
    """What the reference engine reaches in each mode, beside its bounds."""
    first = [text("commit", "commit"), text("mode", "mode")]
    return bounds.beside(evidence, BOUNDS, first, "of a draw")
