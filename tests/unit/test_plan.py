"""Plans hold complete, seeded, shuffled blocks and do not depend on the machine."""

from collections import Counter
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import fakes
import pytest

from assay.inputs.validation import ConfigurationError
from assay.inputs.variant import Variant, variant_string
from assay.measure import expected, plan
from assay.raw import shotlog
from assay.raw.records import Plan

OK = {"status": "ok", "reason": "", "source_hash": "0123456789abcdef"}
LEFT_OUT = {"status": "left out", "reason": "no python3.7", "source_hash": "1"}
FAILED = {"status": "failed", "reason": "exit code 1\nno compiler", "source_hash": "0"}
GOOD = {"reference": OK, "slow": OK}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    fakes.project(tmp_path, {"reference": 1, "slow": 2})
    return tmp_path


def make(root: Path, builds: Any = GOOD, verifications: Any = GOOD, **study: Any) -> Plan:
    made = fakes.study(**{"tier": "standard"} | study)
    return plan.make(made, "fake", "native", builds, verifications, root)


def test_every_block_holds_every_cell_once_and_the_arm_of_the_reference(root: Path) -> None:
    made = make(root, blocks=5)
    for block in range(1, 5):
        shots = [shot for shot in made["shots"] if shot["block"] == block]
        assert [shot["slot"] for shot in shots] == list(range(6))
        cells = [(engine, "A", size) for engine in ("reference", "slow") for size in (1000, 10000)]
        assert Counter((s["engine"], s["arm"], s["scale"]) for s in shots) == Counter(
            [*cells, ("reference", "B", 1000), ("reference", "B", 10000)]
        )
    assert len({shot["id"] for shot in made["shots"]}) == len(made["shots"]) == 32


def test_cells_with_exact_counters_run_twice_in_the_first_block(root: Path) -> None:
    """As arm C, with the same seed, those that do not run twice in every block."""
    shots = make(root, blocks=3)["shots"]
    again = [shot for shot in shots if shot["arm"] == "C"]
    assert sorted((s["block"], s["engine"], s["scale"]) for s in again) == [
        (0, "slow", 1000),
        (0, "slow", 10000),
    ]
    seeds = {(s["block"], s["engine"], s["scale"], s["seed"]) for s in shots if s["arm"] == "A"}
    assert {(s["block"], s["engine"], s["scale"], s["seed"]) for s in again} < seeds
    assert "C" not in {shot["arm"] for shot in make(root, tier="smoke")["shots"]}
    for path in (root / "engines/fake").rglob("engine.yaml"):
        path.write_text(path.read_text().replace("exact: true", "exact: false"))
    assert "C" not in {shot["arm"] for shot in make(root)["shots"]}


def test_a_cell_of_which_a_tier_runs_fewer_blocks_runs_in_the_first(root: Path) -> None:
    """Without the A/A arm: its counters are compared by arm C."""
    seldom = {"blocks": 1, "cells": [{"workload": "replay", "scales": [10000]}]}
    fakes.select(root, fewer_blocks=[seldom])
    shots = make(root, blocks=3)["shots"]
    counted = Counter((s["block"], s["arm"]) for s in shots if s["scale"] == 10000)
    assert counted == {(0, "A"): 2, (0, "C"): 2}
    assert Counter(s["arm"] for s in shots if s["scale"] == 1000) == {"A": 6, "B": 3, "C": 1}


def test_the_arms_of_a_cell_differ_in_nothing_that_the_shot_is_given(root: Path) -> None:
    b, _ = [shot for shot in make(root, blocks=1)["shots"] if shot["arm"] == "B"]
    places = ("id", "slot", "padding", "arm")
    [a] = [
        shot
        for shot in make(root, blocks=1)["shots"]
        if (shot["engine"], shot["scale"], shot["arm"]) == (b["engine"], b["scale"], "A")
    ]
    assert {k: v for k, v in a.items() if k not in places} == {
        k: v for k, v in b.items() if k not in places
    }


def test_blocks_are_shuffled_by_the_seed(root: Path) -> None:
    def order(made: dict[str, Any]) -> list[list[Any]]:
        rows = [[s["block"], s["engine"], s["arm"], s["scale"]] for s in made["shots"]]
        return [[row[1:] for row in rows if row[0] == block] for block in range(8)]

    first = order(make(root, blocks=8))
    assert first == order(make(root, blocks=8))
    assert first != order(make(root, blocks=8, seed=2))
    assert len({str(block) for block in first}) > 4


def test_what_is_compared_stands_side_by_side(root: Path) -> None:
    for block in range(8):
        shots = [shot for shot in make(root, blocks=8)["shots"] if shot["block"] == block]
        sizes = [size for size, _ in groupby(shots, key=itemgetter("scale"))]
        assert sorted(sizes) == [1000, 10000]


def test_all_engines_get_the_same_input_in_a_block_and_another_one_in_the_next(root: Path) -> None:
    seeds = {(s["block"], s["scale"], s["seed"]) for s in make(root, blocks=3)["shots"]}
    assert len(seeds) == len({seed for *_, seed in seeds}) == 3 * 2
    others = {shot["seed"] for shot in make(root, seed=2, blocks=3)["shots"]}
    assert others.isdisjoint(seed for *_, seed in seeds)


