"""When a session that was asked for a precision or a time ends: after a whole block, by rule.

The plan holds the most blocks. The rules look at the width of intervals or at the clock, and never
at which engine is faster: a session that ran until something was significant would find something.
"""

from collections.abc import Iterable
from math import ceil, log

import numpy as np
import pandas as pd
from scipy import special

from assay.analyse import collect, estimates, medians, ratios
from assay.inputs.study import PILOT, SHARE
from assay.measure.plan import duration
from assay.raw.records import Line, Plan

EFFECTS = [0.02, 0.05, 0.10]
"""The differences for which the pilot says how many blocks would find them."""

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


def _measurements(plan: Plan, lines: Lines) -> pd.DataFrame:
    return collect.measurements(plan, lines, machine="")
