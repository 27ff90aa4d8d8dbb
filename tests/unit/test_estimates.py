"""Cells, paired ratios and the noise floor on small planted sessions."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import planted
import pytest

from assay.analyse import estimates, medians, ratios
from assay.analyse.ratios import Ratio, verdict
from assay.tables import io

FAILED = ("failed", "exit code 2")


def cell(
    engine: str = "reference", variant: str = "", scale: int = 10, **more: Any
) -> planted.Simulated:
    truth = more.pop("truth", {"time": 1e-6})
    return planted.Simulated("work", engine, variant, scale, truth, **more)


def only(table: pd.DataFrame) -> pd.Series:
    assert len(table) == 1
    return table.iloc[0]


def estimated(*cells: planted.Simulated, blocks: int = 8, **more: Any) -> pd.DataFrame:
    return estimates.cells(planted.measurements(cells, blocks, **more))


def compared(*cells: planted.Simulated, kind: str, blocks: int = 8, **more: Any) -> pd.DataFrame:
    table, _ = ratios.tables(planted.measurements(cells, blocks, **more))
    return table[table["kind"] == kind]


def test_a_cell_is_its_median_with_an_interval_around_it() -> None:
    measured = planted.measurements([cell()], 8)
    values = measured.loc[measured["arm"] == "A", "value"]
    row = only(estimates.cells(measured))
    assert row["n"] == 8
    assert row["median"] == np.median(values)
    assert values.min() <= row["ci_low"] < row["median"] < row["ci_high"] <= values.max()
    assert (row["minimum"], row["maximum"], row["note"]) == (values.min(), values.max(), "")


def test_fewer_than_six_shots_have_no_interval() -> None:
    row = only(estimated(cell(), blocks=5))
    assert np.isnan(row["ci_low"]) and np.isnan(row["ci_high"])
    assert row["note"] == "n < 6: no 95 % interval"


def test_smoke_is_stamped() -> None:
    assert only(estimated(cell(), blocks=3, tier="smoke"))["note"].startswith("smoke: no inference")


def test_failed_shots_are_counted_and_noisy_ones_kept() -> None:
    row = only(estimated(cell(failed={1: FAILED, 4: FAILED}), noisy_share=1.0))
    assert (row["n"], row["n_failed"], row["n_noisy"]) == (6, 2, 6)


def test_a_cell_without_a_good_shot_stays_as_a_row() -> None:
    row = only(estimated(cell(failed=dict.fromkeys(range(8), FAILED))))
    assert (row["n"], row["n_failed"]) == (0, 8)
    assert np.isnan(row["median"])
    assert row["note"] == "no shot succeeded: exit code 2"


def test_an_exact_counter_has_an_interval_only_where_it_depends_on_the_input() -> None:
    measured = planted.measurements([cell(truth={"time": 1e-6, "syncs": 4})], 8)
    row = only(estimates.cells(measured).query("metric == 'syncs'"))
    assert (row["median"], row["note"]) == (4, "")
    assert np.isnan(row["ci_low"])
    first = (measured["metric"] == "syncs") & (measured["block"] == 0)
    varying = measured.assign(value=measured["value"].mask(first, 5))
    row = only(estimates.cells(varying).query("metric == 'syncs'"))
    assert row["note"] == "depends on the input: 4..5"
    assert row["minimum"] == row["ci_low"] == row["median"] == 4 < row["ci_high"] <= row["maximum"]
    assert "syncs" not in set(ratios.tables(varying)[0]["metric"])


def test_a_zero_gives_no_ratio_and_says_so() -> None:
    truth = {"time": 1e-6, "heap_bytes_per_draw": 0}
    cells = [cell(truth=truth), cell("peer", truth={**truth, "heap_bytes_per_draw": 8})]
    assert set(compared(*cells, kind="engine")["metric"]) == {"time"}
    heap = estimated(*cells).query("metric == 'heap_bytes_per_draw' and engine == 'reference'")
    assert only(heap)["note"] == "not above 0: no ratio"


def test_ratios_pair_only_the_blocks_that_both_cells_have() -> None:
    cells = [
        cell(absent=frozenset({0})),
        cell("peer", truth={"time": 2e-6}, failed={1: FAILED}, cv=0.01),
    ]
    row = only(compared(*cells, kind="engine"))
    assert (row["n"], row["note"]) == (6, "paired in 6 of 8 blocks")
    assert row["ratio"] == pytest.approx(2, rel=0.05)
    assert (row["engine"], row["base_engine"]) == ("peer", "reference")


def test_cells_without_a_common_block_have_no_ratio() -> None:
    first = dict.fromkeys(range(4), FAILED)
    last = dict.fromkeys(range(4, 8), FAILED)
    assert compared(cell(failed=first), cell("peer", failed=last), kind="engine").empty


def test_variants_are_compared_when_one_key_differs_with_the_higher_value_above() -> None:
    names = [
        f"batch={batch},sync={sync}" for batch, sync in itertools.product((100, 9), ("a", "b"))
    ]
    rows = compared(*(cell("peer", variant) for variant in names), cell(), kind="variant")
    assert sorted(zip(rows["variant"], rows["base_variant"], strict=True)) == [
        ("batch=100,sync=a", "batch=9,sync=a"),
        ("batch=100,sync=b", "batch=100,sync=a"),
        ("batch=100,sync=b", "batch=9,sync=b"),
        ("batch=9,sync=b", "batch=9,sync=a"),
    ]


def test_variants_of_other_keys_or_scales_are_not_compared() -> None:
    cells = [cell(variant="a=1"), cell(variant="b=1"), cell(variant="a=2", scale=11), cell()]
    assert compared(*cells, kind="variant").empty


def wide(cells: int, name: str = "wide") -> list[planted.Simulated]:
    """Cells of a workload with a noise of 20 %; one in four carries the A/A arm."""
    return [
        planted.Simulated(name, "reference", "", size, {"time": 1e-6}, cv=0.2)
        for size in range(1, cells + 1)
    ]


def test_ten_pairs_of_arms_give_a_workload_its_own_floor_and_fewer_share_one() -> None:
    table, noise = ratios.tables(planted.measurements([*wide(40), cell()], 8))
    floors = noise.set_index("workload")
    assert floors["basis"].to_dict() == {"*": "pooled", "wide": "workload", "work": "pooled"}
    assert floors["n_cells"].to_dict() == {"*": 11, "wide": 10, "work": 1}
    assert floors.loc["work", "floor"] == floors.loc["*", "floor"] != floors.loc["wide", "floor"]
    aa = table.loc[table["workload"] == "wide", "ratio"]
    assert floors.loc["wide", "floor"] == pytest.approx(ratios.floor(aa.to_numpy()))
    assert only(table[table["workload"] == "work"])["floor"] == floors.loc["*", "floor"]


def test_a_workload_without_arms_has_the_floor_of_the_others_and_never_none_at_all() -> None:
    refused = dict.fromkeys(range(8), FAILED)
    lost = [planted.Simulated("lost", "reference", "", 1, {"time": 1e-6}, failed=refused)]
    peers = [planted.Simulated("lost", "peer", v, 1, {"time": 1e-6}) for v in ("v=1", "v=2")]
    table, noise = ratios.tables(planted.measurements([*wide(8), *lost, *peers], 8))
    floors = noise.set_index("workload")
    assert floors.loc["lost", ["n_cells", "basis"]].tolist() == [0, "pooled"]
    assert floors.loc["lost", "floor"] == floors.loc["*", "floor"] > 1.02
    assert only(table[table["kind"] == "variant"])["floor"] == floors.loc["*", "floor"]


def test_without_any_arm_nothing_is_inferred() -> None:
    peers = [cell("peer", "v=1"), cell("peer", "v=2", truth={"time": 3e-6})]
    table, noise = ratios.tables(planted.measurements(peers, 8))
    assert noise.empty
    assert only(table)["verdict"] == "no inference"


def test_the_arms_bound_times_and_say_nothing_of_bytes() -> None:
    truth = {"time": 1e-6, "heap_bytes_per_draw": 8.0}
    table, noise = ratios.tables(
        planted.measurements([cell(truth=truth), cell("peer", truth=truth)], 8)
    )
    assert set(noise["metric"]) == {"time"}
    heap = table[(table["kind"] == "engine") & (table["metric"] == "heap_bytes_per_draw")]
    assert only(heap)["floor"] == 1


def test_few_cells_make_a_floor_wider_than_what_they_show() -> None:
    assert ratios.floor(np.array([1.02])) == pytest.approx(1.02**12.706, rel=1e-3)
    assert ratios.floor(np.array([1.02, 1 / 1.02])) == pytest.approx(1.02**4.303, rel=1e-3)
    assert ratios.floor(np.full(1000, 1.02)) == pytest.approx(1.02**1.962, rel=1e-3)


def test_machines_with_the_same_plan_are_not_mixed() -> None:
    one = planted.measurements([cell(), cell("peer")], 8, seed=1)
    other = planted.measurements([cell(), cell("peer", truth={"time": 3e-6})], 8, seed=2)
    table, noise = ratios.tables(pd.concat([one, other.assign(machine="other")]))
    found = table[table["kind"] == "engine"].set_index("machine")["ratio"]
    assert found["other"] / found["planted"] == pytest.approx(3, rel=0.1)
    assert sorted(noise["machine"]) == ["other", "other", "planted", "planted"]


@pytest.mark.parametrize(
    ("ratio", "facts", "expected"),
    [
        (Ratio(8, 1.2, 1.1, 1.3, ""), {}, "slower"),
        (Ratio(8, 0.8, 0.7, 0.9, ""), {}, "faster"),
        (Ratio(8, 1.2, 0.9, 1.3, ""), {}, "within noise"),
        (Ratio(8, 1.04, 1.03, 1.05, ""), {}, "within noise"),
        (Ratio(8, 1.2, 1.1, 1.3, ""), {"unit": "1/s", "better": "higher"}, "faster"),
        (Ratio(8, 1.2, 1.1, 1.3, ""), {"unit": "B"}, "worse"),
        (Ratio(8, 0.8, 0.7, 0.9, ""), {"unit": "1"}, "better"),
        (Ratio(8, 1.2, 1.1, 1.3, ""), {"tier": "smoke"}, "no inference"),
        (Ratio(8, 1.2, 1.1, 1.3, ""), {"floor": np.nan}, "no inference"),
        (Ratio(5, 9.0, np.nan, np.nan, ""), {}, "no inference"),
    ],
)
def test_verdicts(ratio: Ratio, facts: dict, expected: str) -> None:
    assert verdict(ratio, **{"floor": 1.05, "tier": "standard"} | facts) == expected


def test_a_smoke_study_infers_nothing(tmp_path: Path) -> None:
    planted.study(tmp_path, blocks=3, tier="smoke")
    assert set(io.read(tmp_path / "ratios.parquet")["verdict"]) == {"no inference"}


def test_estimates_do_not_depend_on_the_order_of_rows() -> None:
    measured = planted.measurements([cell(), cell("peer")], 8)
    turned = measured.iloc[::-1].reset_index(drop=True)
    key = ["engine", "metric"]
    pd.testing.assert_frame_equal(
        *(estimates.cells(m).sort_values(key, ignore_index=True) for m in (measured, turned))
    )


def test_no_value_has_no_median() -> None:
    assert np.isnan(medians.median([]).value)


def test_more_blocks_and_less_noise_could_have_seen_a_smaller_effect() -> None:
    def could_see(blocks: int, cv: float) -> float:
        rows = [cell(scale=n, cv=cv) for n in range(1, 41)]
        peers = [cell("peer", scale=n, cv=cv) for n in range(1, 41)]
        return compared(*rows, *peers, kind="engine", blocks=blocks)["detectable"].median()

    assert 1.02 < could_see(20, 0.03) < could_see(8, 0.03) < could_see(8, 0.1) < 1.3


def test_what_could_have_been_seen_is_beyond_the_floor() -> None:
    assert ratios.detectable(8, 0.99, 1.01, floor=1.2) > 1.2
    assert np.isnan(ratios.detectable(5, np.nan, np.nan, floor=1.2))
    assert np.isnan(ratios.detectable(8, 0.99, 1.01, floor=np.nan))


@pytest.mark.parametrize(("blocks", "known"), [(19, []), (20, ["p25", "p75"]), (100, "all")])
def test_percentiles_need_five_values_beyond_them(blocks: int, known: list[str] | str) -> None:
    row = only(estimated(cell(), blocks=blocks))
    percentiles = row[["p05", "p25", "p75", "p95"]].dropna()
    assert list(percentiles.index) == (known if known != "all" else ["p05", "p25", "p75", "p95"])
    ordered = row[["minimum", *percentiles.index, "maximum"]]
    assert ordered.is_monotonic_increasing
