"""The method against planted truth: what it must find, what it must not, how often it is right."""

import numpy as np
import pytest
from scipy import stats

from assay import calibration
from assay.analyse import estimates, medians, ratios
from assay.calibration import BLOCKS, Values, of_peer, session

CHECKS = list(calibration.checks())


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check.planted}: {check.counted}")
def test_the_method_is_calibrated(check: calibration.Check) -> None:
    assert check.low <= check.share() <= check.high


@pytest.mark.parametrize(("effect", "called"), [(2.0, "slower"), (0.5, "faster")])
def test_a_factor_of_two_is_always_found(effect: float, called: str) -> None:
    peer = of_peer(session(effect, cv=0.1))
    assert set(peer["verdict"]) == {called}
    assert peer["ratio"].median() == pytest.approx(effect, rel=0.02)
    inside = (peer["ci_low"] <= effect) & (effect <= peer["ci_high"])
    assert inside.mean() >= 0.93


def test_intervals_of_cells_cover_the_truth() -> None:
    cells = estimates.cells(session(effect=1.0, cells=500, drift=0.0))
    truth = cells["scale"] * 1e-6
    inside = (cells["ci_low"] <= truth) & (truth <= cells["ci_high"])
    assert 0.93 <= inside.mean() <= 0.97


def test_pairing_by_block_removes_drift() -> None:
    drifting = session(effect=1.2, drift=0.5)
    peer = of_peer(drifting)
    assert set(peer["verdict"]) == {"slower"}
    width = np.median(np.log(peer["ci_high"] / peer["ci_low"]))
    cells = estimates.cells(drifting)
    assert width < np.median(np.log(cells["ci_high"] / cells["ci_low"])) / 2


def test_the_noise_floor_is_the_spread_of_the_equal_arms() -> None:
    compared, noise = calibration.nulls()
    aa = compared.loc[compared["kind"] == "aa", "ratio"]
    floor = noise.loc[noise["workload"] == "work", "floor"].item()
    assert np.mean(np.abs(np.log(aa)) <= np.log(floor)) == pytest.approx(0.95, abs=0.02)
    # The standard error of a median of n log ratios, each with the spread of two shots.
    error = np.sqrt(np.pi / 2 / BLOCKS) * np.sqrt(2) * 0.03
    assert np.log(floor) == pytest.approx(1.96 * error, rel=0.15)


def test_an_effect_below_the_floor_is_noise_however_narrow_its_interval() -> None:
    sharp = ratios.Ratio(n=20, ratio=1.03, ci_low=1.02, ci_high=1.04, note="")
    assert ratios.verdict(sharp, floor=1.035, tier="standard") == "within noise"
    assert ratios.verdict(sharp, floor=1.025, tier="standard") == "slower"


@pytest.mark.parametrize("level", [0.90, 0.95])
@pytest.mark.parametrize("n", range(medians.LEAST, 61))
def test_an_interval_ends_where_that_of_scipy_does_or_one_value_further_in(
    n: int, level: float
) -> None:
    values = np.random.default_rng(n).lognormal(size=n)
    ours = medians.median(values, level)
    exact = stats.quantile_test(values, q=1.0, p=0.5).confidence_interval(level)
    ordered = np.sort(values)
    at, mirrored = (int(np.searchsorted(ordered, end)) for end in (exact.low, exact.high))
    assert ours.value == np.median(values)
    assert ordered[at] <= ours.low <= ordered[at + 1] <= ours.value
    assert ours.value <= ordered[mirrored - 1] <= ours.high <= ordered[mirrored]


def test_an_interval_of_six_values_lies_where_hettmansperger_and_sheather_put_it() -> None:
    # The range holds the median with 0.96875 and the four inner values with 0.78125: a tenth of
    # the way in coverage is 5 * 0.1 / (1 + 4 * 0.1) of the way from the outermost to the next.
    found = medians.median([0, 1, 2, 3, 4, 5])
    assert (found.low, found.high) == pytest.approx((0.5 / 1.4, 5 - 0.5 / 1.4))


@pytest.mark.parametrize("n", range(medians.LEAST, 61))
def test_an_interval_of_equal_values_is_that_value(n: int) -> None:
    value = 1002999.9999999999
    found = medians.median([value] * n)
    assert (found.low, found.value, found.high) == (value, value, value)


def test_the_bootstrap_of_a_difference_agrees_with_scipy() -> None:
    one, other = np.random.default_rng(5).lognormal(size=(2, 12))
    ours = medians.difference(one, other)

    def apart(a: Values, b: Values, axis: int) -> Values:
        return np.median(a, axis=axis) - np.median(b, axis=axis)

    theirs = stats.bootstrap((one, other), apart, method="percentile", rng=6).confidence_interval
    spread = one.std()
    assert ours.low == pytest.approx(theirs.low, abs=0.1 * spread)
    assert ours.high == pytest.approx(theirs.high, abs=0.1 * spread)


def test_exchanging_the_engines_inverts_the_ratio() -> None:
    random = np.random.default_rng(7)
    one, other = random.lognormal(size=(2, 9))
    forth, back = ratios.ratio(one, other), ratios.ratio(other, one)
    assert forth and back
    assert forth.ratio == pytest.approx(1 / back.ratio)
    assert forth.ci_low == pytest.approx(1 / back.ci_high, rel=0.05)
