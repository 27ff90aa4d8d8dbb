"""A method with a defect fails the checks of its calibration that are about it, and no other."""

import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from report_text import named

from assay import calibration
from assay.analyse import judge, medians, ratios, scaling
from assay.analyse.medians import Median
from assay.present.pages import method

CHECKS = {f"{check.planted}: {check.counted}": check for check in calibration.checks()}


@dataclass(frozen=True)
class Defect:
    """What is put in the place of parts of the method, and the checks that must fail then."""

    parts: list[tuple[ModuleType, str, Any]]
    found_by: str

    def finders(self) -> set[str]:
        """The checks that must fail."""
        return {name for name in CHECKS if re.search(self.found_by, name)}


def widened(interval: Callable[..., Median], factor: float) -> Callable[..., Median]:
    """The same estimate with its interval `factor` times as wide."""

    def of(*given: Any) -> Median:
        one = interval(*given)
        low, high = (one.value + factor * (end - one.value) for end in (one.low, one.high))
        return replace(one, low=low, high=high)

    return of


def intervals(factor: float) -> list[tuple[ModuleType, str, Any]]:
    return [(medians, name, widened(getattr(medians, name), factor)) for name in INTERVALS]


INTERVALS = ("median", "difference")
_floor, _ratio, _slopes, _shape = ratios.floor, ratios.ratio, scaling.slopes, scaling._shape

EXCHANGED = {"log n": "n", "n": "n^2", "n log n": "constant", "n^2": "log n", "power": "constant"}

DEFECTS = {
    "intervals half as wide": Defect(
        intervals(0.5), "interval|could have seen|same claim: 5 % slower"
    ),
    "intervals twice as wide": Defect(
        intervals(2.0), "interval holds the median|interval of the change|twice the time"
    ),
    "floor as the quantile of the few A/A cells": Defect(
        [(ratios, "floor", lambda aa: np.exp(np.quantile(np.abs(np.log(aa)), medians.LEVEL)))],
        "noise floor of",
    ),
    "floor twice as wide": Defect(
        [(ratios, "floor", lambda aa: _floor(aa) ** 2)], "holds another A/A ratio"
    ),
    "verdict by the ratio alone": Defect(
        [(ratios, "verdict", lambda one, *_: "slower" if one.ratio > 1 else "faster")],
        "called different|could have seen|cv 30 %",
    ),
    "verdict that never finds anything": Defect(
        [(ratios, "verdict", lambda *_: "within noise")],
        "^10 % slower, cv 3 %|could have seen|twice the time",
    ),
    "ratios 6 % too large": Defect(
        [(ratios, "ratio", lambda one, other, *more: _ratio(1.06 * one, other, *more))],
        "interval alone|could have seen|supported or contradicted",
    ),
    "ratios of other blocks": Defect(
        [
            (
                ratios,
                "ratio",
                lambda one, other, *more: _ratio(one, np.roll(other, len(other) // 2), *more),
            )
        ],
        "^10 % slower, cv 3 %|could have seen|same claim: 10 % slower",
    ),
    "margin of 15 %": Defect([(judge, "MARGIN", 1.15)], "same claim: 10 % slower"),
    "equivalence by an interval of 50 %": Defect(
        [(medians, "EQUIVALENCE_LEVEL", 0.5)], "same claim: 5 % slower"
    ),
    "exponents too large by 0.02": Defect(
        [(scaling, "slopes", lambda logs, sizes: _slopes(logs, sizes) + 0.02)],
        "interval holds the exponent",
    ),
    "laws told apart by nothing": Defect(
        [(scaling, "TOLD_APART", 0.0)], "cost by law (constant|log n),"
    ),
    "laws exchanged": Defect(
        [(scaling, "_shape", lambda law, *more: _shape(EXCHANGED.get(law, law), *more))],
        "cost by law (log n|n|n log n|n\\^2|power),",
    ),
}


OF_SESSIONS = (calibration.nulls, calibration.called, calibration.judged)
OF_VALUES = (calibration.covered, calibration.covered_change, calibration.covered_when_stopped)
KEPT = {
    medians: (*OF_SESSIONS, *OF_VALUES, calibration.held),
    ratios: (*OF_SESSIONS, calibration.under_floor),
    judge: (calibration.judged,),
    scaling: (calibration.held, calibration.kept),
}
"""What the calibration keeps of the analyses that a part of the method takes part in."""


def forget(broken: Defect) -> None:
    for module, *_ in broken.parts:
        for kept in KEPT[module]:
            kept.cache_clear()


def fails(name: str) -> set[str]:
    """The checks that fail under a defect."""
    broken = DEFECTS[name]
    with pytest.MonkeyPatch.context() as patch:
        for module, part, wrong in broken.parts:
            patch.setattr(module, part, wrong)
        forget(broken)
        try:
            return {name for name, one in CHECKS.items() if not one.low <= one.share() <= one.high}
        finally:
            forget(broken)


@pytest.fixture(scope="module")
def failed() -> Iterator[Mapping[str, Future[set[str]]]]:
    """The same of every defect; a process a CPU works on them."""
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
        yield {name: pool.submit(fails, name) for name in DEFECTS}


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_found_by_the_checks_that_are_about_it(
    name: str, failed: Mapping[str, Future[set[str]]]
) -> None:
    assert failed[name].result() == DEFECTS[name].finders()


def test_every_check_can_fail() -> None:
    assert set.union(*(defect.finders() for defect in DEFECTS.values())) == set(CHECKS)


def test_the_page_says_which_check_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = list(CHECKS.values())[:2]
    found = [replace(one, share=lambda: one.high), replace(other, share=lambda: other.high + 0.01)]
    monkeypatch.setattr(calibration, "checks", lambda: found)
    assert [row["verdict"] for row in named(method.checks())] == [
        '<span class="verdict holds">holds</span>',
        '<span class="verdict fails">fails</span>',
    ]
