"""Tiers: what the default selects of the cells of tier full, and what smoke takes."""

from math import isnan
from pathlib import Path
from typing import Any

import fakes
import pytest
import yaml

from assay import published
from assay.analyse import arms
from assay.inputs import manifest, printed, study, tiers
from assay.inputs.validation import ConfigurationError
from assay.inputs.variant import variant_string
from assay.present import subsystems
from assay.present.sections.reproduced import Counterpart
from assay.tables.rows import Row

SUBSYSTEMS = ["rewardpool", "smt", "acp", "transcode", "ldp"]

study_of = study.load
DEFAULT = study_of(yaml.safe_load((fakes.ROOT / "config/study.yaml").read_text()))

RULE = {"workload": "replay"}

NEVER = [{"scales": [7], "reason": "there is none"}]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    fakes.project(tmp_path, {"reference": 1, "slow": 2, "twin": 1})
    return tmp_path


def measured(root: Path, profile: str = "native", **study: Any) -> set[tuple[str, int]]:
    wanted = fakes.study(**{"tier": "standard", "peers": "tier"} | study)
    selections = tiers.load(root, "fake")
    return {
        (engine.name, scale)
        for engine in manifest.discover(root, wanted, "fake")
        for _, _, scale in tiers.cells(engine, wanted, selections, profile)
    }


def test_the_default_measures_its_selection_of_its_peers(root: Path) -> None:
    fakes.select(root, cells=[RULE | {"scales": [10000]}])
    assert measured(root) == {("reference", 10000), ("slow", 10000)}
    assert measured(root, peers="none") == {("reference", 10000)}
    assert measured(root, peers="all") == {(n, 10000) for n in ("reference", "slow", "twin")}
    assert len(measured(root, tier="full")) == 6


def test_a_rule_can_name_its_engines_and_a_profile_its_rules(root: Path) -> None:
    fakes.select(
        root,
        cells=[RULE | {"engines": ["reference"]}],
        profiles={"server-hdd": [RULE | {"scales": [1000]}]},
    )
    assert measured(root) == {("reference", 1000), ("reference", 10000)}
    assert measured(root, profile="server-hdd") == {("reference", 1000), ("slow", 1000)}


def test_a_subsystem_that_is_not_named_is_measured_as_in_full(root: Path) -> None:
    (root / tiers.FOLDER / "standard.yaml").write_text("{}")
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
            {"profiles": {"native": [RULE | {"variant": {"size": 1}}]}},
            "fake.profiles.native[0].variant.size: expected one that full measures there, nearest",
        ),
        (
            {"fewer_blocks": [{"blocks": 1, "cells": [RULE, RULE | {"engines": ["slaw"]}]}]},
            "fake.fewer_blocks[0].cells[1].engines: expected one that full measures there, nearest",
        ),
        (
            {"profiles": {"server-hd": [RULE]}},
            "fake.profiles.server-hd: expected a file below config/hardware/, without .yaml,",
        ),
        ({"cells": []}, "fake.cells: expected a list of rules, found []"),
        ({"profiles": {}, "cells": [RULE], "not_yet": NEVER}, "fake.not_yet: expected a printed"),
    ],
)
def test_what_selects_nothing_is_named(root: Path, about: Any, problem: str) -> None:
    fakes.select(root, **about)
    with pytest.raises(ConfigurationError) as error:
        measured(root)
    [told] = error.value.problems
    assert told.startswith(f"{root / tiers.FOLDER}")
    assert problem in told


@pytest.mark.parametrize("subsystem", SUBSYSTEMS)
def test_smoke_takes_one_cell_an_engine_and_harness(subsystem: str) -> None:
    study = fakes.study(subsystems=[subsystem], peers="tier")
    for engine in manifest.discover(fakes.ROOT, study, subsystem):
        found = [bench.harness for bench, _, _ in tiers.cells(engine, study, {}, "native")]
        assert len(found) == len(set(found)) > 0, engine.name


@pytest.mark.parametrize(
    ("subsystem", "profile"),
    [(name, profile) for name in SUBSYSTEMS for profile in DEFAULT.profiles_of(name)],
)
def test_a_session_of_the_default_has_cells_enough_to_tell_its_noise(
    subsystem: str, profile: str
) -> None:
    [reference] = [
        engine
        for engine in manifest.discover(fakes.ROOT, DEFAULT, subsystem)
        if engine.role == "reference"
    ]
    found = tiers.cells(reference, DEFAULT, tiers.load(fakes.ROOT, subsystem), profile)
    assert len(list(found)) >= arms.LEAST


@pytest.fixture
def report(root: Path) -> Path:
    """The published report of the fake subsystem; the cells that answer it are named in place."""
    (root / tiers.FOLDER / "published.yaml").write_text(
        yaml.safe_dump({"fake": {"peers": ["slow"]}})
    )
    path = root / printed.FOLDER / "fake.csv"
    path.parent.mkdir(parents=True)
    return path


def prints(report: Path, *rows: str) -> None:
    head = "section,row,column,value,workload,metric,variant,scale"
    report.write_text("\n".join([head, *rows, ""]))


def test_published_measures_what_is_printed_and_nothing_else(root: Path, report: Path) -> None:
    prints(report, "S,r,time,1,replay,time,,10000", "S,r,share,1,,,,", "S,q,time,1,other,time,,")
    assert measured(root, tier="published") == {("reference", 10000), ("slow", 10000)}


