"""What the report of the reward pool compares: its designs, durability modes and headlines."""

from dataclasses import dataclass

from assay.present.evidence import Evidence, variant_of
from assay.present.findings import Cell, Finding, compare, noise_floor, peers
from assay.present.tables import Html, table, text

DIRECT = "direct (reference engine)"
STAND_IN = "channel-text (stand-in for the published engine)"

MODES = {
    "none": ("state in memory", "nothing; a snapshot is written on close"),
    "mmap": ("frame stored in a shared memory map", "kill -9, panic, out of memory"),
    "file": ("write() returned", "kill -9, panic, out of memory"),
    "group": ("fdatasync of the batch returned", "power loss, as far as the device is honest"),
    "each": ("fdatasync of the draw returned", "power loss, as far as the device is honest"),
    "relaxed": (
        "nothing: acknowledged first, written and synced every 10,000 draws",
        "not even a crash of the process: what was acknowledged since the last write is lost",
    ),
    "relaxed-mmap": (
        "nothing: acknowledged first, stored in a memory map and msynced every 10,000 draws",
        "not even a crash of the process: what was acknowledged since the last store is lost",
    ),
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
COMMITS = {1: "A commit a draw", 10_000: "A commit every 10,000 draws"}


def findings(evidence: Evidence) -> list[Finding]:
    """The headlines: the designs in each mode of the published tables, the peers, the noise."""
    designs = [
        compare(evidence, row.name, "draw", stand_in, direct)
        for row in ROWS
        if (direct := cell(row, "direct")) and (stand_in := cell(row, "channel-text"))
    ]
    return [*designs, peers(evidence, "append"), noise_floor(evidence)]


def cell(row: Draws, design: str) -> Cell | None:
    """The cell of a design in a configuration, None where the design has no such mode."""
    variant = row.variant(design)
    if variant is None:
        return None
    name = "the reference engine" if design == "direct" else "the channel-text stand-in"
    return Cell(name, "reference", variant)


def modes() -> Html:
    """What each durability mode means when a draw returns, and what the draw then survives."""
    rows = [{"mode": mode, "true": true, "survives": what} for mode, (true, what) in MODES.items()]
    columns = [text("mode", "mode"), text("when a draw returns", "true")]
    return table(rows, [*columns, text("the draw survives", "survives")], "Durability modes")
