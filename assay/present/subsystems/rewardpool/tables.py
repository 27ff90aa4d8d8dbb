"""Tables of the report of the reward pool: published numbers, and what a draw promises."""

from assay.present.kit.tables import Html, table, text

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


def modes() -> Html:
    """What each durability mode means when a draw returns, and what the draw then survives."""
    rows = [{"mode": mode, "true": true, "survives": what} for mode, (true, what) in MODES.items()]
    columns = [text("mode", "mode"), text("when a draw returns", "true")]
    return table(rows, [*columns, text("the draw survives", "survives")], "Durability modes")
