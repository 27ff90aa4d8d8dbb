"""Published points on the curves that a session measured, one panel a published variant."""

from collections.abc import Callable

import pandas as pd

from assay.present.kit import style
from assay.present.kit.canvas import NoData, Plate
from assay.present.kit.cells import over_scale
from assay.present.kit.curves import Panel, curves
from assay.present.kit.evidence import Evidence
from assay.present.kit.marks import NO_SHOTS, Estimate, Series
from assay.tables.rows import Row

OURS = {"variant": "reference", "stand_in_variant": "channel-text"}
"""The column that names the variant that answers, and the engine that it stands for."""


def on_curves(
    evidence: Evidence, printed: pd.DataFrame, scale: Callable[[Row], int | None], axis: str
) -> Plate | NoData:
    """Times of `printed` at their `scale`, over the medians of the variants that answer them.

    A number of which the scale is not known (None) has no place on a curve.
    """
    rows = [
        row | {"at": at}
        for row in printed[printed["metric"] == "time"].to_dict("records")
        for at in [scale(row)]
        if at
    ]
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["workload"], row["variant"]), []).append(row)
    if not groups:
        return NoData("no published time tells its scale")
    panels = [_panel(evidence, workload, own) for (workload, _), own in groups.items()]
    machine = evidence.session["machine"]
    caption = (
        f"Lines were measured here, machine {machine}, profile {evidence.session['profile']}; "
        "hollow marks are published and come from the other machine in the table: their distance "
        "from a line is not an inference."
    )
    return curves(panels, "s", axis, caption)


def _panel(evidence: Evidence, workload: str, rows: list[Row]) -> Panel:
    lines = [
        _measured(evidence, workload, engine, rows[0][key])
        for key, engine in OURS.items()
        if rows[0][key]
    ]
    points: dict[str | int, Estimate] = {row["at"]: Estimate(row["value"]) for row in rows}
    theirs = Series("published", style.PUBLISHED, points, NO_SHOTS)
    about = evidence.session["plan"]["workloads"].get(workload, {"scale": "scale"})
    return Panel(rows[0]["row"], about["scale"], [*lines, theirs])


def _measured(evidence: Evidence, workload: str, engine: str, variant: str) -> Series:
    shown = evidence.subsystem.shown(engine)
    return over_scale(evidence, workload, *shown, engine="reference", variant=variant)
