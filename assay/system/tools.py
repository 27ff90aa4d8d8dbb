"""The tools that engines are built and run with: their versions, ranges and Debian's packages.

A manifest names those of its engine. They are asked for their versions, which are recorded with
the run; those that are missing are installed once, before the first build, where that is allowed.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.system import files

if TYPE_CHECKING:
    from assay.inputs.manifest import Manifest


@dataclass(frozen=True)
class Tool:
    """`ask` prints the version, which is accepted from `least` on and before `below`.

    `packages` are Debian's names of what it comes in ("a|b": the first that there is); `group` is
    that of pyproject.toml which brings it into the environment that `run` made.
    """

    ask: Sequence[str]
    least: str
    below: str
    packages: Sequence[str] = ()
    group: str = ""


def _library(name: str, least: str, below: str, *packages: str) -> Tool:
    return Tool(("pkg-config", "--modversion", name), least, below, ("pkg-config", *packages))


# By running it: a version manager's shim exists also where its Python does not.
_PYTHON37 = """
for python in python3.7 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.7.*/bin/python3.7 \
  "$(uv python find 3.7)"; do
  "$python" -c 'import ensurepip, platform; print(platform.python_version())' | grep '^3.7' && exit
done
"""
_BOOST = "echo BOOST_LIB_VERSION | g++ -E -P -x c++ -include boost/version.hpp - | tr _ ."
# With what fuzzing links: a package of its own.
_CLANG = """
echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, long) { return 0; }' |
  clang++ -fsanitize=fuzzer,address,undefined -x c++ - -o /dev/null && clang++ -dumpversion
"""

TOOLS: Mapping[str, Tool] = {
    "boost": Tool(("sh", "-c", _BOOST), "1.74", "2", ("libboost-dev",)),
    "cargo": Tool(("cargo", "--version"), "1.90", "2", ("cargo-web|cargo",)),
    "cc": Tool(("cc", "-dumpfullversion"), "12", "20", ("gcc", "libc6-dev")),
    "clang": Tool(("sh", "-c", _CLANG), "14", "20", ("clang", "libclang-rt-dev")),
    "clippy": Tool(("cargo", "clippy", "--version"), "0.1", "1", ("rust-web-clippy|rust-clippy",)),
    "cmake": Tool(("cmake", "--version"), "3.25", "5", ("cmake",)),
    "curl": Tool(("curl", "--version"), "7.88", "9", ("curl",)),
    "g++": Tool(("g++", "-dumpfullversion"), "12", "20", ("g++",)),
    "go": Tool(("go", "version"), "1.26", "2", group="go"),  # Debian's is older
    "gtest": _library("gmock", "1.12", "2", "libgtest-dev", "libgmock-dev"),
    "hyperfine": Tool(("hyperfine", "--version"), "1.15", "2", ("hyperfine",)),
    "javac": Tool(("javac", "--version"), "17", "26", ("default-jdk-headless",)),
    "libnghttp2": _library("libnghttp2", "1.52", "2", "libnghttp2-dev"),
    "libprotobuf": _library("protobuf", "3.21", "8", "libprotobuf-dev"),
    "libprotobuf-3.21": _library("protobuf", "3.21", "3.22", "libprotobuf-dev"),
    "mvn": Tool(("mvn", "--version"), "3.8", "5", ("maven",)),
    "ninja": Tool(("ninja", "--version"), "1.11", "2", ("ninja-build",)),
    "nlohmann_json": _library("nlohmann_json", "3.11", "4", "nlohmann-json3-dev"),
    "node": Tool(("node", "--version"), "18", "27", ("nodejs",)),
    "npm": Tool(("npm", "--version"), "8", "13", ("npm",)),
    "openssl": _library("openssl", "3", "4", "libssl-dev"),
    "openssl-command": Tool(("openssl", "version"), "3", "4", ("openssl",)),
    "pkg-config": Tool(("pkg-config", "--version"), "0.29", "3", ("pkg-config",)),
    "protoc": Tool(("protoc", "--version"), "3.21", "40", ("protobuf-compiler",)),
    "python3.7": Tool(("sh", "-c", _PYTHON37), "3.7", "3.8"),  # no Debian has it any more
    "rustc": Tool(("rustc", "--version"), "1.90", "2", ("rustc-web|rustc",)),
    "rustfmt": Tool(("rustfmt", "--version"), "1", "2", ("rustfmt-web|rustfmt",)),
    "zlib": _library("zlib", "1.2", "2", "zlib1g-dev"),
}


def needed(engines: Iterable["Manifest"]) -> dict[str, list[str]]:
    """The tools of these engines, sorted, each with the names of the engines that need it."""
    reasons: dict[str, list[str]] = {}
    for engine in engines:
        for tool in of(engine):
            reasons.setdefault(tool, []).append(f"{engine.subsystem}/{engine.name}")
    return dict(sorted(reasons.items()))


def of(engine: "Manifest") -> set[str]:
    """What the manifest names, and what its harnesses are run with."""
    harnesses = {bench.harness for bench in engine.benches}
    return {*engine.tools, *({"hyperfine"} & harnesses)}


def versions(names: Iterable[str]) -> dict[str, str]:
    """Tool name to version; "" where it is missing. Python is the one that this runs on."""
    listed = sorted(names)
    with ThreadPoolExecutor() as pool:
        asked = pool.map(lambda name: _version(TOOLS[name].ask), listed)
        installed = dict(zip(listed, asked, strict=True))
    return {"python": platform.python_version()} | installed


def fault(name: str, version: str) -> str:
    """What is wrong with a version of a tool, in words; "" when it will do."""
    tool = TOOLS[name]
    wanted = f"{tool.least} or newer, before {tool.below}"
    if not version:
        return f"no {name} ({wanted})"
    if _numbers(tool.least) <= _numbers(version) < _numbers(tool.below):
        return ""
    return f"{name}: expected {wanted}, found {version}"


def faults(engine: "Manifest", installed: Mapping[str, str]) -> list[str]:
    """What an engine lacks of `installed`, tool name to version."""
    told = (fault(name, installed[name]) for name in sorted(of(engine)))
    return [words for words in told if words]


def recorded(engine: "Manifest", installed: Mapping[str, str]) -> dict[str, str]:
    """The versions that an engine's build and shots depend on."""
    return {name: installed[name] for name in ["python", *sorted(of(engine))]}


