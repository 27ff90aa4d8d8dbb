"""Formatters, linters and type checkers, over everything that is ours."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ENGINES = ROOT / "engines"
MODULES = sorted(path.parent.relative_to(ROOT).as_posix() for path in ENGINES.rglob("go.mod"))
STATICCHECK = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"
NO_CONDA = "Specify a conda environment or container for each rule."


def check(*argv, cwd=ROOT):
    done = subprocess.run(argv, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "argv",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["snakefmt", "--check", "Snakefile", "workflow"],
        ["shellcheck", "--severity=warning", "run", ".ci/run"],
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


@pytest.mark.parametrize("module", MODULES)
def test_go_vet(module):
    check("go", "vet", "./...", cwd=ROOT / module)


@pytest.mark.parametrize("module", MODULES)
def test_staticcheck(module):
    check("go", "run", STATICCHECK, "./...", cwd=ROOT / module)
