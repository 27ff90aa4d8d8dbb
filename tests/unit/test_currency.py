"""A run is current until a file changes that a timing can depend on."""

import json
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

import fakes
import pandas as pd
import pytest
import yaml

from assay.__main__ import main
from assay.analyse.session import TABLES
from assay.engines import currency
from assay.inputs import manifest
from assay.present.kit.evidence import Evidence
from assay.present.sections import report

ENGINES = fakes.ROOT / "engines"
PUBLISHED = {
    "acp": ["acp-core-2024", "acp-core-2025"],
    "ldp": ["lakesuperior-a17", "lakesuperior-a18", "lakesuperior-a21", "fcrepo-4-7-5"],
    "rewardpool": ["channel-text"],
    "smt": ["pokt-smt-v0-10", "pokt-smt-v0-14"],
    "transcode": ["envoy", "libprotobuf-3-21"],
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project whose committed run is current."""
    fakes.project(tmp_path, {"reference": 1, "slow": 2})
    home = tmp_path / "engines/fake"
    loaded = [manifest.load(path) for path in sorted(home.rglob("engine.yaml"))]
    engines = {one.name: {"hot_hash": manifest.hot_hash(one), "role": one.role} for one in loaded}
    told = {"commit": "0" * 40, "plan": {"engines": engines}, "other_sessions": []}
    for home, tier in ((currency.COMMITTED, "full"), (currency.REPRODUCTION, "published")):
        (tmp_path / home / "fake").mkdir(parents=True)
        (tmp_path / home / "fake/session.json").write_text(json.dumps(told | {"tier": tier}))
    return tmp_path


def session(root: Path, home: Path = currency.COMMITTED) -> dict[str, Any]:
    return dict(json.loads((root / home / "fake/session.json").read_text()))


def edit(path: Path, **changes: object) -> None:
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | changes, sort_keys=False))


def test_a_hot_file_makes_a_run_stale_and_nothing_else_does(root: Path) -> None:
    home = root / "engines/fake"
    (home / "notes.txt").write_text("an importer")
    edit(home / "engine.yaml", title="Another caption")
    recipe = yaml.safe_load((home / "engine.yaml").read_text())["build"]
    quoted = ["sh", "-c", 'cp replay.py "$0"', "{build}"]
    edit(home / "engine.yaml", build=recipe | {"command": quoted})
    assert not currency.stale(root, "fake", session(root))
    (home / "replay.py").write_text("print()")
    assert currency.stale(root, "fake", session(root)) == ["reference"]
    assert list(currency.committed(root)) == [
        "data/reference/fake/session.json: fake/reference: "
        "expected the hot files of commit 000000000000, found others"
    ]


def test_a_session_of_tier_published_is_of_the_published_systems(root: Path) -> None:
    """What they took stays what it is when the reference engine changes; that is told beside it."""
    told = session(root, currency.REPRODUCTION)
    (root / "engines/fake/replay.py").write_text("print()")
    assert currency.changed(root, "fake", told) == ["reference"]
    assert not currency.stale(root, "fake", told)
    edit(root / "engines/fake/peers/slow/engine.yaml", hot=["engine.yaml"])
    assert currency.stale(root, "fake", told) == ["slow"]
    assert [line.partition(":")[0] for line in currency.committed(root)] == [
        "data/reference/fake/session.json",
        "data/reference/fake/session.json",
        "data/reference/published/fake/session.json",
    ]


def test_sessions_of_other_profiles_count_and_so_do_engines_that_are_gone(root: Path) -> None:
    told = session(root)
    engines = {"gone": {"hot_hash": "1"}, "slow": {}}
    other = {"commit": "", "plan": {"engines": engines}}
    assert currency.stale(root, "fake", told | {"other_sessions": [other]}) == ["gone", "slow"]


def test_a_glob_after_an_exclamation_mark_takes_out_what_others_found(root: Path) -> None:
    path = root / "engines/fake/engine.yaml"
    for name in ("one.py", "one_test.py", "bench_test.py"):
        (path.parent / name).touch()
    edit(path, hot=["*.py", "!*_test.py", "bench_test.py"])
    names = [one.name for one in manifest.hot_sources(manifest.load(path))]
    assert names == ["bench_test.py", "one.py", "replay.py"]


@pytest.mark.parametrize("subsystem", PUBLISHED)
def test_the_reference_engine_is_no_part_of_a_published_system(
    subsystem: str, tmp_path: Path
) -> None:
    """Every file that belongs to the reference engine alone is changed in a copy."""
    made = shutil.ignore_patterns("__pycache__", "target")  # other tests may write there
    for folder in (subsystem, "gocommon"):
        shutil.copytree(ENGINES / folder, tmp_path / folder, ignore=made)
    home = tmp_path / subsystem
    reference = manifest.load(home / "engine.yaml")
    peers = [manifest.load(home / "peers" / name / "engine.yaml") for name in PUBLISHED[subsystem]]
    before = {one.name: manifest.hot_hash(one) for one in [reference, *peers]}
    shared = {"bench", "load", "httpbench", "third_party", "testdata", "gocommon"}
    for path in manifest.sources(reference):
        if not shared & set(path.relative_to(tmp_path).parts):
            path.write_bytes(path.read_bytes() + b"\n")
    after = {one.name: manifest.hot_hash(one) for one in [reference, *peers]}
    assert [name for name in before if before[name] != after[name]] == ["reference"]


def test_the_committed_run_tells_what_it_ran() -> None:
    for path in currency.sessions(fakes.ROOT):
        first = json.loads(path.read_text())
        assert first["committed"]
        for one in [first, *first["other_sessions"]]:
            for name, engine in one["plan"]["engines"].items():
                assert len(engine["hot_hash"]) == 16, f"{path}: {name}"


def test_a_stale_committed_run_is_named_in_what_the_tests_print() -> None:
    if stale := list(currency.committed(fakes.ROOT)):
        warnings.warn("\n".join(["the committed run is not current:", *stale]), stacklevel=1)


def test_a_release_needs_a_current_run(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    monkeypatch.setattr(sys, "argv", ["assay", "release-check"])
    main()
    assert capsys.readouterr().out == "data/reference is current\n"
    (root / "engines/fake/replay.py").write_text("print()")
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    assert capsys.readouterr().out.count("\n") == 1


def test_the_opening_of_a_report_names_what_is_stale(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = session(root) | {"key": "1", "tier": "full", "committed": True}
    none = pd.DataFrame()
    tables = (none,) * len(TABLES)
    evidence = Evidence(root / "data/reference/fake", told, *tables, others=())
    monkeypatch.setattr(report, "ROOT", root)
    assert len(report.stamps([evidence])) == 1
    (root / "engines/fake/replay.py").write_text("print()")
    assert report.stamps([evidence])[1].startswith(
        "Not current: files that timings of fake can depend on (reference"
    )
