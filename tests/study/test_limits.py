"""Limits hold for a shot as a whole, by the means of the machine, and leave nothing behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import fakes
import psutil
import pytest

from assay.inputs.validation import ConfigurationError
from assay.measure import effects, limits, profile, shot
from assay.measure.limits import Limits, UnavailableError, Usage, cgroup, scope, weak
from assay.raw import shotlog
from assay.system import files

SMALL = Limits(cpus=0.5, memory=128 * 2**20)


@pytest.fixture
def kernel() -> limits.Backend:
    """The control groups of this kernel."""
    for find in (cgroup.version2, cgroup.version1):
        try:
            return find(SMALL)
        except UnavailableError as error:
            reason = str(error)
    pytest.skip(reason)


@pytest.fixture
def hierarchy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A version 2 hierarchy made of ordinary files, and this process at its root."""
    root = tmp_path / "unified"
    root.mkdir()
    (root / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    (root / "cgroup.subtree_control").write_text("memory\n")
    (tmp_path / "mounts").write_text(f"proc /proc proc rw 0 0\ncgroup2 {root} cgroup2 rw 0 0\n")
    (tmp_path / "own").write_text("0::/\n")
    rmdir = os.rmdir

    def remove(folder: Path) -> None:  # as the kernel does: with the files that are its own
        for path in folder.iterdir():
            path.unlink()
        rmdir(folder)

    monkeypatch.setattr("assay.measure.limits.cgroup.os.rmdir", remove)
    return root


def version2(hierarchy: Path, wanted: Limits = SMALL) -> cgroup.Version2:
    return cgroup.version2(wanted, hierarchy.with_name("mounts"), hierarchy.with_name("own"))


def groups() -> list[Path]:
    """The groups on this machine that this process or its children made."""
    roots = [
        Path(at) for kind, at, _ in cgroup._mounts(Path("/proc/self/mounts")) if "cgroup" in kind
    ]
    # By walk, which passes over what vanishes meanwhile: other runners come and go.
    folders = (Path(at, name) for root in roots for at, below, _ in os.walk(root) for name in below)
    return [folder for folder in folders if folder.match("assay-*-[0-9]*")]


def run(backend: limits.Backend, wanted: Limits, folder: Path, code: str) -> shot.Finished:
    folder.mkdir(exist_ok=True)
    with limits.grouped(backend, wanted) as group:
        return shot.run([sys.executable, "-S", "-E", "-c", code], folder, {}, 60.0, group=group)


@pytest.mark.parametrize(
    "name", ["native", "laptop", "server-hdd", "published-server", "container", "edge"]
)
def test_the_profiles_of_the_project_are_valid(name: str) -> None:
    assert profile.load(name, fakes.ROOT)["name"] == name


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cpu_quota: 0", ":4: cpu_quota: expected a number of CPUs above 0, found 0"),
        ("memory_mib: 1.5", ":4: memory_mib: expected a whole number of MiB from 64, found 1.5"),
        ("disk: {seek_ms: 8}", ":4: disk.flush_ms: expected milliseconds from 0, found nothing"),
        ("memory: 4G", ":4: memory: expected one of name, title, threads, cpus, cpu_quota"),
    ],
)
def test_a_wrong_knob_is_refused(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "config" / "hardware" / "mine.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(f"name: mine\ntitle: Mine\nthreads: 1\n{line}\n")
    with pytest.raises(ConfigurationError, match=message):
        profile.load("mine", tmp_path)


def test_version_2_writes_what_the_kernel_reads(hierarchy: Path) -> None:
    backend = version2(hierarchy)
    assert (hierarchy / "cgroup.subtree_control").read_text() == "+cpu"
    (hierarchy / "memory.swap.max").touch()
    group = backend.group(SMALL)
    [folder] = hierarchy.glob("assay-*")
    assert (folder / "cpu.max").read_text() == "50000 100000"
    assert (folder / "memory.max").read_text() == str(128 * 2**20)
    assert (folder / "memory.swap.max").read_text() == "0"
    group.enter()
    assert (folder / "cgroup.procs").read_text() == str(os.getpid())
    (folder / "cgroup.procs").unlink()
    (folder / "cpu.stat").write_text("usage_usec 7\nnr_throttled 2\nthrottled_usec 1500000\n")
    (folder / "memory.events").write_text("low 0\noom 1\noom_kill 1\n")
    (folder / "memory.peak").write_text("4096\n")
    assert group.usage() == Usage(peak_bytes=4096, throttled_s=1.5, oom_kills=1)
    group.close()
    assert not list(hierarchy.glob("assay-*"))


def test_version_2_without_a_controller_says_so(hierarchy: Path) -> None:
    (hierarchy / "cgroup.controllers").write_text("memory hugetlb\n")
    with pytest.raises(UnavailableError, match="cgroup v2 has no controller cpu here"):
        version2(hierarchy)
    assert version2(hierarchy, Limits(memory=2**30)).base == hierarchy


def test_version_2_stays_below_limits_on_the_runner(hierarchy: Path) -> None:
    """A group with processes cannot have children with limits; its parent would be free of them."""
    job = hierarchy / "job"
    job.mkdir()
    shutil.copy(hierarchy / "cgroup.controllers", job)
    (job / "cgroup.subtree_control").mkdir()  # an error where the kernel says busy
    hierarchy.with_name("own").write_text("0::/job\n")
    (job / "memory.max").write_text("max\n")
    assert version2(hierarchy).base == hierarchy
    (job / "memory.max").write_text("1073741824\n")
    with pytest.raises(UnavailableError, match="cgroup v2 cannot be used"):
        version2(hierarchy)


def test_only_groups_of_runners_that_ended_are_stale(
    hierarchy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = version2(hierarchy)
    living = backend.group(SMALL)
    ended = subprocess.Popen(["true"])
    ended.wait()
    here = cgroup._namespace()
    (hierarchy / f"assay-{here}-{ended.pid}-1-0").mkdir()
    (hierarchy / f"assay-{here + 1}-{ended.pid}-1-0").mkdir()  # in another container
    cgroup.clear(hierarchy.with_name("mounts"))
    assert len(list(hierarchy.glob("assay-*"))) == 2
    living.close()


def test_a_quota_is_kept_and_throttling_counted(kernel: limits.Backend, tmp_path: Path) -> None:
    code = "import time; end = time.monotonic() + 1\nwhile time.monotonic() < end: pass"
    outcome = run(kernel, Limits(cpus=0.25), tmp_path / "scratch", code)
    assert outcome.status == "ok"
    assert outcome.cpu_user_s + outcome.cpu_system_s < 0.4
    assert outcome.usage.throttled_s is not None
    assert not [path for path in groups() if f"-{os.getpid()}-" in path.name]


def test_the_effect_of_a_quota_is_within_a_tenth(kernel: limits.Backend, tmp_path: Path) -> None:
    effect = effects.cpu_quota(kernel, SMALL, tmp_path)
    assert effect["holds"], effect["words"]


def test_an_allocation_past_the_limit_is_out_of_memory(
    kernel: limits.Backend, tmp_path: Path
) -> None:
    effect = effects.memory(kernel, SMALL, tmp_path)
    assert effect["holds"], effect["words"]
    assert 100 <= effect["measured"] <= 128


def test_a_child_killed_for_memory_makes_the_shot_oom(
    kernel: limits.Backend, tmp_path: Path
) -> None:
    code = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'bytes([1]) * 2**28'])"
    outcome = run(kernel, Limits(memory=2**27), tmp_path / "scratch", code)
    assert (outcome.status, outcome.exit_code) == ("oom", 0)
    assert outcome.usage.peak_bytes is not None
    assert outcome.usage.peak_bytes <= 2**27


