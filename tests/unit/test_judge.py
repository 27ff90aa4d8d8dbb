"""Verdicts on claims: each of the six, from planted measurements whose truth is known."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Any

import pandas as pd
import planted
import pytest

from assay import calibration
from assay.analyse import judge, pairs
from assay.analyse.session import Session
from assay.inputs.claims import Cell, Claim

HASHES = {"reference": "planted", "peer": "planted"}
SCALES = (1_000, 100_000)


def claim(low: float = 0, high: float = inf, **about: Any) -> Claim:
    """A claim about workload `work`: variant `v=b` over `v=a` unless told otherwise."""
    fields = {
        "id": "claimed",
        "subsystem": "rewardpool",
        "text": "It is so.",
        "report": "A report",
        "section": "A section",
        "not_testable": "",
        "metric": "time",
        "cell": cell("v=b"),
        "base": cell("v=a"),
        "low": low,
        "high": high,
        "tolerance": 0.0,
        "scales": (1, inf),
        "profile": "",
    }
    return Claim(**(fields | about))


def cell(variant: str, scale: int | None = None, engine: str = "reference") -> Cell:
    return Cell(engine, "work", variant, scale)


def session(
    b: float,
    blocks: int = 12,
    tier: str = "standard",
    truth: Mapping[str, float] | None = None,
    cells: list[planted.Simulated] | None = None,
    cv: float = 0.01,
) -> Session:
    """A session in which `v=b` takes `b` times as long as `v=a`, at both scales."""
    every = cells or [
        planted.Simulated("work", "reference", f"v={name}", scale, {"time": t, **(truth or {})}, cv)
        for scale in SCALES
        for name, t in {"a": 1e-6, "b": b * 1e-6}.items()
    ]
    rows = planted.measurements(every, blocks, tier=tier, drift=0.1)
    engines = {name: {"hot_hash": "planted"} for name in HASHES}
    facts = {"profile": "native", "profile_not_applied": {}, "tier": tier}
    facts["plan"] = {"engines": engines}
    return planted.session(rows, facts)


def judged_by(
    claims: list[Claim], measured: Session | None, hot: Mapping[str, str]
) -> pd.DataFrame:
    """The claims judged by a session, its pairs among its tables."""
    if measured:
        first, *others = (
            replace(each, pairs=pairs.table([], [each], claims))
            for each in (measured, *measured.others)
        )
        measured = replace(first, others=tuple(others))
    return judge.judge(claims, measured, hot)


def said(one: Claim, measured: Session | None) -> tuple[str, str]:
    """The verdict, the same at every scale, and its first reason."""
    judged = judged_by([one], measured, HASHES)
    assert judged["verdict"].nunique() == 1
    return judged["verdict"].iloc[0], judged["reason"].iloc[0]


@pytest.mark.parametrize(
    ("low", "high", "b", "expected"),
    [
        (1, inf, 1.5, "supported"),
        (1.2, inf, 1.5, "supported"),
        (0, 1, 0.5, "supported"),
        (1.4, 1.6, 1.5, "supported"),
        (1, inf, 0.5, "contradicted"),
        (0, 1, 1.5, "contradicted"),
        (2, inf, 1.5, "contradicted"),
        (1.8, 2.2, 1.5, "contradicted"),
        (1, inf, 1.0, "equivalent"),
        (0, 1, 1.0, "equivalent"),
        (0.95, 1.05, 1.0, "supported"),
    ],
)
def test_a_clear_effect_is_judged(low: float, high: float, b: float, expected: str) -> None:
    assert said(claim(low, high), session(b))[0] == expected


def test_an_effect_within_the_margin_supports_nothing() -> None:
    judged = judged_by([claim(low=1)], session(1.04, cv=0.002), HASHES)
    assert (judged["ci_low"] > 1).all()
    assert set(judged["verdict"]) == {"equivalent"}


def test_a_bound_inside_the_interval_is_open_and_says_what_would_tell() -> None:
    verdict, reason = said(claim(low=1.505), session(1.5, cv=0.1))
    assert verdict == "inconclusive"
    assert "the interval holds the bound 1.505" in reason


def test_tolerance_softens_a_contradiction() -> None:
    assert said(claim(1.8, 2.2), session(1.7))[0] == "contradicted"
    verdict, reason = said(claim(1.8, 2.2, tolerance=0.1), session(1.7))
    assert (verdict, "tolerance" in reason) == ("inconclusive", True)


@pytest.mark.parametrize(
    ("measured", "reason"),
    [
        ({"b": 3.0, "blocks": 5}, "5 blocks; at least 6 are needed"),
        ({"b": 3.0, "tier": "smoke"}, "tier smoke allows no inference"),
    ],
)
def test_too_little_data_is_inconclusive(measured: dict[str, Any], reason: str) -> None:
    assert said(claim(low=1), session(**measured)) == ("inconclusive", reason)


@pytest.mark.parametrize(
    ("low", "high", "b", "blocks", "expected"),
    [
        (1, inf, 3.0, 3, "supported by range"),
        (2.8, 3.2, 3.0, 5, "supported by range"),
        (0, 1, 3.0, 3, "contradicted by range"),
        (3.0, inf, 3.0, 5, "inconclusive"),  # some blocks on either side
        (1, inf, 3.0, 2, "inconclusive"),
        (1, inf, 3.0, 6, "supported"),
    ],
)
def test_a_few_blocks_of_tier_published_are_judged_by_their_range(
    low: float, high: float, b: float, blocks: int, expected: str
) -> None:
    verdict, reason = said(claim(low, high), session(b, blocks, "published"))
    assert verdict == expected
    assert f"in {blocks} blocks" in reason or blocks in (2, 6)


def test_what_is_counted_is_judged_from_one_block_of_tier_published() -> None:
    about = claim(99, 101, metric="syncs", base=None)
    once = session(1.0, blocks=1, tier="published", truth={"syncs": 100})
    assert said(about, once) == ("supported by range", "100 in 1 block")
    assert said(about, session(1.0, blocks=1, truth={"syncs": 100}))[0] == "inconclusive"


def test_without_a_noise_floor_nothing_is_concluded() -> None:
    measured = session(3.0)
    no_noise = replace(measured, noise=measured.noise.iloc[:0])
    assert said(claim(low=1), no_noise) == ("inconclusive", "no A/A cells, so no noise floor")


def test_a_noise_floor_wider_than_the_claim_is_inconclusive() -> None:
    measured = session(1.0)
    noisy = replace(measured, noise=measured.noise.assign(floor=1.3))
    verdict, reason = said(claim(0.9, 1.1), noisy)
    assert (verdict, "noise floor 1.3" in reason) == ("inconclusive", True)


def test_a_large_noise_floor_hides_an_effect() -> None:
    measured = session(1.2)
    noisy = replace(measured, noise=measured.noise.assign(floor=1.3))
    assert said(claim(low=1), noisy)[0] == "equivalent"
    assert said(claim(high=1), noisy)[0] == "equivalent"


def test_what_has_changed_since_is_stale() -> None:
    judged = judged_by([claim(low=1)], session(1.5), {"reference": "edited"})
    assert set(judged["verdict"]) == {"stale"}
    assert judged["reason"].str.endswith("it said: supported").all()


def test_a_profile_that_was_not_wholly_enforced_bears_no_claim_about_it() -> None:
    measured = session(1.5)
    lost = replace(measured, facts=measured.facts | {"profile_not_applied": {"disk": "no FUSE"}})
    verdict, reason = said(claim(low=1, profile="native"), lost)
    assert verdict == "not testable here"
    assert reason == "profile native was not wholly enforced (disk: no FUSE)"
    assert said(claim(low=1), lost)[0] == "supported"


def test_a_claim_about_a_profile_is_judged_by_its_session_and_no_other() -> None:
    first, server = session(1.5), session(0.5)
    server = replace(server, facts=server.facts | {"profile": "server"})
    both = replace(first, others=(server,))
    assert said(claim(low=1), both)[0] == "supported"
    assert said(claim(low=1, profile="native"), both)[0] == "supported"
    assert said(claim(low=1, profile="server"), both)[0] == "contradicted"


@pytest.mark.parametrize(
    ("about", "reason"),
    [
        ({"cell": None, "base": None, "not_testable": "another machine"}, "another machine"),
        ({"profile": "cpu1"}, "not measured yet under profile cpu1"),
        ({"cell": cell("v=c")}, "did not measure engine reference, workload work, variant v=c"),
        ({"scales": (2_000, 3_000)}, "no scale in 2,000 to 3,000 that all cells have"),
    ],
)
def test_what_cannot_be_tested_says_why(about: dict[str, Any], reason: str) -> None:
    verdict, why = said(claim(low=1, **about), session(1.5))
    assert (verdict, reason in why) == ("not testable here", True)


def test_without_a_session_what_could_be_tested_is_open() -> None:
    assert said(claim(low=1), None) == ("inconclusive", "no engine in this study yet")
    never = claim(cell=None, base=None, not_testable="another machine")
    assert said(never, None) == ("not testable here", "another machine")


def test_a_peer_that_was_refused_is_not_testable() -> None:
    refused = dict.fromkeys(range(12), ("refused", "verify: exit code 1"))
    cells = [
        planted.Simulated("work", "reference", "v=a", 1_000, {"time": 1e-6}),
        planted.Simulated("work", "peer", "v=a", 1_000, {"time": 1e-6}, failed=refused),
    ]
    about = claim(low=1, cell=cell("v=a", engine="peer"))
    expected = ("not testable here", "peer: refused: verify: exit code 1")
    assert said(about, session(1.0, cells=cells)) == expected


def test_growth_compares_two_scales_of_a_cell() -> None:
    small, large = SCALES
    cells = [
        planted.Simulated("work", "reference", "v=a", scale, {"time": scale * 1e-9}, cv=0.01)
        for scale in SCALES
    ]
    grown = claim(90, 110, cell=cell("v=a", large), base=cell("v=a", small))
    judged = judged_by([grown], session(1.0, cells=cells), HASHES)
    assert judged["scale"].tolist() == [large]
    assert judged["verdict"].tolist() == ["supported"]


def curve(power: float, cv: float = 0.01, sizes: int = 4) -> Session:
    """A session in which the cost of `v=a` grows with that power of the scale."""
    cells = [
        planted.Simulated("work", "reference", "v=a", size, {"time": 1e-9 * size**power}, cv=cv)
        for size in (1_000, 2_000, 4_000, 8_000)[:sizes]
    ]
    return session(1.0, cells=cells)


def exponent(low: float = -inf, high: float = inf, **about: Any) -> Claim:
    return claim(low, high, exponent=True, cell=cell("v=a"), base=None, **about)


@pytest.mark.parametrize(
    ("bounds", "power", "expected"),
    [
        ((0.9, 1.1), 1.0, "supported"),
        ((0.9, 1.1), 1.5, "contradicted"),
        ((0.9, 1.1), 0.5, "contradicted"),
        ((-inf, 0.1), 0.0, "supported"),
        ((-inf, 0.1), 0.5, "contradicted"),
        ((1.5, inf), 2.0, "supported"),
        ((1.5, inf), 1.0, "contradicted"),
        ((1.0, 1.1), 1.0, "inconclusive"),
    ],
)
def test_the_growth_over_the_scales_is_judged_by_its_exponent(
    bounds: tuple[float, float], power: float, expected: str
) -> None:
    judged = judged_by([exponent(*bounds)], curve(power), HASHES)
    assert judged["verdict"].tolist() == [expected]
    [row] = judged.to_dict("records")
    assert row["effect"] == pytest.approx(power, abs=0.02)
    assert row["ci_low"] < row["effect"] < row["ci_high"]
    assert (row["scale"], row["n"]) == (8_000, 12)


def test_an_exponent_near_its_bound_says_what_would_tell_in_exponents() -> None:
    verdict, reason = said(exponent(high=1.001), curve(1.0, cv=0.05))
    assert verdict == "inconclusive"
    assert "the interval holds the bound 1.001" in reason


def test_the_tolerance_of_an_exponent_is_a_difference() -> None:
    assert said(exponent(1.2, 1.6), curve(1.0))[0] == "contradicted"
    assert said(exponent(1.2, 1.6, tolerance=0.3), curve(1.0))[0] == "inconclusive"


@pytest.mark.parametrize(
    ("about", "sizes"), [({}, 3), ({"scales": (2_000, 8_000)}, 4)], ids=["session", "claim"]
)
def test_an_exponent_needs_four_scales(about: dict[str, Any], sizes: int) -> None:
    expected = ("not testable here", "this session measured 3 scales; an exponent needs 4")
    assert said(exponent(0.9, 1.1, **about), curve(1.0, sizes=sizes)) == expected


def test_a_noise_floor_wider_than_the_claimed_growth_is_inconclusive() -> None:
    measured = curve(1.0)
    noisy = replace(measured, noise=measured.noise.assign(floor=1.5))
    verdict, reason = said(exponent(0.9, 1.1), noisy)
    assert (verdict, "noise floor 1.5" in reason) == ("inconclusive", True)


@pytest.mark.parametrize(("high", "expected"), [(20, "supported"), (15, "contradicted")])
def test_a_claim_without_a_base_is_about_the_value(high: float, expected: str) -> None:
    about = claim(high=high, metric="wal_bytes_per_draw", base=None)
    measured = session(1.0, truth={"wal_bytes_per_draw": 16.4})
    assert said(about, measured)[0] == expected


def test_an_exact_counter_has_no_noise() -> None:
    about = claim(99, 101, metric="syncs", base=None)
    measured = session(1.0, truth={"syncs": 100})
    judged = judged_by([about], measured, HASHES)
    assert set(judged["verdict"]) == {"supported"}
    assert (judged["floor"] == 1).all()


def test_over_several_scales_a_contradiction_weighs_most() -> None:
    small, large = SCALES
    cells = [
        planted.Simulated("work", "reference", f"v={name}", scale, {"time": time}, cv=0.01)
        for scale, times in {small: (1e-6, 2e-6), large: (2e-6, 1e-6)}.items()
        for name, time in zip("ab", times, strict=True)
    ]
    judged = judged_by([claim(low=1)], session(1.0, cells=cells), HASHES)
    assert judged["verdict"].tolist() == ["supported", "contradicted"]
    assert judge.overall(judged).to_dict() == {("rewardpool", "claimed"): "contradicted"}


def test_most_nulls_are_called_equivalent() -> None:
    assert calibration.judged(effect=1.0, blocks=8, trials=1_000)["equivalent"] > 0.4
