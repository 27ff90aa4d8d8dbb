"""The subsystems that have more to say than their tables: a package each, beside this module.

Such a package declares itself by one value, `SUBSYSTEM`. Nothing else names it, and it is looked
up here only. A subsystem without a package has the usual headlines, and names of its manifests.
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from assay.present.kit import evidence
from assay.present.kit.evidence import Evidence
from assay.present.kit.subsystem import UNDECLARED, Subsystem
from assay.present.sections.findings import Finding, noise_floor, peers


def named(name: str) -> Subsystem:
    """What a subsystem declares; nothing where it has no package."""
    package = f"{__name__}.{name}"
    subsystem: Subsystem = import_module(package).SUBSYSTEM if find_spec(package) else UNDECLARED
    return subsystem


def load(data: str | Path, name: str) -> Evidence:
    """The first session of the subsystem in the study in `data`: see `evidence.load`."""
    return evidence.load(data, name, named(name))


def load_all(data: str | Path) -> list[Evidence]:
    """The first session of every subsystem that has tidy data below `data`."""
    return [load(data, name) for name in evidence.subsystems(data)]


def headlines(evidence: Evidence) -> Sequence[Finding]:
    """The findings that a subsystem puts first; its peers and its noise when it names none."""
    if evidence.subsystem.headlines:
        return evidence.headlines
    workloads = evidence.facts["plan"]["workloads"]
    return [*(peers(evidence, name) for name in workloads), noise_floor(evidence)]
