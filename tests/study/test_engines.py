"""The complete suite of every engine, and the tests of code that several share.

A suite that passed is kept by content, as builds and gates are: where none of its files and tools
changed since, it is not run again. test_smoke.py has the short gates; most peers' are all their
tests.
"""

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterator
from pathlib import Path

import installed
import pytest

from assay.engines import store
from assay.inputs import manifest
from assay.system import machine, step, tools

ROOT = Path(__file__).parents[2]
ENGINES = ROOT / "engines"
SUBSYSTEMS = sorted(path.parent.name for path in ENGINES.glob("*/engine.yaml"))

pytestmark = pytest.mark.timeout(3600)


PEERS = ["acp/acp-core-2024", "acp/acp-core-2025"]  # whose gates are a part of their tests


@pytest.mark.parametrize("engine", [*SUBSYSTEMS, *PEERS])
def test_suite(engine: str, tmp_path: Path) -> None:
    subsystem, _, peer = engine.partition("/")
    declared = map(manifest.load, sorted((ENGINES / subsystem).rglob("engine.yaml")))
    needed = tools.needed(engine for engine in declared if engine.weight != "heavy")
    versions = tools.provide(needed)  # the suite of ldp has a part for Java, as some of its peers

    def suite(made: Path, lock: int) -> store.Facts:
        with store.cargo(subsystem) as compiled:
            places = {"CARGO_TARGET_DIR": str(compiled), "TMPDIR": str(tmp_path)}
            outcome = step.run([ENGINES / "gates", engine], ENGINES, 3600, places, [lock])
        (made / "printed").write_text(outcome.printed, encoding="utf-8")
        return outcome.facts()

    key = decided_by(subsystem, versions)
    facts, _ = store.take(f"{subsystem}/suite-{peer or 'reference'}", key, suite)
    assert facts["status"] == "ok", facts["reason"]


def decided_by(subsystem: str, versions: dict[str, str]) -> str:
    """A hash of all that may decide its suites: files, tools, system and processor."""
    what = [versions, platform.freedesktop_os_release(), machine.processor()]
    digest = hashlib.sha256(json.dumps(what, sort_keys=True).encode())
    for path in [*files_of(subsystem), ROOT / "uv.lock"]:
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"\n{path.relative_to(ROOT)}\0{content}".encode())
    return digest.hexdigest()[:16]


def files_of(subsystem: str) -> Iterator[Path]:
    """The files of a subsystem, and those that belong to none, as git lists them."""
    others = [f":!{name}" for name in SUBSYSTEMS if name != subsystem]
    git = [
        installed.program("git", "git"),
        "ls-files",
        "-zco",
        "--exclude-standard",
        "--",
        ".",
        *others,
    ]
    listed = subprocess.run(git, cwd=ENGINES, capture_output=True, text=True, check=True).stdout
    names = sorted(set(listed.split("\0")) - {""})
    return filter(Path.is_file, (ENGINES / name for name in names))


def test_a_suite_is_decided_by_what_it_can_read() -> None:
    listed = {path.relative_to(ENGINES).as_posix() for path in files_of("rewardpool")}
    assert {"gates", "rewardpool/engine.yaml", "gocommon/go.mod"} <= listed
    assert not any(name.startswith(f"{other}/") for name in listed for other in ("acp", "smt"))
    assert decided_by("rewardpool", {"go": "1.26"}) != decided_by("rewardpool", {"go": "1.27"})
    assert decided_by("rewardpool", {}) != decided_by("smt", {})


@pytest.mark.parametrize("module", ["gocommon", "transcode/httpbench"])
def test_shared_go_code(module: str) -> None:
    outcome = step.run(["go", "test", "./..."], ENGINES / module, 300, installed.GO)
    assert outcome.ok, outcome.reason


def test_shared_rust_code() -> None:
    with store.cargo("smt") as compiled:
        command = ["cargo", "test", "--quiet", "--locked", "--target-dir", str(compiled)]
        # Its counters are of the whole process: a test beside another would count for it.
        command += ["--", "--test-threads=1"]
        outcome = step.run(command, ENGINES / "smt/peers/rustbench", timeout_s=900)
    assert outcome.ok, outcome.reason
