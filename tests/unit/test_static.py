"""Formatters, linters and type checkers that only read; over everything that is ours."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import installed
import pytest

ROOT = Path(__file__).parents[2]
ENGINES = ROOT / "engines"
NO_CONDA = "Specify a conda environment or container for each rule."
SCRIPTS = ["run", ".ci/run", "engines/gates", "tests/empty-debian"]


SOURCES = sorted(str(path) for end in ("cc", "h") for path in ENGINES.rglob(f"*.{end}"))
CHECKS = {
    "mypy": ["mypy"],
    "snakemake --lint": ["snakemake", "--lint"],
    "snakefmt": ["snakefmt", "--check", "Snakefile", "workflow"],
    "clang-format": ["clang-format", "--dry-run", "--Werror", "--style=file", *SOURCES],
    "shellcheck": ["shellcheck", "--severity=warning", *SCRIPTS],
    "ruff": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
}
"""The longest first: they run side by side."""


def run(argv: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True)


def check(*argv: str | Path) -> str:
    done = run(argv)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


Checked = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def checked() -> Iterator[Checked]:
    """Name of a check to what its command did, which is waited for."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        started = {name: pool.submit(run, argv) for name, argv in CHECKS.items()}
        yield lambda name: started[name].result()


@pytest.mark.parametrize("name", [name for name in CHECKS if name != "snakemake --lint"])
def test_a_check_finds_nothing(checked: Checked, name: str) -> None:
    done = checked(name)
    assert done.returncode == 0, done.stdout + done.stderr


def test_snakemake_lint(checked: Checked) -> None:
    linted = checked("snakemake --lint")
    # The environment is the project's: a rule needs none of its own.
    found = set(re.findall(r"^ +\* (.+):$", linted.stderr, re.MULTILINE))
    assert found == {NO_CONDA}, linted.stderr


REGISTRIES = {
    "08d54e49cb09",
    "10d08ae2bdb8",
    "424c13648d66",
    "4ff05e3c263b",
    "57f4f2e8349b",
    "69349591c3b9",
    "9382ada03b54",
    "954ad027ab96",
    "a4aa2ac280bb",
    "aa4b1b703f57",
    "d37937ad5ec2",
    "f01c5863bec3",
}
"""Two labels of the host of each registry, digested: this file, too, names none."""

LOCKS = ["uv.lock", "*/Cargo.lock", "*/package-lock.json", "*/go.sum"]


@cache
def is_registry(pair: str) -> bool:
    return sha256(pair.encode()).hexdigest()[:12] in REGISTRIES


def registries(text: str) -> list[str]:
    """The registries that a text names."""
    hosts = set(re.findall(r"(?<![\w-])[\w-]++(?:\.[\w-]++)+", text))
    pairs = {f"{one}.{two}" for host in hosts for one, two in pairwise(host.split("."))}
    return [pair for pair in pairs if is_registry(pair)]


def test_no_registry_is_named_outside_of_lock_files() -> None:
    """Where packages come from is a setting of the machine."""
    git = [installed.program("git", "git"), "ls-files", "-zco", "--exclude-standard", "--", "."]
    listed = check(*git, *(f":!{lock}" for lock in LOCKS)).split("\0")
    texts = {name: (ROOT / name).read_bytes() for name in listed if (ROOT / name).is_file()}
    assert len(texts) > 1000
    named = {
        name: found
        for name, text in texts.items()
        if b"\0" not in text and (found := registries(text.decode(errors="replace")))
    }
    assert named == {}


def test_a_registry_that_is_named_is_found() -> None:
    lock = (ROOT / "uv.lock").read_text(encoding="utf-8")
    assert len(registries(lock)) == 2