def test_the_key_is_the_hash_of_the_plan(root: Path, tmp_path_factory: Any) -> None:
    made = make(root)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    fakes.project(elsewhere, {"reference": 1, "slow": 2})
    assert make(elsewhere) == made
    assert shotlog.key(made) == made["key"]
    changed = GOOD | {"slow": OK | {"source_hash": "f"}}
    keys = {
        made["key"],
        make(root, seed=2)["key"],
        make(root, tier="smoke")["key"],
        make(root, blocks=4)["key"],
        make(root, builds=changed)["key"],
    }
    assert len(keys) == 5


def test_the_key_is_what_it_was(root: Path) -> None:
    """Raw data is found by it: who changes it measures everything again, and raises the version."""
    assert shotlog.VERSION == 3
    assert make(root)["key"] == "bcf081b70c394f0e"
    rule = make(root, builds=GOOD | {"slow": LEFT_OUT}, blocks={"precision": 0.02})
    assert rule["key"] == "fc740deadef7fbdf"


def test_the_words_of_a_failure_do_not_make_another_plan(root: Path) -> None:
    def failed(words: str) -> Plan:
        reason = f"exit code 1\n{words}"
        return make(root, verifications=GOOD | {"slow": FAILED | {"reason": reason}})

    first, second = failed("FAIL in 1.2 s"), failed("FAIL in 1.3 s")
    assert first["key"] == second["key"] == shotlog.key(second)
    assert second["engines"]["slow"]["reason"].endswith("FAIL in 1.3 s")
    assert first["key"] != make(root)["key"]


def test_commands_keep_what_only_the_machine_knows(root: Path) -> None:
    shot = make(root)["shots"][0]
    assert "{build}/replay.py" in shot["argv"]
    assert f"--scale={shot['scale']}" in shot["argv"]
    assert f"--seed={shot['seed']}" in shot["argv"]
    assert set(shot["env"].values()) == {"{threads}"}
    assert str(root) not in str(shot)


def test_an_engine_that_failed_keeps_its_shots_and_is_refused(root: Path) -> None:
    made = make(root, builds=GOOD | {"slow": FAILED})
    assert made["engines"]["slow"]["status"] == "refused"
    assert made["engines"]["slow"]["reason"] == "the build failed: exit code 1\nno compiler"
    assert len(made["shots"]) == len(make(root)["shots"])
    gate = make(root, verifications=GOOD | {"slow": FAILED})["engines"]["slow"]
    assert gate["reason"].startswith("the correctness gate failed: exit code 1")
    absent = make(root, verifications={"reference": OK})["engines"]["slow"]
    assert absent["status"] == "refused"


def test_a_plan_is_told_to_people(root: Path) -> None:
    made = make(root, builds=GOOD | {"slow": FAILED}, blocks=200)
    assert plan.describe(made, expected.shots_s(made, root)).splitlines() == [
        f"Plan {made['key']}: fake, profile native, tier standard, seed 1",
        "200 blocks, 1202 shots, about 3 min on a quiet machine",
        "2 of 2 cells of the reference engine run twice in a block, as the A/A arm",
        "2 cells with exact counters run twice in the first block, to compare these",
        "",
        "Engines",
        "  reference: Replay",
        "  slow: Replay 1 - refused: the build failed: exit code 1",
        "",
        "Workloads",
        "  replay: Replay of scripted times; 4 cells, operations 1,000, 10,000; about 3 min",
    ]


@pytest.mark.parametrize(
    ("variant", "text"),
    [
        ({}, ""),
        ({"a": 1}, "a=1"),
        ({"wal": "mmap", "commit": 10, "x": 0.5}, "commit=10,wal=mmap,x=0.5"),
    ],
)
def test_a_variant_has_one_text(variant: Variant, text: str) -> None:
    assert variant_string(variant) == text


def test_durations_are_for_people() -> None:
    shown = [plan.duration(s) for s in (0, 89, 95, 3599, 3900)]
    assert shown == ["0 s", "89 s", "2 min", "1 h 00 min", "1 h 05 min"]


def test_a_profile_is_checked(root: Path) -> None:
    path = root / "config" / "hardware" / "native.yaml"
    path.write_text("name: laptop\ntitle: A laptop\nthreads: some\n")
    with pytest.raises(
        ConfigurationError, match=r'threads: expected "all" or a whole number from 1'
    ):
        make(root)
    path.write_text("name: laptop\ntitle: A laptop\nthreads: all\n")
    with pytest.raises(ConfigurationError, match=r'name: expected native, found "laptop"'):
        make(root)


def test_a_peer_that_the_machine_cannot_have_has_no_shots_and_its_reason_is_told(
    root: Path,
) -> None:
    made = make(root, builds=GOOD | {"slow": LEFT_OUT})
    assert {shot["engine"] for shot in made["shots"]} == {"reference"}
    assert list(made["engines"]) == ["reference"]
    assert made["left_out"] == {"slow": {"title": "Replay", "reason": "no python3.7"}}
    assert "  slow: Replay - left out: no python3.7" in plan.describe(
        made, expected.shots_s(made, root)
    )


def test_the_toolchain_is_that_of_the_builds_of_the_engines(root: Path) -> None:
    builds = {
        "reference": OK | {"toolchain": {"python": "3.11", "go": "1.26"}},
        "slow": LEFT_OUT | {"toolchain": {"python": "3.11", "python3.7": ""}},
    }
    assert make(root, builds=builds)["toolchain"] == {"go": "1.26", "python": "3.11"}
