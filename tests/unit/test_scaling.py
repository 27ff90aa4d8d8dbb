"""Growth with the scale: exponents, laws, local slopes and their limits, on planted curves."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import planted
import pytest

from assay import calibration
from assay.analyse import scaling

SCALES = [10, 1_000, 100_000, 1_000_000]


def curve(
    cost: Callable[[int], float],
    scales: Sequence[int] = SCALES,
    metric: str = "time",
    blocks: int = 8,
    **more: Any,
) -> pd.DataFrame:
    """Measurements of one curve; `cost` gives the median at a scale."""
    cells = [
        planted.Simulated("work", "reference", "", n, {metric: cost(n)}, cv=more.get("cv", 0.03))
        for n in scales
    ]
    tier = more.get("tier", "standard")
    return planted.measurements(cells, blocks, tier=tier, drift=more.get("drift", 0.1))


def only(table: pd.DataFrame) -> pd.Series:
    assert len(table) == 1
    return table.iloc[0]


def scaled(*of: Any, **more: Any) -> pd.Series:
    return only(scaling.tables(curve(*of, **more))[0])


@pytest.mark.parametrize("exponent", [0, 0.5, 1, 2])
def test_the_exponent_is_that_of_the_truth(exponent: float) -> None:
    row = scaled(lambda n: 1e-6 * n**exponent)
    assert row["exponent"] == pytest.approx(exponent, abs=0.01)
    assert row["ci_low"] < row["exponent"] < row["ci_high"]
    assert (row["n"], row["n_scales"], row["smallest"], row["largest"]) == (8, 4, 10, 1_000_000)


@pytest.mark.parametrize(
    ("law", "cost"),
    [
        ("constant", lambda n: 1e-6),
        ("log n", lambda n: 1e-6 * (1 + 0.5 * np.log(n))),
        ("n", lambda n: 1e-6 * (200 + n)),
        ("n log n", lambda n: 1e-6 * (200 + n * np.log(n))),
        ("n^2", lambda n: 1e-6 * (1e4 + n**2)),
        ("power", lambda n: 1e-6 * n**0.3),
    ],
)
def test_the_law_is_that_of_the_truth(law: str, cost: Callable[[int], float]) -> None:
    row = scaled(cost, cv=0.01)
    assert row["law"] == law
    assert row["misfit"] < 1.02
    weights = row.filter(like="weight_")
    assert weights.sum() == pytest.approx(1)
    assert "no law fits" not in row["note"]


def test_laws_that_are_not_told_apart_are_named() -> None:
    row = scaled(lambda n: 1e-6 * (1 + 0.02 * np.log(n)), cv=0.1)
    assert row["note"].startswith("not told apart: ")


def test_a_curve_that_no_law_describes_is_said_to_be_so() -> None:
    step = {10: 1e-6, 1_000: 1e-6, 100_000: 5e-6, 1_000_000: 5e-6}
    row = scaled(step.__getitem__)
    assert "no law fits within the noise" in row["note"]
    assert row["misfit"] > 1.1


def test_local_slopes_find_the_step() -> None:
    step = {10: 1e-6, 1_000: 1e-6, 100_000: 5e-6, 1_000_000: 5e-6}
    table = scaling.tables(curve(step.__getitem__))[1]
    slopes = table.set_index("scale")["slope"]
    assert np.isnan(slopes[10])
    assert slopes[1_000] == pytest.approx(0, abs=0.02)
    assert slopes[100_000] == pytest.approx(np.log(5) / np.log(100), abs=0.02)
    assert list(table["previous"]) == [0, 10, 1_000, 100_000]
    assert np.prod(table["residual"]) == pytest.approx(1)


def test_drift_does_not_bend_a_curve() -> None:
    quiet, drifting = (scaled(lambda n: 1e-9 * n, drift=drift) for drift in (0.0, 1.0))
    width = quiet["ci_high"] - quiet["ci_low"]
    assert drifting["ci_high"] - drifting["ci_low"] < 2.5 * width


def test_fewer_than_four_scales_make_no_curve() -> None:
    for table in scaling.tables(curve(lambda n: 1e-6, scales=SCALES[:3])):
        assert table.empty


def test_scale_0_is_no_part_of_a_curve() -> None:
    curves, _ = scaling.tables(curve(lambda n: 1e-6 * (n or 50), scales=[0, *SCALES]))
    assert only(curves)["smallest"] == SCALES[0]
    assert only(curves)["exponent"] == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(
    ("blocks", "tier", "note"), [(5, "standard", "n < 6"), (8, "smoke", "smoke")]
)
def test_too_little_data_chooses_no_law(blocks: int, tier: str, note: str) -> None:
    row = scaled(lambda n: 1e-6 * n, blocks=blocks, tier=tier)
    assert row["law"] == ""
    assert np.isnan(row["weight_n"])
    assert row["note"].startswith(note)


def test_a_block_with_a_hole_does_not_count() -> None:
    measured = curve(lambda n: 1e-6 * n)
    hole = (measured["scale"] == 1_000) & (measured["block"] == 2)
    row = only(scaling.tables(measured[~hole])[0])
    assert row["n"] == 7
    assert "complete in 7 of 8 blocks" in row["note"]


def test_an_exact_counter_has_an_exponent_and_no_interval() -> None:
    more = [1_000_000_000, 10_000_000_000]
    row = scaled(lambda n: 2.0 * n, metric="syncs", scales=[*SCALES, *more])
    assert row["exponent"] == pytest.approx(1)
    assert np.isnan(row["ci_low"])
    assert row["law"] in ("n", "power")
    assert row["misfit"] == pytest.approx(1, abs=1e-3)
    four = scaled(lambda n: 2.0 * n, metric="syncs")
    assert (four["law"], four["note"]) == ("", "too few scales to choose a law")


def test_a_counter_that_depends_on_the_input_has_an_interval_over_the_blocks() -> None:
    measured = curve(lambda n: 2.0 * n, metric="syncs")
    by_input = measured["value"] * (1 + 0.01 * measured["block"] * (measured["scale"] == SCALES[0]))
    row = only(scaling.tables(measured.assign(value=by_input))[0])
    assert row["ci_low"] < row["exponent"] < row["ci_high"] <= 1


@pytest.mark.parametrize(("metric", "value"), [("draws_per_second", 1e6), ("syncs", 0.0)])
def test_rates_and_zeros_have_no_curve(metric: str, value: float) -> None:
    assert scaling.tables(curve(lambda n: value, metric=metric))[0].empty


def test_the_fit_is_that_of_least_squares() -> None:
    """Against a plain linear regression, where one is right: no noise, errors are relative."""
    n = np.array([10.0, 100, 1_000, 10_000, 100_000])
    logs = np.log(3 + 0.2 * n)[None, :]
    assert scaling.fit(logs, n).residuals == pytest.approx(np.ones(5), abs=1e-4)
    slopes = scaling.slopes(logs, n)
    assert slopes == pytest.approx(np.polyfit(np.log(n), logs[0], 1)[0])


def test_the_calibration_plants_what_it_says() -> None:
    logs = np.mean(list(calibration.curves(calibration.SCALES, 200)), axis=0)
    assert np.diff(logs.mean(axis=0)) == pytest.approx(np.full(3, np.log(10)), abs=0.01)
