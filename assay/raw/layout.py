"""Where raw data lies: `data/raw/<machine>/<subsystem>/<profile>/<key>/`, and its files there."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

RAW = Path("data", "raw")
"""Below the project; sessions of other machines are copied beside this one's."""

PLAN = "plan.json"
SHOTS = "shots.jsonl"
MACHINE = "machine.json"
ORIGIN = "origin.json"
STOPPED = "stopped.json"


class Place(NamedTuple):
    """What the path of a session says of it; `key` is that of its plan."""

    machine: str
    subsystem: str
    profile: str
    key: str


def folder(root: Path, place: Place) -> Path:
    """Where the session of that place lies below the project `root`."""
    return root / RAW / Path(*place)


def place(folder: Path) -> Place:
    """The place of the session in `folder`."""
    return Place(*folder.absolute().parts[-len(Place._fields) :])


def sessions(raw: Path, subsystem: str = "*") -> Iterator[Path]:
    """The sessions that have a plan, of all subsystems or of one, below the folder `raw`."""
    for path in sorted(raw.glob(f"*/{subsystem}/*/*/{PLAN}")):
        yield path.parent


def elsewhere(folder: Path) -> dict[str, list[Path]]:
    """By other machine its sessions of the subsystem and the profile of the one in `folder`."""
    own = place(folder)
    by_machine: dict[str, list[Path]] = {}
    for other in sessions(folder.absolute().parents[len(own) - 1], own.subsystem):
        its = place(other)
        if its.machine != own.machine and its.profile == own.profile:
            by_machine.setdefault(its.machine, []).append(other)
    return by_machine
