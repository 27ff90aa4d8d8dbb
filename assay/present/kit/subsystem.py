"""What a subsystem declares of itself: one value, in the package of the subsystem."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.present.kit.canvas import NoData, Plate
from assay.present.kit.style import PALETTE, Look

if TYPE_CHECKING:
    from assay.present.kit.evidence import Evidence
    from assay.present.sections.findings import Finding


@dataclass(frozen=True)
class Figure:
    """A figure of a report: what draws it, and the workloads that it shows."""

    name: str
    draw: Callable[["Evidence"], Plate | NoData]
    workloads: Collection[str]


@dataclass(frozen=True)
class Subsystem:
    """Engines with their names on all pages, in the order of their looks; the reference is first.

    `headlines` are the findings that a session of it puts first; None stands for the usual ones.
    Of `figures` that show a workload, the first is the one that a claim about it leads to.
    """

    engines: Mapping[str, str]
    headlines: Callable[["Evidence"], Sequence["Finding"]] | None = None
    figures: Sequence[Figure] = ()

    def __post_init__(self) -> None:
        if len(self.engines) > len(PALETTE):
            raise ValueError(
                f"expected at most {len(PALETTE)} engines, each with a look of its own in "
                f"assay/present/kit/style.py, found {len(self.engines)}: {', '.join(self.engines)}"
            )

    def title(self, engine: str) -> str:
        """The name of an engine in sentences, figures and tables."""
        return self.engines[engine]

    def look(self, engine: str) -> Look:
        """The look of an engine in every figure: its place in the list tells it."""
        return PALETTE[list(self.engines).index(engine)]

    def shown(self, engine: str) -> tuple[str, Look]:
        """The name and the look of an engine, as a series has them."""
        return self.title(engine), self.look(engine)

    def showing(self, workload: str) -> str:
        """The figure of the report that a claim about a workload leads to; empty without one."""
        return next((one.name for one in self.figures if workload in one.workloads), "")

    def with_plan(self, engines: Mapping[str, Mapping[str, str]]) -> "Subsystem":
        """The same, and behind its engines those of a plan that it does not list."""
        more = sorted(
            set(engines) - set(self.engines),
            key=lambda name: (engines[name]["role"] != "reference", name),
        )
        return replace(
            self, engines={**self.engines, **{name: engines[name]["title"] for name in more}}
        )


UNDECLARED = Subsystem({})
"""What there is of a subsystem that declares nothing."""
