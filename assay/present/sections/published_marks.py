"""Published points over their scale, hollow, on the curves that a session measured."""

import pandas as pd

from assay.present.kit import style
from assay.present.kit.evidence import Evidence
from assay.present.kit.marks import NO_SHOTS, Estimate, Series


def printed(
    evidence: Evidence, workload: str, metric: str = "time", variant: str | None = None
) -> pd.DataFrame:
    """The published numbers that a workload, in `variant` or in any, answers."""
    rows = evidence.published
    rows = rows[(rows["workload"] == workload) & (rows["metric"] == metric)]
    return rows if variant is None else rows[rows["variant"] == variant]


def hollow(
    rows: pd.DataFrame, label: str = "published", look: style.Look = style.PUBLISHED
) -> list[Series]:
    """Published numbers as a series over their scale; none where nothing is given."""
    given = rows.dropna(subset="value")
    points: dict[str | int, Estimate] = {
        int(scale): Estimate(value)
        for scale, value in zip(given["scale"], given["value"], strict=True)
    }
    return [Series(label, look, points, NO_SHOTS)] if points else []
