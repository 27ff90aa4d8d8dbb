"""What a subsystem declares of itself: one value, in the package of the subsystem."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assay.inputs.variant import variant_keys
from assay.present.kit.canvas import NoData, Plate
from assay.present.kit.style import PALETTE, Look
from assay.raw.records import Engine

if TYPE_CHECKING:
    from assay.present.kit.evidence import Evidence
    from assay.present.sections.bounds import Bounds
    from assay.present.sections.findings import Finding
    from assay.present.sections.reproduced import Printed


@dataclass(frozen=True)
class Figure:
    """A figure of a report: what draws it, and the workloads that it shows.

    It stands `after` another figure of the subsystem, or has a line of its own in the notebook.
    """

    name: str
    draw: Callable[["Evidence"], Plate | NoData]
    workloads: Collection[str]
    after: str = ""


@dataclass(frozen=True)
class Score:
    """What fills a column of the scorecard: a metric of an operation; `words` say what that is."""

    column: str
    words: str
    workload: str
    variant: str = ""
    metric: str = "time"


@dataclass(frozen=True)
class Promise:
    """What an answer promises, in words, the engines that promise it, and what they are rated by.

    An engine that no promise shares with the reference engine is compared with it apart.
    """

    words: str
    engines: Sequence[str]
    scores: Sequence[Score]


@dataclass(frozen=True)
class Subsystem:
    """Engines with their names on all pages, in the order of their looks; the reference is first.

    `words` say what keys of its variants mean, by "key=value" or by "key" with {} for the value.
    `promises` group the engines by what an answer promises; `right` tells how many answers of an
    engine are right, where they were counted.
    `answer` answers the title of its report in one sentence, empty without the data; `caveat` is
    what a reader must know beside it.
    `printed` are the tables of its published report, by the name that its notebook shows them by.
    `bounds` tell how the least that cells of the reference engine can cost is shown.
    `headlines` are the findings that a session of it puts first; None stands for the usual ones.
    Of `figures` that show a workload, the first is the one that a claim about it leads to.
    """

    engines: Mapping[str, str]
    words: Mapping[str, str] = field(default_factory=dict)
    promises: Sequence[Promise] = ()
    right: Callable[["Evidence"], Mapping[str, str]] | None = None
    answer: Callable[["Evidence"], str] | None = None
    caveat: str = ""
    printed: Mapping[str, "Printed"] = field(default_factory=dict)
    bounds: "Bounds | None" = None
    headlines: Callable[["Evidence"], Sequence["Finding"]] | None = None
    figures: Sequence[Figure] = ()

    def __post_init__(self) -> None:
        if len(self.engines) > len(PALETTE):
            raise ValueError(
                f"expected at most {len(PALETTE)} engines, each with a look of its own in "
                f"assay/present/kit/style.py, found {len(self.engines)}: {', '.join(self.engines)}"
            )
        first = [figure.name for figure in self.figures if not figure.after]
        for figure in self.figures:
            if figure.after and figure.after not in first:
                raise ValueError(
                    f"figure {figure.name} stands after {figure.after!r}: expected a figure that "
                    f"stands after no other: {', '.join(first)}"
                )

    def title(self, engine: str) -> str:
        """The name of an engine in sentences, figures and tables."""
        return self.engines[engine]

    @property
    def unlike(self) -> dict[str, str]:
        """The engines that promise something else than the reference engine, and what."""
        reference = next(iter(self.engines), "")
        shared = [each.engines for each in self.promises if reference in each.engines]
        alike = {name for engines in shared for name in engines}
        return {
            engine: promise.words
            for promise in self.promises
            for engine in promise.engines
            if engine not in alike
        }

    def spoken(self, variant: str) -> str:
        """A variant as sentences name it; empty where the workload has one only."""
        said = [
            self.words.get(f"{key}={value}", self.words.get(key, f"{key} {{}}")).format(
                f"{int(value):,}" if value.isdigit() else value
            )
            for key, value in variant_keys(variant).items()
        ]
        return ", ".join(filter(None, said))

    def look(self, engine: str) -> Look:
        """The look of an engine in every figure: its place in the list tells it."""
        return PALETTE[list(self.engines).index(engine)]

    def shown(self, engine: str) -> tuple[str, Look]:
        """The name and the look of an engine, as a series has them."""
        return self.title(engine), self.look(engine)

    def showing(self, workload: str) -> str:
        """The figure of the report that a claim about a workload leads to; empty without one."""
        return next((figure.name for figure in self.figures if workload in figure.workloads), "")

    def with_plan(self, engines: Mapping[str, Engine]) -> "Subsystem":
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
