"""The committed run as reports read it: each subsystem once a process, and when a test asks."""

from functools import cache
from pathlib import Path

from assay.present import subsystems
from assay.present.kit import evidence
from assay.present.kit.evidence import Evidence

DATA = Path(__file__).parents[2] / "data" / "reference"
NAMES = evidence.subsystems(DATA)


@cache
def session(name: str) -> Evidence:
    return subsystems.load(DATA, name)


def sessions() -> list[Evidence]:
    return [session(name) for name in NAMES]
