"""The report on the method: its calibration, the noise floors met, and the slips it found."""

from functools import cache

import pandas as pd

from assay import calibration
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import ratio
from assay.present.kit.tables import Column, Html, badge, number, table, text, valued
from assay.present.sections.first_screen import Answer
from assay.published import slips
from assay.tables.rows import Row, records

ORIGIN = {
    "command": "pytest tests/unit/test_statistics.py",
    "code": "assay/calibration",
    "seeds": "fixed, so every run gives the same numbers",
}


@cache
def checked() -> list[Row]:
    """Every check of the calibration, with what it finds: the simulation takes a while."""
    return [{**vars(check), "found": check.share()} for check in calibration.checks()]


def first() -> Answer:
    """How many checks of the calibration hold, and what they cannot tell."""
    known = checked()
    held = sum(_verdict(row) == "holds" for row in known)
    return Answer(
        f"{held} of {len(known)} checks hold on simulated data of known truth: how often "
        "intervals, verdicts and noise floors are right, and how often they find what is there.",
        "Simulated noise has shapes that we chose; what a machine does beyond them, only the A/A "
        "arm of each session shows.",
    )


def checks() -> Html:
    """Every check of the calibration, with what it found just now."""
    rows = checked()
    columns = [
        text("planted", "planted"),
        text("counted", "counted"),
        Column("required", _required),
        valued("found", "found", _percent),
        number("trials", "trials"),
        Column("verdict", lambda row: badge(_verdict(row)), choose=True),
    ]
    return table(rows, columns, f"{len(rows)} checks on simulated data of known truth")


def coverage() -> pd.DataFrame:
    """Shares of intervals that hold the truth, by shape and number of values."""
    rows = [
        {"shape": shape, "n": n, "share": calibration.covered(n, shape)}
        for shape in calibration.SHAPES
        for n in calibration.SIZES
    ]
    return pd.DataFrame(rows)


def floors(sessions: list[Evidence]) -> Html:
    """The noise floor of the time of every workload, as its session measured it."""
    rows = [
        {**row, "subsystem": session.folder.name, "workload": row["workload"].replace("*", "all")}
        for session in sessions
        for row in records(session.noise[session.noise["metric"] == "time"])
    ]
    columns = [
        text("subsystem", "subsystem"),
        text("workload", "workload"),
        valued("noise floor", "floor", ratio),
        number("A/A cells", "n_cells"),
        text("basis", "basis"),
    ]
    return table(rows, columns, "Noise floors of the time")


def slips_found(subsystem: str = "") -> Html:
    """Every slip in the published reports, or in that on one subsystem, with its arithmetic."""
    columns = [
        *([] if subsystem else [text("report", "subsystem", choose=True)]),
        Column("kind", lambda row: str(row["kind"]), choose=True),
        text("it says", "says"),
        text("its numbers say", "numbers_say"),
        text("arithmetic", "arithmetic"),
    ]
    rows = slips.table().sort_values("subsystem", kind="stable")
    if subsystem:
        rows = rows[rows["subsystem"] == subsystem]
    where = "report" if subsystem else "reports"
    return table(rows, columns, f"{len(rows)} slips in the published {where}")


def _required(row: Row) -> str:
    if row["low"] == 0:
        return f"at most {_percent(row['high'])}"
    if row["low"] == row["high"]:
        return "all"
    if row["high"] == 1:
        return f"at least {_percent(row['low'])}"
    return f"{_percent(row['low'])} to {_percent(row['high'])}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _verdict(row: Row) -> str:
    return "holds" if row["low"] <= row["found"] <= row["high"] else "fails"
