"""What a study takes is told before its first minute; nothing of it is done."""

from collections.abc import Callable
from pathlib import Path

import fakes
import pytest
import yaml

from assay.engines import build, store
from assay.inputs import manifest
from assay.pipeline import doctor
from assay.system import files, tools
from assay.system.tools import Tool

MISSING = Tool(("no-such-tool", "--version"), "1", "2")
THERE = Tool(("echo", "1.5"), "1", "2")

Told = Callable[..., str]


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(doctor, "_answers", lambda name: name == "npm")
    monkeypatch.setattr(tools, "may_install", lambda: False)
    fakes.project(tmp_path, {"reference": 1, "slower": 2})

    def report(begins: bool = True, **changes: Tool) -> str:
        for name, tool in changes.items():
            monkeypatch.setitem(tools.TOOLS, name, tool)
        lines, can_begin = doctor.report(fakes.study(), tmp_path)
        assert can_begin == begins
        return "\n".join(lines)

    return report


def name_tools(root: Path, engine: str, *names: str) -> None:
    path = root / engine / "engine.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | {"tools": list(names)}))


def test_a_study_that_can_begin(told: Told) -> None:
    said = told()
    assert "tier smoke: fake; 1 reference engines, 1 peers" in said
    assert "2 builds 60 s" in said
    assert "Sessions fake/native        1 s" in said
    assert "Tools    0 of 0 are here" in said
    assert "not asked: no build is left by cargo, go, npm" in said


def test_a_build_that_is_kept_takes_neither_time_nor_disk(told: Told, tmp_path: Path) -> None:
    for engine in manifest.discover(tmp_path, fakes.study(), "fake"):
        kept = store.home() / "builds/fake" / engine.name / build.key(engine, tools.versions([]))
        files.write_json(kept / "build.json", {"seconds": 1})
    assert "0 builds 1 s" in told()


def test_what_a_reference_engine_lacks_is_named_with_what_there_is_without(
    told: Told, tmp_path: Path
) -> None:
    name_tools(tmp_path, "engines/fake", "cmake")
    said = told(begins=False, cmake=MISSING)
    assert "no cmake (1 or newer, before 2): cannot be installed here" in said
    assert "Without them no subsystem of this study can be measured." in said


def test_a_peer_that_this_machine_cannot_have_is_left_out(told: Told, tmp_path: Path) -> None:
    name_tools(tmp_path, "engines/fake/peers/slower", "cmake")
    said = told(cmake=MISSING)
    assert "1 reference engines, 0 peers" in said
    assert "left out: fake/slower" in said


def test_what_the_first_step_installs_stops_nothing(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "may_install", lambda: True)
    name_tools(tmp_path, "engines/fake", "cmake")
    said = told(cmake=Tool(MISSING.ask, "1", "2", ("cmake",)))
    assert "no cmake (1 or newer, before 2): the first step installs it" in said
    assert "this process may install packages" in said


def test_the_network_is_asked_for_what_is_to_be_built(told: Told, tmp_path: Path) -> None:
    name_tools(tmp_path, "engines/fake", "go", "npm")
    name_tools(tmp_path, "engines/fake/peers/slower", "cargo")
    said = told(go=THERE, npm=THERE, cargo=MISSING)
    assert "go: no answer from its registry" in said
    assert "npm: its registry answers" in said
    assert "cargo: builds" not in said  # of a peer that is left out


def test_a_full_disk_is_told(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "BUILD_BYTES", 10**18)
    assert "that is not enough" in told()
