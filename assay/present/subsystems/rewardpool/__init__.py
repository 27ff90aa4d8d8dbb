"""What the report of the reward pool compares: its designs, durability modes and headlines."""

from dataclasses import dataclass, replace

from assay.inputs.variant import variant_of
from assay.present.kit.evidence import Evidence, largest
from assay.present.kit.tables import Html, over, table, text, value
from assay.present.sections.findings import (
    LEFT_OUT,
    Finding,
    NamedCell,
    compare,
    noise_floor,
    peers,
)
from assay.present.sections.reproduced import Answer
from assay.tables.rows import Row

DIRECT = "direct (reference engine)"
STAND_IN = "channel-text (stand-in for the published engine)"

ANSWERS = (
    Answer("reference engine", "reference", compared=True),
    Answer("reference engine, acknowledging first", "reference", "relaxed_variant"),
    Answer("stand-in", "reference", "stand_in_variant", compared=True),
)
"""What stands beside the published numbers."""

TOTALS = ("gc_count", "wal_file_size")
"""Metrics that grow with the number of draws."""

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

ENGINES = (
    "reference",
    "channel-text",
    "tidwall-wal",
    "etcd-wal",
    "raft-wal",
    "rosedb-wal",
    "pebble-record",
)
"""The reference, what stands for the published engine, and the peers: the order of colours."""

FIGURES = {
    "draw": "draws",
    "append": "append",
    "select": "select",
    "concurrent": "concurrent",
    "recover": "whole-process",
    "snapshot_load": "whole-process",
    "cli_draw": "whole-process",
}
"""The figure of the report that shows a workload."""


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


def findings(evidence: Evidence) -> list[Finding]:
    """The headlines: the designs in each mode of the published tables, the peers, the noise."""
    designs = [
        _with_calls(compare(evidence, row.name, "draw", stand_in, direct), row)
        for row in ROWS
        if (direct := cell(row, "direct")) and (stand_in := cell(row, "channel-text"))
    ]
    return [*designs, peers(evidence, "append"), noise_floor(evidence)]


def _with_calls(found: Finding, row: Draws) -> Finding:
    if found.verdict in ("no data", LEFT_OUT) or not row.calls:
        return found
    return replace(found, answer=f"{found.answer} {row.calls}")


def cell(row: Draws, design: str) -> NamedCell | None:
    """The cell of a design in a configuration, None where the design has no such mode."""
    variant = row.variant(design)
    if variant is None:
        return None
    name = "the reference engine" if design == "direct" else "the channel-text stand-in"
    return NamedCell(name, "reference", variant)


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


def modes() -> Html:
    """What each durability mode means when a draw returns, and what the draw then survives."""
    rows = [{"mode": mode, "true": true, "survives": what} for mode, (true, what) in MODES.items()]
    columns = [text("mode", "mode"), text("when a draw returns", "true")]
    return table(rows, [*columns, text("the draw survives", "survives")], "Durability modes")
