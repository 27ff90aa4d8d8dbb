"""Exact counters: what varies fails its cell; who counts otherwise than others is refused."""

from typing import Any

import fakes
import pytest

from assay.analyse import agreement

ROLES = {"reference": "reference", "one": "peer", "two": "peer"}


def shot(number: int, engine: str, value: float, **changes: Any) -> dict[str, Any]:
    """A shot, read, that counted `value`."""
    return {
        "id": f"00-{number:04}",
        "engine": engine,
        "workload": "fill",
        "variant": {"trie": "smt"},
        "scale": 10,
        "seed": 7,
        "status": "ok",
        "reason": "",
        "metrics": {"root": fakes.metric("root", exact=True, agree=True)},
        "values": {"root": value},
    } | changes


def statuses(shots: list[dict[str, Any]]) -> list[str]:
    return [shot["status"] for shot in agreement.held(shots, ROLES)]


def test_a_counter_that_varies_fails_all_of_its_cell_and_no_other() -> None:
    """The shots of another seed count something else; they are of the same cell, and fail, too."""
    shots = [shot(i, "reference", value) for i, value in enumerate([3, 3, 4])]
    later = shot(3, "reference", 6, seed=8)
    other = [shot(4, "reference", 5, scale=20), shot(5, "one", 6, seed=8)]
    assert statuses([*shots[:2], later, *other]) == ["ok"] * 5
    held = agreement.held([*shots, later, *other], ROLES)
    assert [one["status"] for one in held] == ["failed"] * 4 + ["ok"] * 2
    reason = "exact counter root of reference varies: 3 in shot 00-0000, 4 in 00-0002"
    assert {one["reason"] for one in held[:4]} == {reason}


def test_a_counter_that_is_not_exact_may_vary() -> None:
    metrics = {"root": fakes.metric("root")}
    assert statuses([shot(i, "one", i, metrics=metrics) for i in range(2)]) == ["ok", "ok"]


def test_an_engine_that_disagrees_is_refused_with_all_of_its_shots() -> None:
    shots = [shot(0, "one", 4), shot(1, "reference", 3), shot(2, "two", 3)]
    elsewhere = shot(3, "one", 9, workload="get", scale=20)
    held = agreement.held([*shots, elsewhere], ROLES)
    assert [one["status"] for one in held] == ["refused", "ok", "ok", "refused"]
    assert held[0]["reason"] == held[3]["reason"]
    assert held[0]["reason"] == (
        "one disagrees with reference in root of fill trie=smt at 10: expected 3, found 4"
    )


@pytest.mark.parametrize(("values", "status"), [((3, 3), "ok"), ((3, 4), "refused")])
def test_without_the_reference_engine_nobody_knows_who_is_right(
    values: tuple[int, int], status: str
) -> None:
    shots = [shot(0, "one", values[0]), shot(1, "two", values[1])]
    assert statuses(shots) == [status] * 2


def test_engines_of_another_seed_variant_or_scale_need_not_agree() -> None:
    changes = [{"seed": 8}, {"scale": 20}, {"variant": {"trie": "smst"}}, {"workload": "get"}]
    for change in changes:
        assert statuses([shot(0, "reference", 3), shot(1, "one", 4, **change)]) == ["ok", "ok"]


def test_what_failed_is_not_heard_and_keeps_its_reason() -> None:
    failed = shot(0, "one", 4, status="failed", reason="why")
    varies = [shot(1, "two", 4), shot(2, "two", 5)]
    held = agreement.held([failed, *varies, shot(3, "reference", 3)], ROLES)
    assert [one["status"] for one in held] == ["failed", "failed", "failed", "ok"]
    assert held[0] == failed
