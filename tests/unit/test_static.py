"""Formatters, linters and type checkers that only read; over everything that is ours."""

import re
import subprocess
from pathlib import Path

import installed
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


REGISTRIES = [
    *(("pypi", "org"), ("files", "pythonhosted"), ("index", "crates"), ("static", "crates")),
    *(("registry", "npmjs"), ("registry", "yarnpkg"), ("proxy", "golang"), ("sum", "golang")),
    *(("repo", "maven"), ("repo1", "maven"), ("deb", "debian"), ("deb", "nodesource")),
]
LOCKS = ["uv.lock", "*/Cargo.lock", "*/package-lock.json", "*/go.sum"]


def test_no_registry_is_named_outside_of_lock_files():
    """Where packages come from is a setting of the machine."""
    names = "|".join(rf"\b{one}\.{two}\b" for one, two in REGISTRIES)
    git = [installed.program("git", "git"), "grep", "--untracked", "-InE", names, "--", "."]
    found = subprocess.run(
        [*git, *(f":!{lock}" for lock in LOCKS)], cwd=ROOT, capture_output=True, text=True
    )
    assert (found.returncode, found.stdout) == (1, ""), found.stderr
