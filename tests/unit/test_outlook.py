"""How long a study takes is told before and while it runs."""

import os
from pathlib import Path

import fakes
import pytest

from assay.engines import build, store
from assay.inputs import manifest
from assay.pipeline import outlook
from assay.system import files, tools


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    fakes.project(tmp_path, {"reference": 1})
    return tmp_path


def test_a_build_takes_what_it_took_before_and_nothing_when_it_is_kept(root: Path) -> None:
    [engine] = manifest.discover(root, fakes.study(), "fake")
    versions = tools.versions(tools.of(engine))
    assert outlook.build_s(engine, versions) == outlook.BUILD_S
    kept = store.home() / "builds" / "fake" / "reference"
    files.write_json(kept / "0" / "build.json", {"seconds": 12.5})
    assert outlook.build_s(engine, versions) == 12.5
    assert outlook.gate_s(engine, versions) == outlook.GATE_S
    files.write_json(kept / build.key(engine, versions) / "build.json", {"seconds": 12.5})
    assert outlook.build_s(engine, versions) == outlook.KEPT_S


def test_a_table_of_times_has_a_line_for_each_name() -> None:
    assert outlook.table({"acp/native": 5208.0, "ldp/published-server": 40.0}) == [
        "acp/native           1 h 27 min",
        "ldp/published-server       40 s",
    ]
    assert outlook.table({}) == []


def test_what_is_done_what_comes_and_what_is_left_is_one_line(root: Path) -> None:
    names = ["engine of fake/reference", "session of fake/native", "report of fake"]
    steps = [outlook.Step(name, str(root / name[:3]), 100.0) for name in names]
    stale = root / "ses"
    stale.touch()
    os.utime(stale, (1, 1))  # of an earlier run
    listed = root / "steps.json"
    outlook.write(steps, listed)
    assert outlook.left(listed).startswith("assay: 0 of 3 steps; engine of fake/reference next;")
    (root / "eng").touch()
    assert outlook.left(listed) == (
        "assay: 1 of 3 steps; session of fake/native next; about 3 min left"
    )
    stale.touch()
    (root / "rep").touch()
    assert outlook.left(listed) == "assay: 3 of 3 steps"
