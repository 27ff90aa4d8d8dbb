"""How long the steps of a study take: expected before the first, and told while it runs.

A session takes what `assay/measure/expected.py` says. A build and a gate take what they took here
before.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from assay.engines import build, store
from assay.inputs import manifest
from assay.inputs.manifest import Manifest
from assay.measure.plan import duration
from assay.system import files, tools

KEPT_S = 1.0
"""Of a build or a gate that the store holds."""

BUILD_S, GATE_S = 60.0, 5.0
"""Of a build and of a gate that were never made here."""

RULE_S = {"figures": 15.0, "preview": 30.0, "report": 3.0}
"""Of steps of these rules, and `SHORT_S` of all others."""

SHORT_S = 2.0


@dataclass(frozen=True)
class Step:
    """What a run has to do: its name for people, its first output, its expected time in seconds."""

    name: str
    output: str
    seconds: float


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


def table(seconds: Mapping[str, float]) -> list[str]:
    """A line for each name, with its time."""
    width = max(map(len, seconds), default=0)
    return [f"{name:{width}} {duration(each):>10}" for name, each in seconds.items()]


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
