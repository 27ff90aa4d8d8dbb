"""How long the steps of a study take: expected before the first, and told while it runs.

A session takes what its cells took in the committed runs, under the same profile; a cell that it
does not hold takes what its manifest says. A build and a gate take what they took here before.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

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

CELL = ["engine", "workload", "variant", "scale"]


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
    full, printed = (
        _walls(root / home / subsystem / "measurements.parquet", profile)
        for home in (COMMITTED, REPRODUCTION)
    )
    known = full | printed
    total = 0.0
    for shot in make(study, subsystem, profile, outcomes, outcomes, root)["shots"]:
        variant = variant_string(shot["variant"])
        cell = (shot["engine"], shot["workload"], variant, shot["scale"])
        total += known.get(cell, shot["expect_s"] + OVERHEAD_S)
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


def _walls(measurements: Path, profile: str) -> dict[tuple[str, str, str, int], float]:
    """The median seconds from a cell's shot to the next one in a committed session."""
    import pandas as pd  # every job of the pipeline loads this module

    if not measurements.exists():
        return {}
    columns = [*CELL, "profile", "session", "shot", "started_at"]
    rows = pd.read_parquet(measurements, columns=columns)
    shots = rows[rows["profile"] == profile].drop_duplicates(["session", "shot"])
    shots = shots.dropna(subset="started_at").sort_values("started_at")
    begun = shots.groupby("session")["started_at"]
    shots["wall_s"] = (begun.shift(-1) - shots["started_at"]).dt.total_seconds()
    medians = shots.groupby(CELL)["wall_s"].median().dropna()
    return dict(zip(medians.index.tolist(), medians.tolist(), strict=True))


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
