"""The oldest Rust that is accepted can compile every crate that is locked."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from assay.system.tools import TOOLS

ROOT = Path(__file__).parents[2]
PACKAGES = sorted(path.with_name("Cargo.toml") for path in (ROOT / "engines").rglob("Cargo.lock"))


def numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def host() -> str:
    told = subprocess.check_output(["rustc", "-vV"], text=True)
    return re.search(r"^host: (.+)$", told, re.MULTILINE)[1]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.parent.name)
def test_the_oldest_rust_that_is_accepted_compiles_every_locked_crate(package: Path) -> None:
    """Cargo itself tells: each crate says in its manifest which Rust it needs."""
    told = subprocess.check_output(
        ["cargo", "metadata", "--locked", "--format-version=1", "--filter-platform", host()],
        cwd=package.parent,
        text=True,
    )
    crates = json.loads(told)["packages"]
    needed = {one["name"]: one["rust_version"] for one in crates if one["rust_version"]}
    newer = {n for n, least in needed.items() if numbers(least) > numbers(TOOLS["cargo"].least)}
    assert not newer