def packages(names: Iterable[str]) -> list[str]:
    """Debian's packages of these tools, each once, with its alternatives."""
    return list(dict.fromkeys(package for name in names for package in TOOLS[name].packages))


def may_install() -> bool:
    """Whether this process may install Debian's packages."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def installable(name: str) -> bool:
    """Whether the first step that needs a tool installs it here."""
    tool = TOOLS[name]
    return (bool(tool.packages) and may_install()) or (bool(tool.group) and _uv().exists())


def provide(reasons: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The versions of these tools, after those that are missing were installed.

    A tool is mapped to those who need it: they are named when it is missing.
    """
    installed = versions(reasons)
    lacking = [name for name in reasons if fault(name, installed[name])]
    for name in lacking:
        print(f"{fault(name, installed[name])}: needed by {', '.join(reasons[name])}", flush=True)
    if lacking and _install(lacking):
        installed |= versions(lacking)
    return installed


def record(engines: Iterable["Manifest"], required: Sequence["Manifest"], path: Path) -> None:
    """Write the versions of the engines' tools to `path`, after those missing were installed.

    LookupError when one of the `required` engines lacks a tool.
    """
    installed = provide(needed(engines))
    if refused := refusal(required, installed):
        raise LookupError(refused)
    files.write_json(path, installed)


def refusal(required: Sequence["Manifest"], installed: Mapping[str, str]) -> str:
    """Why the study cannot begin: what its required engines lack, and what there is without it.

    "" when they lack nothing. Any other engine that lacks something is left out instead.
    """
    reasons = needed(required)
    lacking = [name for name in reasons if fault(name, installed[name])]
    if not lacking:
        return ""
    short = {engine.subsystem for engine in required if faults(engine, installed)}
    without = dict.fromkeys(e.subsystem for e in required if e.subsystem not in short)
    debian = " ".join(package.partition("|")[0] for package in packages(lacking))
    return "\n".join(
        [
            "Tools are missing that this machine may not install, or has not in these versions:",
            *(f"  {fault(n, installed[n])}: needed by {', '.join(reasons[n])}" for n in lacking),
            *([f"Have them installed (Debian: apt-get install {debian})"] if debian else []),
            "or make them with conda: conda env create -f env.yml && conda activate assay",
            f"Without them there is: --config 'subsystems=[{','.join(without)}]'"
            if without
            else "Without them no subsystem of this study can be measured.",
        ]
    )


def _version(ask: Sequence[str]) -> str:
    try:
        done = subprocess.run(ask, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    match = re.search(r"\d+(\.\d+)+", done.stdout)
    return match[0] if match else ""


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def _install(names: Sequence[str]) -> bool:
    """Install what there is of these tools; tell whether that was tried."""
    chosen = [name for name in names if installable(name)]
    for group in filter(None, (TOOLS[name].group for name in chosen)):
        _bring(group)
    if wanted := packages(chosen):
        from assay.system import debian

        debian.install(wanted)
    return bool(chosen)


def _uv() -> Path:
    """The uv that `run` made the environment with; there is none in one of conda."""
    return Path(sys.prefix).parent / ".tools" / "uv" / "bin" / "uv"


def _bring(group: str) -> None:
    """Add a group of pyproject.toml to this environment. What fails, the versions tell afterwards.

    The programs of a package lie in its folder `bin`: those of Go are no programs of Python.
    """
    import fcntl

    command = [str(_uv()), "sync", "-q", "--locked", "--inexact", "--group", group]
    print(f"+ uv sync --group {group}", flush=True)
    environment = os.environ | {"UV_PYTHON_DOWNLOADS": "never", "UV_SYSTEM_CERTS": "1"}
    prefix = Path(sys.prefix)
    with (prefix.parent / ".tools" / "lock").open("w") as turn:  # that of `run`
        fcntl.flock(turn, fcntl.LOCK_EX)
        subprocess.run(command, cwd=prefix.parent, env=environment, check=False)
        for program in prefix.glob(f"lib/python*/site-packages/{group}/bin/*"):
            made = prefix / "bin" / f"{program.name}.new"
            made.unlink(missing_ok=True)
            made.symlink_to(program)
            made.replace(prefix / "bin" / program.name)
