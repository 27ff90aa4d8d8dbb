"""How long a study takes is told before and while it runs."""

import os
from pathlib import Path

import fakes
import pandas as pd
import pytest

from assay.engines import build, store
from assay.inputs import manifest
from assay.measure.plan import OVERHEAD_S
from assay.pipeline import outlook
from assay.system import files, tools


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    fakes.project(tmp_path, {"reference": 1})
    return tmp_path


def test_a_session_takes_what_its_cells_took_here_or_elsewhere_and_else_what_manifests_say(
    root: Path,
) -> None:
    study = fakes.study("smoke", blocks=2)
    [engine] = manifest.discover(root, study, "fake")
    unknown = engine.benches[0].seconds + OVERHEAD_S
    assert outlook.session_s(study, "fake", "native", root) == pytest.approx(4 * unknown)
    begun = pd.Timestamp("2026-01-01", tz="UTC")
    rows = [
        {"engine": "reference", "workload": "replay", "variant": "", "scale": 1000}
        | {"profile": "native", "session": "s", "shot": f"{n}"}
        | {"started_at": begun + pd.Timedelta(seconds=7 * n)}
        for n in range(3)
    ]
    committed = root / "data" / "reference" / "fake"
    committed.mkdir(parents=True)
    pd.DataFrame(rows).to_parquet(committed / "measurements.parquet")
    expected = outlook.session_s(study, "fake", "native", root)
    assert expected == pytest.approx(28)
    assert outlook.session_s(study, "fake", "container", root) == pytest.approx(28)
    on_disk = outlook.session_s(study, "fake", "server-hdd", root)
    assert on_disk == pytest.approx(28 * outlook.NEW_DISK)


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
