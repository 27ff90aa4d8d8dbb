"""Whole commands of the reference engine, timed from the start of their process to its end."""

from collections.abc import Iterable

from assay.present.kit.canvas import NoData, Plate
from assay.present.kit.cells import engine_over_scale
from assay.present.kit.curves import CurvePanel, curves
from assay.present.kit.evidence import Evidence


def whole(evidence: Evidence, workloads: Iterable[str]) -> Plate | NoData:
    """A panel a command, over its scale."""
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
