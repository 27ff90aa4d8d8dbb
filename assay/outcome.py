"""The holes of a study: what failed, where, and why."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from assay import files
from assay.build import NOT_BUILT


@dataclass(frozen=True)
class Hole:
    """Something the study should hold and does not.

    `what` names it in words, `reason` is what it printed last, `where` is the file that tells more.
    """

    what: str
    reason: str
    where: str

    def __str__(self) -> str:
        return f"{self.what}: {self.reason.splitlines()[0]} (see {self.where})"


def holes(outcomes: Iterable[Path]) -> list[Hole]:
    """The holes that these outcome files tell of, each cause once.

    An outcome file is a `build.json`, a `verify.json`, a session's pointer below `data/sessions/`
    or a notebook's outcome below `logs/notebooks/`.
    """
    return [hole for path in sorted(outcomes) for hole in _holes(path)]


def _holes(path: Path) -> Iterator[Hole]:
    facts = files.read_json(path)
    if "session_dir" in facts:
        yield from _shots(Path(facts["session_dir"]) / "shots.jsonl")
    elif facts["status"] != "ok" and facts["reason"] != NOT_BUILT:
        yield Hole(_name(path), facts["reason"], str(path))


def _name(path: Path) -> str:
    if path.stem == "build":
        return f"build of {path.parent.parent.name}/{path.parent.name}"
    if path.stem == "verify":
        return f"correctness gate of {path.parent.parent.name}/{path.parent.name}"
    return f"notebook {path.stem}"


def _shots(path: Path) -> Iterator[Hole]:
    """Failed shots, one hole for each (engine, workload, reason); refused ones have their gate's."""
    causes: Counter[tuple[str, str]] = Counter()
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            shot = json.loads(line)
            if shot["status"] not in ("ok", "refused"):
                what = f"{shot['subsystem']}/{shot['engine']}, workload {shot['workload']}"
                causes[what, f"{shot['status']}: {shot['reason']}"] += 1
    for (what, reason), count in causes.items():
        yield Hole(f"{count} shots of {what}", reason, str(path))
