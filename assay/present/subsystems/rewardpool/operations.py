"""What the report of the reward pool compares: two engines in the modes of a draw."""

from dataclasses import dataclass

from assay.inputs.variant import variant_of
from assay.present.sections.findings import NamedCell
from assay.present.sections.reproduced import Counterpart, Printed

REFERENCE, CHANNEL_TEXT = "reference", "channel-text"
"""The reference engine, and what stands in for the published one."""

PRINTED = {
    "all": Printed(
        "Published numbers beside ours",
        (
            Counterpart("stand-in here", CHANNEL_TEXT, compared=True),
            Counterpart("reference", REFERENCE),
            Counterpart("reference, logging first", REFERENCE, "logged_variant"),
        ),
        totals=("gc_count", "wal_file_size"),
    )
}


@dataclass(frozen=True)
class Draws:
    """One configuration of workload `draw`: the durability of each engine that answers it.

    That of the stand-in is empty where it has none.
    """

    label: str
    commit: int
    reference: str
    stand_in: str

    @property
    def name(self) -> str:
        """What tells the row from all others."""
        return f"{COMMITS[self.commit]}: {self.label}"

    @property
    def calls(self) -> str:
        """How the two engines are called, where that differs; a sentence."""
        if self.commit == 1 or self.reference == "relaxed":
            return ""
        return f"It is one call of {self.commit:,} draws against {self.commit:,} requests."

    def variant(self, engine: str) -> str:
        """The variant of an engine, empty where it has none."""
        durability = self.reference if engine == REFERENCE else self.stand_in
        return variant_of(commit=self.commit, durability=durability) if durability else ""


ROWS = (
    Draws("No WAL", 1, "none", "none"),
    Draws("Mmap WAL", 1, "mmap", "mmap"),
    Draws("File WAL, write() without sync", 1, "file", "file"),
    Draws("File WAL, fdatasync", 1, "each", ""),
    Draws("No WAL", 10_000, "none", "none"),
    Draws("Mmap WAL (stand-in: msync a batch)", 10_000, "mmap", "relaxed-mmap"),
    Draws("File WAL, write() without sync", 10_000, "file", ""),
    Draws("File WAL, acknowledged after the sync (stand-in: before)", 10_000, "group", "relaxed"),
    Draws("File WAL, acknowledged before the sync", 10_000, "relaxed", "relaxed"),
)
CALLS = (
    "With a commit every 10,000 draws the reference engine answers one call of 10,000 draws, the "
    "stand-in 10,000 requests; where both acknowledge before the sync, both answer single draws."
)
"""What a reader of a figure over `ROWS` must know of the calls."""

COMMITS = {1: "A commit a draw", 10_000: "A commit every 10,000 draws"}


PAIRS = tuple(
    (
        row,
        NamedCell("the channel-text stand-in", CHANNEL_TEXT, row.variant(CHANNEL_TEXT)),
        NamedCell("the reference engine", REFERENCE, row.variant(REFERENCE)),
    )
    for row in ROWS
    if row.stand_in
)
"""The configurations that both engines have, each with the cells of the two."""