def test_a_limit_that_does_not_hold_is_not_enforced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "choose", lambda wanted: (weak.find(wanted), ""))
    wanted = {"threads": 1, "memory_mib": 128}
    with profile.enforced(wanted, tmp_path) as applied:
        assert "memory_mib" not in applied.applied
        assert "did not hold" in applied.not_applied["memory_mib"]
        assert applied.backend is None


def test_without_any_means_every_knob_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_: Limits) -> Any:
        raise UnavailableError("none here")

    for name in ("cgroup.version2", "cgroup.version1", "scope.find", "weak.find"):
        monkeypatch.setattr(f"assay.measure.limits.{name}", nothing)
    applied = profile.apply({"threads": 1, "cpu_quota": 0.5, "memory_mib": 512})
    assert applied.applied.keys() == {"threads"}
    assert applied.not_applied == dict.fromkeys(
        ("cpu_quota", "memory_mib"), "none here; none here; none here; none here"
    )


def test_more_than_the_machine_has_is_not_applied() -> None:
    applied = profile.apply({"threads": 1, "cpu_quota": 4096, "memory_mib": 2**30})
    assert applied.not_applied["cpu_quota"].startswith("wanted 4096 CPUs, there are ")
    assert applied.not_applied["memory_mib"].startswith("wanted 1073741824 MiB, there are ")


