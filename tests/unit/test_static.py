"""Formatters, linters and type checkers, over everything that is ours."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from assay import manifest

ROOT = Path(__file__).parents[2]
ENGINES = ROOT / "engines"


def is_heavy(folder):
    path = folder / "engine.yaml"
    return path.exists() and manifest.load(path).weight == "heavy"


MODULES = sorted(path.parent.relative_to(ROOT).as_posix() for path in ENGINES.rglob("go.mod"))
# To vet a module is to compile what it needs, which takes minutes for a heavy peer.
VETTED = [module for module in MODULES if not is_heavy(ROOT / module)]
CRATES = sorted(path.parent.relative_to(ROOT).as_posix() for path in ENGINES.rglob("Cargo.lock"))
STATICCHECK = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"
NO_CONDA = "Specify a conda environment or container for each rule."


def check(*argv, cwd=ROOT, env=None):
    done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "argv",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["snakefmt", "--check", "Snakefile", "workflow"],
        ["shellcheck", "--severity=warning", "run", ".ci/run", "engines/gates"],
    ],
    ids=" ".join,
)
def test_python_snakemake_and_shell(argv):
    check(*argv)


def test_snakemake_lint():
    linted = subprocess.run(["snakemake", "--lint"], cwd=ROOT, capture_output=True, text=True)
    # The environment is the project's: a rule needs none of its own.
    found = set(re.findall(r"^ +\* (.+):$", linted.stderr, re.MULTILINE))
    assert found == {NO_CONDA}, linted.stderr


def test_there_are_go_modules():
    assert "engines/rewardpool" in MODULES


def test_gofmt():
    assert check("gofmt", "-l", ".", cwd=ENGINES) == ""


@pytest.mark.parametrize("module", VETTED)
def test_go_vet(module):
    check("go", "vet", "./...", cwd=ROOT / module)


@pytest.fixture(scope="module")
def staticcheck(tmp_path_factory):
    """The program, built once; what it learns of a package it keeps for the next module."""
    folder = tmp_path_factory.mktemp("staticcheck")
    check("go", "install", STATICCHECK, env=os.environ | {"GOBIN": str(folder)})
    return folder / "staticcheck"


@pytest.mark.parametrize("module", VETTED)
def test_staticcheck(module, staticcheck):
    check(staticcheck, "./...", cwd=ROOT / module)


def test_clang_format():
    sources = sorted(path for end in ("cc", "h") for path in ENGINES.rglob(f"*.{end}"))
    assert sources
    check("clang-format", "--dry-run", "--Werror", "--style=file", *map(str, sources))


def needs(subcommand):
    """Rust comes without its formatter and linter where it was installed in parts."""
    had = shutil.which("cargo") and subprocess.run(
        ["cargo", subcommand, "--version"], capture_output=True
    )
    missing = not had or had.returncode != 0
    return pytest.mark.skipif(missing, reason=f"no cargo {subcommand} on this machine")


def test_there_are_crates():
    assert "engines/smt/peers/rustbench" in CRATES


@needs("fmt")
@pytest.mark.parametrize("crate", CRATES)
def test_rustfmt(crate):
    check("cargo", "fmt", "--all", "--check", cwd=ROOT / crate)


@needs("clippy")
@pytest.mark.parametrize("crate", CRATES)
def test_clippy(crate):
    options = ["--locked", "--all-targets", "--quiet", "--target-dir", ROOT / ".tools" / "cargo"]
    check("cargo", "clippy", *options, "--", "--deny", "warnings", cwd=ROOT / crate)
