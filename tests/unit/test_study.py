"""The study is checked key by key, and the one that is shipped is valid."""

import json
from pathlib import Path

import fakes
import pytest
import yaml

from assay.inputs import study
from assay.inputs.validation import ConfigurationError

SHIPPED = yaml.safe_load((fakes.ROOT / "config" / "study.yaml").read_text())


def problems(**changes: object) -> list[str]:
    with pytest.raises(ConfigurationError) as error:
        study.load(SHIPPED | changes)
    return list(error.value.problems)


def test_the_shipped_study_is_valid() -> None:
    loaded = study.load(SHIPPED)
    assert loaded.blocks == SHIPPED["blocks"][SHIPPED["tier"]]
    assert study.load(json.loads(loaded.settings)) == loaded


def test_a_subsystem_can_have_more_profiles_than_the_others() -> None:
    more = {**SHIPPED["more_profiles"], SHIPPED["tier"]: {"smt": ["container", "native"]}}
    loaded = study.load({**SHIPPED, "profiles": ["native"], "more_profiles": more})
    assert loaded.profiles_of("smt") == ("native", "container")
    assert loaded.profiles_of("acp") == ("native",)


def test_settings_do_not_depend_on_the_order_of_keys() -> None:
    reordered = dict(reversed(SHIPPED.items()))
    assert study.load(reordered).settings == study.load(SHIPPED).settings


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("tier", "large", 'tier: expected one of smoke, standard, full, published, found "large"'),
        ("seed", -1, "seed: expected a whole number from 0, found -1"),
        ("seed", True, "seed: expected a whole number from 0, found true"),
        ("colour", 1, "colour: expected one of subsystems, tier, profiles,"),
        ("subsystems", [], "subsystems: expected a list of folder names below engines/, found []"),
        ("profiles", ["../x"], "profiles[0]: expected a file name of letters, digits and dashes,"),
        (
            "more_profiles",
            SHIPPED["more_profiles"] | {"full": {"smt": ["../x"]}},
            "more_profiles.full.smt[0]: expected a file name of letters, digits and dashes,",
        ),
        ("exclude", ["wal"], 'exclude[0]: expected a peer as subsystem/peer, found "wal"'),
        (
            "blocks",
            {"smoke": 3, "standard": 8, "published": 8},
            "blocks.full: expected a whole number from 1",
        ),
        ("blocks", SHIPPED["blocks"] | {"smoke": 0}, "blocks.smoke: expected a whole number from"),
        *(
            ("blocks", SHIPPED["blocks"] | {"full": wrong}, "blocks.full: expected a whole number")
            for wrong in (
                {"precision": 0.05, "budget": "10min"},
                {"precision": 5},
                {"budget": "ten minutes"},
                {},
            )
        ),
        (
            "blocks",
            SHIPPED["blocks"] | {"smoke": {"precision": 0.1}},
            "blocks.smoke: expected a whole number from 1, found",
        ),
    ],
)
def test_a_wrong_key_is_named(key: str, value: object, problem: str) -> None:
    [found] = problems(**{key: value})
    assert found.startswith(f"config/study.yaml: {problem}")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("tier: large", "tier: expected one of smoke, standard, full, published, found"),
        ("exclude: [wal]", "exclude[0]: expected a peer as subsystem/peer"),
        ("colour: red", "colour: expected one of subsystems, tier,"),
        (
            "blocks: {smoke: 3, standard: 8, published: 8}",
            "blocks.full: expected a whole number from 1, or",
        ),
    ],
)
def test_what_the_file_says_is_named_with_its_line(
    line: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = line.partition(":")[0]
    kept = {name: value for name, value in SHIPPED.items() if name != key}
    path = tmp_path / "config" / "study.yaml"
    path.parent.mkdir()
    path.write_text(f"# A study.\n\n{line}\n{yaml.safe_dump(kept)}")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError) as error:
        study.load(yaml.safe_load(path.read_text()))
    [told] = error.value.problems
    assert told.startswith(f"config/study.yaml:3: {problem}")


def test_what_the_command_line_changed_has_no_line() -> None:
    assert problems(tier="large")[0].startswith("config/study.yaml: tier: expected")


@pytest.mark.parametrize(
    ("wanted", "stop"),
    [
        (12, {}),
        ({"precision": 0.05}, {"precision": 0.05}),
        ({"budget": "90s"}, {"budget_s": 90}),
        ({"budget": "10min"}, {"budget_s": 600}),
        ({"budget": "2h"}, {"budget_s": 7200}),
    ],
)
def test_a_tier_may_ask_for_a_precision_or_a_budget(wanted: object, stop: object) -> None:
    loaded = study.load(SHIPPED | {"tier": "full", "blocks": SHIPPED["blocks"] | {"full": wanted}})
    assert loaded.stop == stop
    assert loaded.blocks == (study.MOST if stop else wanted)


def test_all_problems_are_told_at_once() -> None:
    assert len(problems(tier=1, seed="x", peers="some")) == 3