def test_a_cost_an_operation_has_the_printed_iterations_as_scale(root: Path, report: Path) -> None:
    prints(report, "S,r,Iterations,10000,,,,", "S,r,time,1,replay,time,,")
    assert measured(root, tier="published") == {("reference", 10000), ("slow", 10000)}
    prints(report, "S,r,time,1,replay,time,,")
    printed.cells.cache_clear()
    assert len(measured(root, tier="published")) == 4  # at every size that the manifests name


def test_a_scale_that_is_not_yet_measured_is_left_out(root: Path, report: Path) -> None:
    about = {"peers": [], "not_yet": [{"scales": [10000], "reason": "takes days"}]}
    (root / tiers.FOLDER / "published.yaml").write_text(yaml.safe_dump({"fake": about}))
    prints(report, *(f"S,r{scale},time,1,replay,time,,{scale}" for scale in (1000, 10000)))
    assert measured(root, tier="published") == {("reference", 1000)}
    assert tiers.load(root, "fake")["published"].not_yet == {10000: "takes days"}


def test_what_another_machine_prints_is_measured_under_its_profile_alone(
    root: Path, report: Path
) -> None:
    about = {"peers": [], "machines": [{"section": "Server", "profile": "server-hdd"}]}
    (root / tiers.FOLDER / "published.yaml").write_text(yaml.safe_dump({"fake": about}))
    prints(report, "A Server,r,time,1,replay,time,,1000", "S,r,time,1,replay,time,,10000")
    assert measured(root, tier="published") == {("reference", 10000)}
    assert measured(root, tier="published", profile="laptop") == {("reference", 10000)}
    assert measured(root, tier="published", profile="server-hdd") == {("reference", 1000)}


def test_the_printed_cells_of_the_server_are_those_of_its_profile() -> None:
    """Listed by hand from the report, with what it prints "not measured" of."""
    published_tier = study_of(
        yaml.safe_load((fakes.ROOT / "config/study.yaml").read_text()) | {"tier": "published"}
    )
    selections = tiers.load(fakes.ROOT, "ldp")
    found = {
        engine.name: {
            (bench.workload, variant_string(variant), scale)
            for bench, variant, scale in tiers.cells(
                engine, published_tier, selections, "published-server"
            )
        }
        for engine in manifest.discover(fakes.ROOT, published_tier, "ldp")
    }
    put = ("put", "connection=new,durability={}", 10000)
    both = {("start", "", 10000), ("get_parent", "format=turtle", 10000)}
    more = {("sparql_count", "cache=warm", 10000), ("py_get_parent", "as=imr", 10000)}
    fast, safe = ({(put[0], put[1].format(word), put[2])} for word in ("bg", "sync"))
    assert found == {
        "reference": both | more | fast | safe,
        "fcrepo-4-7-5": both | fast,
        "lakesuperior-a17": both | more | safe,
        "lakesuperior-a18": both | more | safe,
    }


def test_a_tier_that_selects_nothing_is_an_error(root: Path, report: Path) -> None:
    prints(report, "S,r,n,1,,,,")
    with pytest.raises(ConfigurationError, match="fake: expected cells, or numbers that are print"):
        measured(root, tier="published")
    (root / tiers.FOLDER / "published.yaml").write_text("{}")
    (root / tiers.FOLDER / "standard.yaml").write_text(yaml.safe_dump({"fake": {"peers": []}}))
    with pytest.raises(ConfigurationError, match="fake: expected cells, found none"):
        measured(root)


@pytest.mark.parametrize("subsystem", SUBSYSTEMS)
def test_published_answers_every_printed_number_by_the_system_that_it_is_of(subsystem: str) -> None:
    """Or by what stands in for that system; those at scales that are not yet measured apart.

    What another machine answers is measured under the profile that stands for it.
    """
    settings = yaml.safe_load((fakes.ROOT / "config/study.yaml").read_text())
    study = study_of(settings | {"subsystems": [subsystem], "tier": "published"})
    selections = tiers.load(fakes.ROOT, subsystem)
    cells = {
        (profile, engine.name, bench.workload, variant_string(variant), scale)
        for engine in manifest.discover(fakes.ROOT, study, subsystem)
        for profile in study.profiles_of(subsystem)
        for bench, variant, scale in tiers.cells(engine, study, selections, profile)
    }

    numbers = published.read(subsystem)
    rows = numbers.to_dict("records")
    counts = {
        (row["section"], row["row"]): row["value"]
        for row in rows
        if row["column"].lower() == "iterations"
    }

    def answers(one: Counterpart, row: Row) -> bool:
        profile = selections["published"].profile_of(row["section"]) or "native"
        place = (profile, one.of(row), row["workload"], row[one.variant])
        scales = {cell[4] for cell in cells if cell[:4] == place}
        # A cost an operation has no scale, but for the iterations where they are printed.
        told = row["scale"]
        if isnan(told):
            told = counts.get((row["section"], row["row"]), min(scales, default=told))
        return told in scales

    for part in selections["published"].machines:
        assert any(part in row["section"] for row in rows), part
    unanswered = [
        (row["row"], row["column"], row["scale"])
        for table in subsystems.named(subsystem).printed.values()
        for row in table.holds(numbers).to_dict("records")
        if row["metric"] and row["scale"] not in selections["published"].not_yet
        if not any(one.compared and answers(one, row) for one in table.answers)
    ]
    assert unanswered == []
