"""Sessions that end by rule: for a precision or a time, after whole blocks, also after a kill.

And those that stop because they take too long.
"""

import re
from pathlib import Path
from typing import Any

import fakes
import numpy as np
import pytest

from assay.analyse import collect, estimates, ratios
from assay.inputs import study
from assay.measure import expected, plan, session, stopping
from assay.raw import shotlog
from assay.system import files

SLOW = 2.0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    fakes.project(tmp_path, {"reference": 1, "slow": SLOW})
    return tmp_path


def shots(blocks: int, cv: float = 0.01, took_s: float = 1.0) -> tuple[dict[str, Any], list[Any]]:
    """A plan and the lines of so many of its blocks, made up: two engines, one cell each."""
    random = np.random.default_rng(1)
    made = {
        "key": "k",
        "profile": "native",
        "subsystem": "fake",
        "tier": "standard",
        "engines": {"reference": {"role": "reference"}, "slow": {"role": "peer"}},
    }
    metrics = {"ns/op": fakes.metric("time", unit="s", factor=1e-9)}
    lines = [
        {
            "id": f"{block}-{slot}",
            "block": block,
            "slot": slot,
            "engine": engine,
            "arm": arm,
            "workload": "w",
            "variant": {},
            "scale": 10,
            "seed": 1,
            "harness": "gobench",
            "metrics": metrics,
            "status": "ok",
            "reason": "",
            "exit_code": 0,
            "wall_s": 1.0,
            "cpu_user_s": 1.0,
            "cpu_system_s": 0.0,
            "peak_rss_bytes": 1,
            "took_s": took_s,
            "started_at": "2026-01-01T00:00:00+00:00",
            "native": f"BenchmarkA 1 {100 * np.exp(cv * random.standard_normal())} ns/op",
        }
        for block in range(blocks)
        for slot, (engine, arm) in enumerate(
            [("reference", "A"), ("reference", "B"), ("slow", "A")]
        )
    ]
    return made, lines


def test_a_precision_is_met_when_nine_in_ten_cells_have_it() -> None:
    made, lines = shots(blocks=8)
    measurements = collect.measurements(made, lines, "")
    times = estimates.cells(measurements[measurements["metric"] == "time"])
    assert estimates.precise(times, 0.05) == (2, 2)
    assert stopping.reason(made | {"stop": {"precision": 0.05}}, 8, lines).startswith(
        "2 of 2 cells"
    )
    assert stopping.reason(made | {"stop": {"precision": 0.001}}, 8, lines) == ""


def test_no_precision_is_met_before_the_pilot_is_over() -> None:
    made, lines = shots(blocks=7)
    assert stopping.reason(made | {"stop": {"precision": 0.5}}, 7, lines) == ""


def test_cells_without_a_value_do_not_keep_a_session_going() -> None:
    made, lines = shots(blocks=8)
    failed = [line | {"status": "failed", "reason": "exit code 1"} for line in lines]
    rule = made | {"stop": {"precision": 0.05}}
    assert stopping.reason(rule, 8, failed) == "no shot succeeded"
    half = [bad if bad["engine"] == "slow" else ok for ok, bad in zip(lines, failed, strict=True)]
    assert stopping.reason(rule, 8, half).startswith("1 of 1 cells")


@pytest.mark.parametrize(("budget_s", "ends"), [(23, True), (24, False)])
def test_a_budget_ends_before_a_block_that_would_exceed_it(budget_s: int, ends: bool) -> None:
    made, lines = shots(blocks=7)
    reason = stopping.reason(made | {"stop": {"budget_s": budget_s}}, 7, lines)
    assert reason == ("one more block would exceed the budget of 23 s" if ends else "")


def test_the_pilot_says_how_many_blocks_an_effect_needs() -> None:
    made, lines = shots(blocks=8, cv=0.03, took_s=2.0)
    first, *said = stopping.outlook(made, 8, lines).splitlines()
    assert first == "After 8 blocks: to find a difference of"
    assert [line.split(" blocks")[0].split(": ")[0].strip() for line in said] == [
        "2 %",
        "5 %",
        "10 %",
    ]
    wanted = [int(line.split(": ")[1].split(" ")[0]) for line in said]
    assert wanted == sorted(wanted, reverse=True)
    assert said[0].endswith(plan.duration(wanted[0] * 6.0))


@pytest.mark.parametrize("effect", [0.02, 0.05, 0.5])
def test_what_is_needed_is_the_fewest_that_find_the_effect(effect: float) -> None:
    def finds(blocks: int) -> bool:
        error = 0.04 / blocks**0.5
        return ratios.standard_errors(blocks) * error <= np.log(1 + effect)

    wanted = stopping.needed(effect, spread=0.04)
    assert finds(wanted)
    assert wanted == 6 or not finds(wanted - 1)


