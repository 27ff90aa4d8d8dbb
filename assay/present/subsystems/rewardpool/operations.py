"""What the report of the reward pool compares: its designs in the modes of a draw."""

from dataclasses import dataclass

from assay.inputs.variant import variant_of
from assay.present.sections.findings import NamedCell
from assay.present.sections.reproduced import Counterpart, Printed

REFERENCE, CHANNEL_TEXT = "reference", "channel-text"
"""The reference engine, and its design that stands in for the published engine."""

PRINTED = {
    "all": Printed(
        "Published numbers beside ours",
        (
            Counterpart("reference engine", "reference", compared=True),
            Counterpart("reference engine, acknowledging first", "reference", "relaxed_variant"),
            Counterpart("stand-in", "reference", "stand_in_variant", compared=True),
        ),
        totals=("gc_count", "wal_file_size"),
    )
}


@dataclass(frozen=True)
class Draws:
    """One configuration of workload `draw`: both designs in the mode that answers it."""

    label: str
    commit: int
    direct: str
    stand_in: str | None

    @property
    def name(self) -> str:
        """What tells the row from all others."""
        return f"{COMMITS[self.commit]}: {self.label}"

    @property
    def calls(self) -> str:
        """How the two designs are called, where that differs; a sentence."""
        if self.commit == 1 or self.direct == "relaxed":
            return ""
        return f"It is one call of {self.commit:,} draws against {self.commit:,} requests."

    def variant(self, design: str) -> str | None:
        """The variant of a design, None where the design has no such mode."""
        durability = self.direct if design == "direct" else self.stand_in
        if durability is None:
            return None
        return variant_of(commit=self.commit, design=design, durability=durability)


ROWS = (
    Draws("No WAL", 1, "none", "none"),
    Draws("Mmap WAL", 1, "mmap", "mmap"),
    Draws("File WAL, write() without sync", 1, "file", "file"),
    Draws("File WAL, fdatasync", 1, "each", None),
    Draws("No WAL", 10_000, "none", "none"),
    Draws("Mmap WAL (stand-in: msync a batch)", 10_000, "mmap", "relaxed-mmap"),
    Draws("File WAL, write() without sync", 10_000, "file", None),
    Draws("File WAL, acknowledged after the sync (stand-in: before)", 10_000, "group", "relaxed"),
    Draws("File WAL, acknowledged before the sync", 10_000, "relaxed", "relaxed"),
)
CALLS = (
    "With a commit every 10,000 draws the direct design answers one call of 10,000 draws, the "
    "stand-in 10,000 requests; where direct acknowledges before the sync, both answer single draws."
)
"""What a reader of a figure over `ROWS` must know of the calls."""

COMMITS = {1: "A commit a draw", 10_000: "A commit every 10,000 draws"}


def cell(row: Draws, design: str) -> NamedCell | None:
    """The cell of a design in a configuration, None where the design has no such mode."""
    variant = row.variant(design)
    if variant is None:
        return None
    name = "the reference engine" if design == "direct" else "the channel-text stand-in"
    return NamedCell(name, "reference", variant)
