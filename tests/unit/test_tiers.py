"""Tiers: what the default selects of the cells of tier full, and what smoke takes."""

from pathlib import Path
from typing import Any

import fakes
import pytest
import yaml

from assay.inputs import manifest, tiers
from assay.inputs.validation import ConfigurationError

SUBSYSTEMS = ["rewardpool", "smt", "acp", "transcode", "ldp"]

RULE = {"workload": "replay"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    fakes.project(tmp_path, {"reference": 1, "slow": 2, "twin": 1})
    return tmp_path


def written(root: Path, **about: Any) -> None:
    value = {"fake": {"peers": ["slow"], "cells": [RULE]} | about}
    (root / tiers.FILE).write_text(yaml.safe_dump(value))


def measured(root: Path, profile: str = "native", **study: Any) -> set[tuple[str, int]]:
    wanted = fakes.study(**{"tier": "standard", "peers": "tier"} | study)
    selection = tiers.load(root, "fake")
    return {
        (engine.name, scale)
        for engine in manifest.discover(root, wanted, "fake")
        for _, _, scale in tiers.cells(engine, wanted, selection, profile)
    }


def test_the_default_measures_its_selection_of_its_peers(root: Path) -> None:
    written(root, cells=[RULE | {"scales": [10000]}])
    assert measured(root) == {("reference", 10000), ("slow", 10000)}
    assert measured(root, peers="none") == {("reference", 10000)}
    assert measured(root, peers="all") == {(n, 10000) for n in ("reference", "slow", "twin")}
    assert len(measured(root, tier="full")) == 6


def test_a_rule_can_name_its_engines_and_a_profile_its_rules(root: Path) -> None:
    written(
        root,
        cells=[RULE | {"engines": ["reference"]}],
        profiles={"server-hdd": [RULE | {"scales": [1000]}]},
    )
    assert measured(root) == {("reference", 1000), ("reference", 10000)}
    assert measured(root, profile="server-hdd") == {("reference", 1000), ("slow", 1000)}


def test_a_subsystem_that_is_not_named_is_measured_as_in_full(root: Path) -> None:
    (root / tiers.FILE).write_text("{}")
    assert measured(root) == measured(root, tier="full")


@pytest.mark.parametrize(
    ("about", "problem"),
    [
        ({"peers": ["slaw"]}, "fake.peers[0]: expected a peer, nearest 'slow', found 'slaw'"),
        (
            {"cells": [{"workload": "reply"}]},
            "fake.cells[0].workload: expected one that full measures, nearest 'replay', found",
        ),
        (
            {"cells": [RULE | {"engines": ["twim"]}]},
            "fake.cells[0].engines: expected one that full measures there, nearest 'twin', found",
        ),
        (
            {"cells": [RULE | {"scales": [1001]}]},
            "fake.cells[0].scales: expected one that full measures there, nearest '1000', found",
        ),
        (
            {"profiles": {"edge": [RULE | {"variant": {"size": 1}}]}},
            "fake.profiles.edge[0].variant.size: expected one that full measures there, nearest",
        ),
        ({"cells": []}, "fake.cells: expected a list of rules, found []"),
    ],
)
def test_what_selects_nothing_is_named(root: Path, about: Any, problem: str) -> None:
    written(root, **about)
    with pytest.raises(ConfigurationError) as error:
        measured(root)
    [told] = error.value.problems
    assert told.startswith(f"{root / tiers.FILE}")
    assert problem in told


@pytest.mark.parametrize("subsystem", SUBSYSTEMS)
def test_smoke_takes_one_cell_an_engine_and_harness(subsystem: str) -> None:
    study = fakes.study(subsystems=[subsystem], peers="tier")
    for engine in manifest.discover(fakes.ROOT, study, subsystem):
        found = [bench.harness for bench, _, _ in tiers.cells(engine, study, None, "native")]
        assert len(found) == len(set(found)) > 0, engine.name
