"""What a bench is compiled from stands in `hot`, so that a change of it makes a run stale."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.inputs import manifest

ROOT = Path(__file__).parents[2]
ENGINES = ROOT / "engines"
MODULES = [
    path.parent.relative_to(ROOT)
    for path in sorted(ENGINES.rglob("engine.yaml"))
    if (path.parent / "go.mod").exists()
]
INPUT = {ENGINES / "gocommon/meter", ENGINES / "gocommon/seed"}
"""The packages that every bench in Go measures with, beside what the folders of benches hold."""

GATES = {
    ENGINES / "acp/peers/acpcore/agree.go",
    ENGINES / "rewardpool/peers/channel-text/pool_test.go",
}
"""Sources of test programs that only a gate runs."""


def imported(folder: Path) -> Iterator[Path]:
    """The sources of this project from which go compiles the test program of a package."""
    kinds = ["GoFiles", "SFiles", "TestGoFiles", "XTestGoFiles"]
    fields = f"-json=Dir,ImportPath,{','.join(kinds)}"
    command = ["go", "list", "-deps", "-test", fields, "."]
    text = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    decoder, at = json.JSONDecoder(), 0
    while at < len(text.rstrip()):
        package: dict[str, Any]
        package, at = decoder.raw_decode(text, at)
        at += 1  # the line feed behind it
        place = Path(package["Dir"])
        if place.is_relative_to(ENGINES):
            names = kinds if place == folder else kinds[:2]
            files = [Path(name) for kind in names for name in package.get(kind, [])]
            yield from (place / name for name in files if not name.is_absolute())  # or go made it


def of_the_peer(path: Path) -> bool:
    """Whether a peer's timing can depend on it; else only its gate compares with the reference."""
    parts = path.relative_to(ENGINES).parts[:-1]
    return "peers" in parts or "bench" in parts or path.parent in INPUT


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_what_a_bench_in_go_imports_is_hot(module: Path) -> None:
    engine = manifest.load(ROOT / module / "engine.yaml")
    peer = engine.role == "peer"
    found = set(imported(ROOT / module / ("." if peer else "bench")))
    wanted = set(filter(of_the_peer, found)) if peer else found
    assert wanted
    found = {*manifest.hot_sources(engine)} | GATES
    missing = {str(path.relative_to(ROOT)) for path in wanted - found}
    assert not missing
