"""What a subsystem tells the pages that show all of them: its own package beside this module.

A package `<subsystem>` may have `findings`, the headlines of a session, `ENGINES`, their names in
the order of the palette, and `FIGURES`, workload to the figure of the report that shows it. A
subsystem without one has the usual headlines, and colours by name.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from assay.inputs import claims
from assay.present.kit.evidence import Evidence
from assay.present.sections.findings import Finding, noise_floor, peers


def headlines(evidence: Evidence) -> list[Finding]:
    """The findings that a subsystem puts first; its peers and its noise when it names none."""
    own = getattr(_module(evidence.folder.name), "findings", None)
    if own:
        return list(own(evidence))
    workloads = evidence.session["plan"]["workloads"]
    return [*(peers(evidence, name) for name in workloads), noise_floor(evidence)]


def figure(subsystem: str, workload: str) -> str:
    """The figure of the subsystem's report that shows a workload; empty when it names none."""
    figures: Mapping[str, str] = getattr(_module(subsystem), "FIGURES", {})
    return figures.get(workload, "")


@cache
def engines() -> Mapping[str, int]:
    """The place in the palette of every engine that a subsystem with claims lists."""
    listed: list[Sequence[str]] = [
        getattr(_module(path.stem), "ENGINES", ()) for path in sorted(claims.FOLDER.glob("*.yaml"))
    ]
    return {name: place for names in listed for place, name in enumerate(names)}


@cache
def _module(subsystem: str) -> ModuleType | None:
    name = f"assay.present.subsystems.{subsystem}"
    return import_module(name) if find_spec(name) else None
