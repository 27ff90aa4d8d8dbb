"""How long a session is expected to take.

A cell takes what it took in the committed runs, under the same profile or else under another one;
a cell that none of them holds takes what its manifest says.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from assay.engines.currency import COMMITTED, REPRODUCTION
from assay.inputs import manifest
from assay.inputs.study import Study
from assay.inputs.variant import variant_string
from assay.measure.plan import make
from assay.raw.records import Plan

OVERHEAD_S = 0.15
"""What a shot takes beside what its manifest says: start, calibration, the fresh directory."""

NEW_DISK = 2.0
"""How many times as long a cell takes on an emulated disk under which it was never measured."""

CELL = ["engine", "workload", "variant", "scale"]

Cell = tuple[str, str, str, int]


def session_s(study: Study, subsystem: str, profile: str, root: Path = Path()) -> float:
    """How long a session takes when all its engines are ready."""
    ready = {"status": "ok", "reason": "", "source_hash": ""}
    outcomes = {engine.name: ready for engine in manifest.discover(root, study, subsystem)}
    plan = make(study, subsystem, profile, outcomes, outcomes, root)
    return sum(shots_s(plan, root).values())


def shots_s(plan: Plan, root: Path) -> dict[str, float]:
    """How long each shot of a plan takes, by its id; one of a refused engine takes nothing."""
    known, elsewhere = dict[Cell, float](), dict[Cell, float]()
    for home in (COMMITTED, REPRODUCTION):
        path = root / home / plan["subsystem"] / "measurements.parquet"
        for (under, cell), wall_s in _walls(path):
            if under == plan["profile"]:
                known[cell] = wall_s
            elsewhere[cell] = max(wall_s, elsewhere.get(cell, 0.0))
    slower = NEW_DISK if "disk" in plan["hardware"] else 1.0
    taken = dict[str, float]()
    for shot in plan["shots"]:
        variant = variant_string(shot["variant"])
        cell = (shot["engine"], shot["workload"], variant, shot["scale"])
        unseen_s = slower * elsewhere.get(cell, shot["expect_s"] + OVERHEAD_S)
        ready = plan["engines"][shot["engine"]]["status"] == "ok"
        taken[shot["id"]] = known.get(cell, unseen_s) if ready else 0.0
    return taken


def _walls(measurements: Path) -> Iterator[tuple[tuple[str, Cell], float]]:
    """By profile and cell, the median seconds from a shot to the next in a committed session."""
    import pandas as pd  # every job of the pipeline loads this module

    if not measurements.exists():
        return
    columns = ["profile", *CELL, "session", "shot", "started_at"]
    rows = pd.read_parquet(measurements, columns=columns)
    shots = rows.drop_duplicates(["session", "shot"])
    shots = shots.dropna(subset="started_at").sort_values("started_at")
    begun = shots.groupby("session")["started_at"]
    shots["wall_s"] = (begun.shift(-1) - shots["started_at"]).dt.total_seconds()
    for profile, cells in shots.groupby("profile"):
        for cell, wall_s in cells.groupby(CELL)["wall_s"].median().dropna().items():
            yield (str(profile), cast(Cell, cell)), wall_s
