"""The holes of a study: what failed, where, and why."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.system import excerpt, files
from assay.system.step import LEFT_OUT, NOT_BUILT, TAIL_LINES
from assay.tables import io

WIDTH = 120
"""Letters of a reason that are told in one line."""

CAUSES = 5
"""Causes of failed shots of a workload that are told; the others are counted."""


@dataclass(frozen=True)
class Hole:
    """Something the study should hold and does not.

    `what` names it in words, `reason` is what it printed last, `where` is the file that tells more.
    """

    what: str
    reason: str
    where: str

    def __str__(self) -> str:
        """One line, however much was printed."""
        reason = self.reason.splitlines()[0]
        reason = reason if len(reason) <= WIDTH else f"{reason[: WIDTH - 1]}…"
        return f"{self.what}: {reason} (see {self.where})"


def holes(outcomes: Iterable[Path]) -> list[Hole]:
    """The holes that these outcome files tell of, each cause once.

    An outcome file is a `build.json`, a `verify.json`, a notebook's outcome below
    `logs/notebooks/`, or a `measurements.parquet`.
    """
    return [
        hole
        for path in sorted(outcomes)
        for hole in (_shots(path) if path.suffix == ".parquet" else _step(path))
    ]


def left_out(outcomes: Iterable[Path]) -> list[str]:
    """The peers that this machine cannot have, each with what it lacks: they are no holes."""
    told = ((path, files.read_json(path)) for path in sorted(outcomes) if path.stem == "build")
    return [
        f"{path.parent.parent.name}/{path.parent.name}: {facts['reason']}"
        for path, facts in told
        if facts["status"] == LEFT_OUT
    ]


def _step(path: Path) -> Iterator[Hole]:
    facts = files.read_json(path)
    if facts["status"] not in ("ok", LEFT_OUT) and facts["reason"] != NOT_BUILT:
        yield Hole(_name(path), excerpt.lines(facts["reason"], TAIL_LINES + 1), str(path))


def _name(path: Path) -> str:
    if path.stem == "build":
        return f"build of {path.parent.parent.name}/{path.parent.name}"
    if path.stem == "verify":
        return f"correctness gate of {path.parent.parent.name}/{path.parent.name}"
    return f"notebook {path.stem}"


def _shots(path: Path) -> Iterator[Hole]:
    """Shots that are not ok, one hole a cause; the hole of those that never ran is their gate's."""
    rows = io.read(path)
    gated = (rows["status"] == "refused") & rows["started_at"].isna()
    missing = rows[(rows["status"] != "ok") & ~gated]
    causes: dict[str, Counter[str]] = {}
    for row in missing.to_dict("records"):
        what = f"{row['subsystem']}/{row['engine']}, workload {row['workload']}"
        causes.setdefault(what, Counter())[f"{row['status']}: {row['reason']}"] += 1
    for what, reasons in causes.items():
        told = reasons.most_common(CAUSES)
        for reason, n in told:
            yield Hole(f"{n} {'shot' if n == 1 else 'shots'} of {what}", reason, str(path))
        if rest := reasons.total() - sum(n for _, n in told):
            yield Hole(f"{rest} more of {what}", f"{len(reasons) - CAUSES} more causes", str(path))
