"""Figures over a scale that several subsystems have, a panel an operation or a command."""

from collections.abc import Iterable

from assay.present.kit.canvas import NoData, Plate
from assay.present.kit.cells import engine_over_scale, engines_over_scale
from assay.present.kit.curves import CurvePanel, curves
from assay.present.kit.evidence import Evidence
from assay.present.kit.operations import Operation


def operations(
    evidence: Evidence, shown: Iterable[Operation], axis: str, caption: str, **keys: str | int
) -> Plate | NoData:
    """Operations of all engines that have them; `keys` add to the variant of each."""
    panels = [
        CurvePanel(
            operation.label.capitalize(),
            evidence.counted(operation.workload),
            engines_over_scale(evidence, operation.workload, variant=operation.variant(**keys)),
        )
        for operation in shown
    ]
    return curves(panels, "s", axis, caption)


def commands(evidence: Evidence, workloads: Iterable[str]) -> Plate | NoData:
    """Whole commands of the reference engine, from the start of their process to its end."""
    panels = [
        CurvePanel(
            evidence.title(workload),
            evidence.counted(workload),
            [engine_over_scale(evidence, workload, "reference")],
        )
        for workload in workloads
    ]
    caption = "Time of a whole process from start to exit, measured by hyperfine."
    return curves(panels, "s", "time of the process", caption)
