"""When a session ends before its plan does: as it was asked to, or because it takes too long.

One that was asked for a precision or a time ends after a whole block, by rule. The plan holds the
most blocks. The rules look at the width of intervals or at the clock, and never at which engine is
faster: a session that ran until something was significant would find something.

One that takes too long stops after whatever shot, and can go on from there.
"""

from collections.abc import Iterable, Mapping
from math import ceil, log

import numpy as np
import pandas as pd
from scipy import special

from assay.analyse import collect, estimates, medians, ratios
from assay.inputs.study import PILOT, SHARE
from assay.inputs.variant import variant_string
from assay.measure.plan import duration
from assay.raw.records import Line, Plan

EFFECTS = [0.02, 0.05, 0.10]
"""The differences for which the pilot says how many blocks would find them."""

OVERDUE = 1.5
"""How many times what it was expected to take a session of tier published takes at most."""

LEAST_S = 300.0
"""What it may take in any case: a short rest of a session is soon overdue by one slow shot."""

TOLD = 5
"""Cells that are told of a session that takes too long."""

Lines = Iterable[Line]


def reason(plan: Plan, blocks: int, lines: Lines) -> str:
    """Why the session ends after `blocks` whole blocks, whose shots are `lines`; empty to go on."""
    rule = plan["stop"]
    if "budget_s" in rule:
        took = sum(line["took_s"] for line in lines)
        over = took * (blocks + 1) / blocks > rule["budget_s"]
        allowed = duration(rule["budget_s"])
        return f"one more block would exceed the budget of {allowed}" if over else ""
    if blocks < PILOT:
        return ""
    measurements = _measurements(plan, lines)
    times = estimates.cells(measurements[measurements["metric"] == "time"])
    held, cells = estimates.precise(times, rule["precision"])
    if not cells:
        return "no shot succeeded"
    if held < SHARE * cells:
        return ""
    return f"{held} of {cells} cells are known to ±{100 * rule['precision']:g} %"


def outlook(plan: Plan, blocks: int, lines: Lines) -> str:
    """What the pilot of `blocks` blocks tells: how many blocks find an effect, how long they take.

    For 9 in 10 comparisons of engines and of the reference engine with itself, with power 0.9.
    """
    lines = list(lines)
    compared, _ = ratios.tables(_measurements(plan, lines))
    compared = compared[(compared["metric"] == "time") & compared["kind"].isin(["aa", "engine"])]
    widths = np.log((compared["ci_high"] / compared["ci_low"]).dropna())
    if not len(widths):
        return "The pilot has no two cells to compare."
    spread = float(np.quantile(widths, 0.9)) / 2 / medians.HALF_WIDTH * blocks**0.5
    block_s = sum(line["took_s"] for line in lines) / blocks
    blocks_needed = [(effect, needed(effect, spread)) for effect in EFFECTS]
    said = [
        f"  {100 * effect:g} %: {wanted} blocks, {duration(wanted * block_s)}"
        for effect, wanted in blocks_needed
    ]
    return "\n".join([f"After {blocks} blocks: to find a difference of", *said])


def needed(effect: float, spread: float) -> int:
    """How many blocks find a ratio of 1 + `effect` with power 0.9, at least those of an interval.

    `spread` is the standard error of a log ratio times the square root of the number of blocks.
    """
    # With ever more blocks Student's t becomes the normal distribution, which needs the fewest.
    least = medians.HALF_WIDTH + special.ndtri(ratios.POWER)
    blocks: int = max(medians.LEAST, ceil((least * spread / log(1 + effect)) ** 2))
    while blocks**0.5 * log(1 + effect) < ratios.standard_errors(blocks) * spread:
        blocks += 1
    return blocks


def overdue(plan: Plan, expected: Mapping[str, float], took: Mapping[str, float]) -> str:
    """Why a session takes too long to go on; empty when it does not.

    `expected` has the seconds of each shot that is to run, by its id, `took` those of each that
    ran. Only tier published has such an end: its hours are worth a look. The other tiers take
    minutes, and a slow machine is to finish them.
    """
    total_s, took_s = sum(expected.values()), sum(took.values())
    if plan["tier"] != "published" or took_s <= max(OVERDUE * total_s, LEAST_S):
        return ""
    return f"stopped after {duration(took_s)}, with {duration(total_s)} expected"


def slowest(plan: Plan, expected: Mapping[str, float], took: Mapping[str, float]) -> list[str]:
    """A line for each cell that took the most beyond what was expected of its shots that ran."""
    cells: dict[str, tuple[float, float]] = {}
    for shot in plan["shots"]:
        if shot["id"] in took:
            variant = variant_string(shot["variant"])
            words = (shot["engine"], shot["workload"], variant, f"{shot['scale']:,}")
            cell = " ".join(filter(None, words))
            took_s, expected_s = cells.get(cell, (0.0, 0.0))
            cells[cell] = took_s + took[shot["id"]], expected_s + expected[shot["id"]]
    beyond = sorted(cells.items(), key=lambda each: each[1][1] - each[1][0])
    return [
        f"  {cell}: {duration(took_s)}, with {duration(expected_s)} expected"
        for cell, (took_s, expected_s) in beyond[:TOLD]
        if took_s > expected_s
    ]


def _measurements(plan: Plan, lines: Lines) -> pd.DataFrame:
    return collect.measurements(plan, lines, machine="")
