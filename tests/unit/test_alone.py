"""What one engine alone has is told in the plan, and refused where it is a slip of the pen."""

from pathlib import Path
from typing import Any

import fakes
import pytest
import yaml

from assay.inputs import alone, manifest
from assay.inputs.validation import ConfigurationError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    fakes.project(tmp_path, {"reference": 1, "slow": 2})
    return tmp_path


def benches(root: Path, *changes: dict[str, Any]) -> None:
    """Give the peer a bench for each of these changes."""
    path = root / "engines/fake/peers/slow/engine.yaml"
    value = yaml.safe_load(path.read_text())
    value["benches"] = [value["benches"][0] | change for change in changes]
    path.write_text(yaml.safe_dump(value))


def problems(root: Path) -> list[str]:
    try:
        manifest.discover(root, fakes.study(), "fake")
    except ConfigurationError as error:
        return [problem.partition(": ")[2] for problem in error.problems]
    return []


@pytest.mark.parametrize("name", ["replays", "repaly", "rplay", "rerplay", "repl"])
def test_a_workload_that_is_nearly_anothers_is_refused(root: Path, name: str) -> None:
    benches(root, {"workload": name})
    assert problems(root) == [
        "workload: expected one that another engine has, such as replay, or both here;"
        f" found {name}, which no other has"
    ]


def test_a_variant_key_that_is_nearly_anothers_is_refused(root: Path) -> None:
    path = root / "engines/fake/engine.yaml"
    value = yaml.safe_load(path.read_text())
    value["benches"][0]["variants"] = {"store": "a"}
    path.write_text(yaml.safe_dump(value))
    benches(root, {"variants": {"stroe": "a"}})
    [problem] = problems(root)
    assert problem.startswith("variant key: expected one that another engine has, such as store")


@pytest.mark.parametrize(
    ("size", "refused"),
    [(100_000, True), (10_001, True), (1_000_000, False), (2_500, False), (10, False)],
)
def test_a_scale_of_a_peer_that_is_nearly_anothers_is_refused(
    root: Path, size: int, refused: bool
) -> None:
    benches(root, {"scales": {"smoke": [1000], "full": [size]}})
    wanted = "scale of replay: expected one that another engine has, such as 10000, or both here;"
    told = [f"{wanted} found {size}, which no other has"]
    assert problems(root) == (told if refused else [])


@pytest.mark.parametrize("name", ["draw", "recover", "replay_all", "rep"])
def test_another_name_is_no_slip(root: Path, name: str) -> None:
    benches(root, {"workload": name})
    assert problems(root) == []


def test_an_engine_may_mean_both(root: Path) -> None:
    benches(root, {}, {"workload": "replays"})
    assert problems(root) == []
    benches(root, {"scales": {"smoke": [], "full": []}}, {"workload": "replays"})
    assert problems(root) == []


def plan(**engines: list[tuple[str, dict[str, Any], int]]) -> dict[str, Any]:
    shots = [
        {"engine": engine, "workload": workload, "variant": variant, "scale": scale}
        for engine, cells in engines.items()
        for workload, variant, scale in cells
    ]
    return {"engines": dict.fromkeys(engines), "shots": shots}


def test_the_plan_tells_what_is_compared_with_nothing() -> None:
    one = [("get", {"how": "one"}, 10), ("get", {"how": "one"}, 1000), ("put", {}, 10)]
    two = [("get", {"model": "a"}, 10), ("fill", {"trie": "b"}, 20)]
    assert alone.told(plan(one=one, two=two)) == [
        "  one: scale 1,000 of get, variant key how of get, workload put",
        "  two: variant key model of get, workload fill",
    ]
    assert alone.told(plan(one=one, two=one)) == []
    assert alone.told(plan(one=one)) == []