def test_the_command_of_a_scope() -> None:
    words = scope.command(SMALL)
    assert words[0] == "systemd-run"
    assert {"CPUQuota=50%", f"MemoryMax={128 * 2**20}", "MemorySwapMax=0"} <= set(words)
    assert words[-1] == "--"


KEEPER = "assay.measure.limits.keeper"
# A shot leaves a mark in the project that the test waits for.
RUNNER = """
import sys
from contextlib import nullcontext
from pathlib import Path
from assay.measure import sandbox, session
sandbox.rules = lambda _: nullcontext()
root = Path(sys.argv[1])
session.run(root / "data/plan.json", root / "data/pointer.json", root, root / "lock", 0)
"""


def test_what_a_runner_left_that_was_killed_with_its_keeper_is_removed_at_the_next_start(
    kernel: limits.Backend, tmp_path: Path
) -> None:
    fakes.project(tmp_path, {"reference": 1})
    made = fakes.made_plan(tmp_path, fakes.study(blocks=1))
    # Leaves a process behind, which holds the lock, and waits until it is killed with the runner.
    waits = f"""
import os, pathlib, time
here = pathlib.Path({str(tmp_path)!r}, "here")
if not here.exists():
    if not os.fork():
        time.sleep(1000)
    here.write_text("x")
    time.sleep(1000)
print("BenchmarkA 1 1 ns/op")
"""
    argv = ["python3", "-S", "-E", "-c", waits.replace("{", "{{").replace("}", "}}")]
    made["shots"][0] = made["shots"][0] | {"argv": argv, "timeout_s": 1000}
    made["hardware"] = made["hardware"] | {"memory_mib": 128}
    made |= {"key": shotlog.key(made)}
    files.write_json(tmp_path / "data" / "plan.json", made)
    runner = subprocess.Popen([sys.executable, "-c", RUNNER, tmp_path], stdout=subprocess.DEVNULL)
    while not (tmp_path / "here").exists():
        assert runner.poll() is None
        time.sleep(0.02)
    [keeper] = [p for p in psutil.Process(runner.pid).children() if KEEPER in p.cmdline()]
    keeper.kill()
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    assert [path for path in groups() if f"-{runner.pid}-" in path.name]
    folder = fakes.measured(tmp_path, made)
    assert not [path for path in groups() if f"-{runner.pid}-" in path.name]
    lines = [json.loads(line) for line in (folder / "shots.jsonl").read_text().splitlines()]
    assert [line["status"] for line in lines] == ["ok", "ok"]
    for line in lines:
        assert line["profile_applied"]["memory_mib"].startswith(kernel.name)
        assert line["profile_effects"]["memory_mib"]["holds"]
        assert line["group_peak_bytes"] > 0
