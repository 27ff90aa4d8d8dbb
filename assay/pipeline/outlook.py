"""How long the steps of a study take: expected before the first, and told while it runs.

A session takes what its cells took in the committed runs, under the same profile or else under
another one; a cell that none of them holds takes what its manifest says. A build and a gate take
what they took here before.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from assay.engines import build, store
from assay.engines.currency import COMMITTED, REPRODUCTION
from assay.inputs import manifest
from assay.inputs.manifest import Manifest
from assay.inputs.study import Study
from assay.inputs.variant import variant_string
from assay.measure.plan import OVERHEAD_S, duration, make
from assay.system import files, tools

KEPT_S = 1.0
"""Of a build or a gate that the store holds."""

BUILD_S, GATE_S = 60.0, 5.0
"""Of a build and of a gate that were never made here."""

RULE_S = {"figures": 15.0, "preview": 30.0, "report": 3.0}
"""Of steps of these rules, and `SHORT_S` of all others."""

SHORT_S = 2.0

NEW_DISK = 2.0
"""How many times as long a cell takes on an emulated disk under which it was never measured."""

CELL = ["engine", "workload", "variant", "scale"]

Cell = tuple[str, str, str, int]


@dataclass(frozen=True)
class Step:
    """What a run has to do: its name for people, its first output, its expected time in seconds."""

    name: str
    output: str
    seconds: float


def session_s(study: Study, subsystem: str, profile: str, root: Path = Path()) -> float:
    """How long a session takes when all its engines are ready."""
    ready = {"status": "ok", "reason": "", "source_hash": ""}
    engines = manifest.discover(root, study, subsystem)
    outcomes = {engine.name: ready for engine in engines}
    plan = make(study, subsystem, profile, outcomes, outcomes, root)
    known, elsewhere = dict[Cell, float](), dict[Cell, float]()
    for home in (COMMITTED, REPRODUCTION):
        for (under, cell), wall_s in _walls(root / home / subsystem / "measurements.parquet"):
            if under == profile:
                known[cell] = wall_s
            elsewhere[cell] = max(wall_s, elsewhere.get(cell, 0.0))
    slower = NEW_DISK if "disk" in plan["hardware"] else 1.0
    total = 0.0
    for shot in plan["shots"]:
        variant = variant_string(shot["variant"])
        cell = (shot["engine"], shot["workload"], variant, shot["scale"])
        unseen_s = slower * elsewhere.get(cell, shot["expect_s"] + OVERHEAD_S)
        total += known.get(cell, unseen_s)
    return total


def build_s(engine: Manifest, versions: Mapping[str, str]) -> float:
    """How long the build of an engine takes."""
    return _step_s(engine, versions, store.BUILD, "build.json", BUILD_S)


def gate_s(engine: Manifest, versions: Mapping[str, str]) -> float:
    """How long the gate of an engine takes."""
    kept = f"verify-{manifest.gate_hash(engine)}.json"
    return _step_s(engine, versions, kept, "verify-*.json", GATE_S)


def write(steps: Iterable[Step], out: Path) -> None:
    """List the steps of a run, in their order."""
    files.write_json(out, [asdict(step) for step in steps])


def left(steps: Path) -> str:
    """One line: how many of the listed steps are done, what comes, and how long it will take."""
    begun = steps.stat().st_mtime
    listed = [Step(**step) for step in files.read_json(steps)]
    rest = [step for step in listed if not _made_since(Path(step.output), begun)]
    told = f"assay: {len(listed) - len(rest)} of {len(listed)} steps"
    if not rest:
        return told
    seconds = sum(step.seconds for step in rest)
    return f"{told}; {rest[0].name} next; about {duration(seconds)} left"


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


def _step_s(
    engine: Manifest, versions: Mapping[str, str], kept: str, others: str, unknown: float
) -> float:
    folder = store.home() / "builds" / engine.subsystem / engine.name
    if (folder / build.key(engine, tools.recorded(engine, versions)) / kept).exists():
        return KEPT_S
    before = sorted(folder.glob(f"*/{others}"), key=lambda path: path.stat().st_mtime)
    return float(files.read_json(before[-1])["seconds"]) if before else unknown


def _made_since(path: Path, begun: float) -> bool:
    """An outcome that is kept is a link, which is as old as the step that made it."""
    try:
        return path.lstat().st_mtime >= begun
    except FileNotFoundError:
        return False
