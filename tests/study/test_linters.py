"""What needs Go or Rust to judge their sources; tests/unit/test_static.py has the other linters."""

import os
import shutil
import subprocess
from pathlib import Path

import installed
import pytest

from assay.engines import store
from assay.inputs import manifest

ROOT = Path(__file__).parents[2]
ENGINES = ROOT / "engines"
STATICCHECK = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"


def is_heavy(folder: Path) -> bool:
    path = folder / "engine.yaml"
    return path.exists() and manifest.load(path).weight == "heavy"


def folders(holding: str) -> list[str]:
    """Where files of that name lie below engines/, from the root of the checkout."""
    return sorted(path.parent.relative_to(ROOT).as_posix() for path in ENGINES.rglob(holding))


# To vet a module is to compile what it needs, which takes minutes for a heavy peer.
VETTED = [module for module in folders("go.mod") if not is_heavy(ROOT / module)]
CRATES = folders("Cargo.lock")


def check(*argv: str | Path, cwd: Path = ROOT, **env: str) -> str:
    done = subprocess.run(
        argv, cwd=cwd, env=os.environ | installed.GO | env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_there_are_modules_and_crates() -> None:
    assert "engines/rewardpool" in VETTED
    assert "engines/smt/peers/rustbench" in CRATES


def test_gofmt() -> None:
    assert check("gofmt", "-l", ".", cwd=ENGINES) == ""


@pytest.mark.parametrize("module", VETTED)
def test_go_vet(module: str) -> None:
    check("go", "vet", "./...", cwd=ROOT / module)


@pytest.fixture(scope="module")
def staticcheck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, built once; what it learns of a package it keeps for the next module."""
    folder = tmp_path_factory.mktemp("staticcheck")
    check("go", "install", STATICCHECK, GOBIN=str(folder))
    return folder / "staticcheck"


@pytest.mark.parametrize("module", VETTED)
def test_staticcheck(module: str, staticcheck: Path) -> None:
    check(staticcheck, "./...", cwd=ROOT / module)


def needs(subcommand: str) -> pytest.MarkDecorator:
    """Rust comes without its formatter and linter where it was installed in parts."""
    had = shutil.which("cargo") and subprocess.run(
        ["cargo", subcommand, "--version"], capture_output=True
    )
    missing = not had or had.returncode != 0
    return pytest.mark.skipif(missing, reason=f"no cargo {subcommand} on this machine")


@needs("fmt")
@pytest.mark.parametrize("crate", CRATES)
def test_rustfmt(crate: str) -> None:
    check("cargo", "fmt", "--all", "--check", cwd=ROOT / crate)


@needs("clippy")
@pytest.mark.parametrize("crate", CRATES)
def test_clippy(crate: str) -> None:
    installed.program("g++", "c++")  # for build scripts: the one of libFuzzer is C++
    options = ["--locked", "--all-targets", "--quiet", "--", "--deny", "warnings"]
    with store.cargo(Path(crate).parts[1]) as compiled:
        check("cargo", "clippy", *options, cwd=ROOT / crate, CARGO_TARGET_DIR=str(compiled))