def test_a_session_ends_by_rule_and_is_then_complete(root: Path, capsys: Any) -> None:
    made = fakes.made_plan(root, fakes.study(tier="standard", blocks={"precision": 0.3}))
    assert (made["blocks"], made["stop"]) == (study.MOST, {"precision": 0.3})
    assert "once 9 in 10 cells are known to ±30 %" in plan.describe(
        made, expected.shots_s(made, root)
    )
    folder = fakes.measured(root, made)
    assert "After 8 blocks: to find a difference of" in capsys.readouterr().out
    assert files.read_json(folder / "stopped.json")["blocks"] == 8
    lines = list(shotlog.read(folder / "shots.jsonl"))
    assert {line["block"] for line in lines} == set(range(8))
    assert files.read_json(root / "data" / "pointer.json")["shots"] == len(lines)
    before = (folder / "shots.jsonl").stat().st_mtime_ns
    assert (fakes.measured(root, made) / "shots.jsonl").stat().st_mtime_ns == before
    collect.collect([folder], root / "tidy")
    facts = files.read_json(root / "tidy" / "session.json")
    assert (facts["blocks"], facts["failed"]) == (8, 0)
    assert facts["stopped"] == "4 of 4 cells are known to ±30 %"


def test_a_session_killed_before_it_noted_its_end_goes_on_to_the_same_end(root: Path) -> None:
    made = fakes.made_plan(root, fakes.study(tier="standard", blocks={"budget": "1s"}))
    folder = fakes.measured(root, made)
    ended = files.read_json(folder / "stopped.json")
    log = (folder / "shots.jsonl").read_bytes()
    (folder / "stopped.json").unlink()
    assert fakes.measured(root, made) == folder
    assert files.read_json(folder / "stopped.json") == ended
    assert (folder / "shots.jsonl").read_bytes() == log


def test_a_session_killed_inside_of_a_block_completes_the_block(root: Path) -> None:
    made = fakes.made_plan(root, fakes.study(tier="standard", blocks={"budget": "1s"}))
    log = fakes.measured(root, made) / "shots.jsonl"
    (log.parent / "stopped.json").unlink()
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:-2]) + lines[-2][:100])
    fakes.measured(root, made)
    ended = shotlog.stopped(log.parent, made)
    assert ended["reason"] == "one more block would exceed the budget of 1 s"
    again = 2  # cells with exact counters, in the first block
    assert len(list(shotlog.read(log))) == ended["blocks"] * 6 + again
    assert session._is_complete(log, made)


def part(tier: str) -> dict[str, Any]:
    """A plan of two cells in three blocks."""
    planned = [
        {"id": f"{block}-{engine}", "engine": engine, "workload": "fill", "scale": 1000}
        | {"variant": {"trie": "smt"} if engine == "slow" else {}}
        for block in range(3)
        for engine in ("quick", "slow")
    ]
    return {"tier": tier, "shots": planned}


@pytest.mark.parametrize(
    ("tier", "each_s", "reason"),
    [
        ("published", 150, ""),
        ("published", 151, "stopped after 15 min, with 10 min expected"),
        ("full", 1000, ""),
    ],
)
def test_a_session_of_tier_published_stops_at_one_and_a_half_times_what_was_expected(
    tier: str, each_s: float, reason: str
) -> None:
    made = part(tier)
    expected = {shot["id"]: 100.0 for shot in made["shots"]}
    took = dict.fromkeys(expected, each_s)
    assert stopping.overdue(made, expected, took) == reason


def test_a_short_rest_of_a_session_is_not_stopped_for_one_slow_shot() -> None:
    made = part("published")
    assert stopping.overdue(made, {"2-slow": 1.0}, {"2-slow": stopping.LEAST_S}) == ""


def test_what_took_longest_beyond_its_own_estimate_is_told_first() -> None:
    made = part("published")
    expected = {shot["id"]: 600.0 if shot["engine"] == "slow" else 1.0 for shot in made["shots"]}
    took = {"0-quick": 30.0, "0-slow": 610.0, "1-quick": 31.0}
    assert stopping.slowest(made, expected, took) == [
        "  quick fill 1,000: 61 s, with 2 s expected",
        "  slow fill trie=smt 1,000: 10 min, with 10 min expected",
    ]
    assert stopping.slowest(made, expected, {"0-slow": 600.0}) == []


def test_a_session_that_takes_too_long_stops_says_so_and_can_go_on(
    root: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = fakes.made_plan(root, fakes.study(tier="published", blocks=2))
    with monkeypatch.context() as patch:
        patch.setattr(stopping, "LEAST_S", 0.0)
        patch.setattr(stopping, "OVERDUE", 0.001)
        folder = fakes.measured(root, made)
    told = capsys.readouterr().out
    why = re.search(r"^fake/native: (stopped after \d+ s, with \d+ s expected)", told, re.MULTILINE)
    assert why
    assert f"with `--forcerun {root}/data/pointer.json` goes on with the first missing shot" in told
    [line] = shotlog.read(folder / "shots.jsonl")
    assert line["id"] == made["shots"][0]["id"]
    pointer = files.read_json(root / "data" / "pointer.json")
    assert (pointer["shots"], pointer["failed"]) == (len(made["shots"]), len(made["shots"]) - 1)
    table, about = collect.session(folder)
    assert about["stopped"].startswith(why[1])
    missing = table[table["status"] == "failed"]
    assert set(missing["reason"]) == {about["stopped"]}

    table, about = collect.session(fakes.measured(root, made))
    assert (set(table["status"]), about["stopped"]) == ({"ok"}, "")
    assert "--forcerun" not in capsys.readouterr().out
