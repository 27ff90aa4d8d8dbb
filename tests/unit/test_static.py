"""Formatters, linters and type checkers that only read; over everything that is ours."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENGINES = ROOT / "engines"
NO_CONDA = "Specify a conda environment or container for each rule."
SCRIPTS = ["run", ".ci/run", "engines/gates", "tests/empty-debian"]


def check(*argv):
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "argv",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["snakefmt", "--check", "Snakefile", "workflow"],
        ["shellcheck", "--severity=warning", *SCRIPTS],
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


def test_clang_format():
    sources = sorted(path for end in ("cc", "h") for path in ENGINES.rglob(f"*.{end}"))
    assert sources
    check("clang-format", "--dry-run", "--Werror", "--style=file", *map(str, sources))
