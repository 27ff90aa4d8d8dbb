"""The method against planted truth: what it must find, what it must not, how often it is right."""

import numpy as np
import pytest
from scipy import stats

from assay.analyse import bootstrap, calibration, estimates, ratios
from assay.analyse.calibration import BLOCKS, of_peer, session

CHECKS = list(calibration.checks())


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check.planted}: {check.counted}")
def test_the_method_is_calibrated(check: calibration.Check):
    assert check.low <= check.share() <= check.high


@pytest.mark.parametrize(("effect", "called"), [(2.0, "slower"), (0.5, "faster")])
def test_a_factor_of_two_is_always_found(effect: float, called: str):
    peer = of_peer(session(effect, cv=0.1))
    assert set(peer["verdict"]) == {called}
    assert peer["ratio"].median() == pytest.approx(effect, rel=0.02)
    inside = (peer["ci_low"] <= effect) & (effect <= peer["ci_high"])
    assert inside.mean() >= 0.93


def test_intervals_of_cells_cover_the_truth():
    cells = estimates.cells(session(effect=1.0, cells=500, drift=0.0))
    truth = cells["scale"] * 1e-6
    inside = (cells["ci_low"] <= truth) & (truth <= cells["ci_high"])
    assert 0.93 <= inside.mean() <= 0.985


def test_pairing_by_block_removes_drift():
    drifting = session(effect=1.2, drift=0.5)
    peer = of_peer(drifting)
    assert set(peer["verdict"]) == {"slower"}
    width = np.log(peer["ci_high"] / peer["ci_low"]).median()
    cells = estimates.cells(drifting)
    assert width < np.log(cells["ci_high"] / cells["ci_low"]).median() / 2


def test_the_noise_floor_is_the_spread_of_the_equal_arms():
    compared, noise = calibration.nulls()
    aa = compared.loc[compared["kind"] == "aa", "ratio"]
    floor = noise.loc[noise["workload"] == "work", "floor"].item()
    assert np.mean(np.abs(np.log(aa)) <= np.log(floor)) == pytest.approx(0.95, abs=0.02)
    # The standard error of a median of n log ratios, each with the spread of two shots.
    error = np.sqrt(np.pi / 2 / BLOCKS) * np.sqrt(2) * 0.03
    assert np.log(floor) == pytest.approx(1.96 * error, rel=0.15)


def test_an_effect_below_the_floor_is_noise_however_narrow_its_interval():
    sharp = ratios.Ratio(n=20, ratio=1.03, ci_low=1.02, ci_high=1.04, note="")
    assert ratios.verdict(sharp, floor=1.035, tier="standard") == "within noise"
    assert ratios.verdict(sharp, floor=1.025, tier="standard") == "slower"


def test_the_bootstrap_agrees_with_scipy():
    values = np.random.default_rng(5).lognormal(size=12)
    ours = bootstrap.median(values)
    level = 1 - 2 * stats.norm.cdf(stats.t.ppf(0.025, len(values) - 1))
    theirs = stats.bootstrap(
        (values,), np.median, method="percentile", confidence_level=level, rng=6
    ).confidence_interval
    assert ours.value == np.median(values)
    spread = values.std()
    assert ours.low == pytest.approx(theirs.low, abs=0.1 * spread)
    assert ours.high == pytest.approx(theirs.high, abs=0.1 * spread)


def test_exchanging_the_engines_inverts_the_ratio():
    random = np.random.default_rng(7)
    one, other = random.lognormal(size=(2, 9))
    forth, back = ratios.ratio(one, other), ratios.ratio(other, one)
    assert forth and back
    assert forth.ratio == pytest.approx(1 / back.ratio)
    assert forth.ci_low == pytest.approx(1 / back.ci_high, rel=0.05)
