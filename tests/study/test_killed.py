"""A runner that is killed at any moment leaves the machine clean, and its session goes on."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import fakes
import psutil
import pytest
from test_disk import is_clean
from test_limits import KEEPER, RUNNER, groups

from assay.disk import rig
from assay.measure.limits import Limits, UnavailableError, cgroup
from assay.raw import shotlog
from assay.system import files, machine

KILLS = 20
# How long the machine may take to be clean: the keeper kills at once, the disk's supervisor gives
# what works on the disk a grace before it does.
GRACE_S = 4 * rig.USERS_S
HARDWARE = {
    "memory_mib": 128,
    "disk": {"seek_ms": 0, "flush_ms": 0, "mb_per_s": 1e5, "size_mib": 64},
}
# A shot that starts another process, out of its sight, and works on the disk.
SHOT = """
import os, pathlib, signal, time
child = os.fork()
if not child:
    os.setsid()
    time.sleep(1000)
end = time.monotonic() + 0.2
while time.monotonic() < end:
    with open("file", "wb") as file:
        file.write(bytes(10000))
        os.fsync(file.fileno())
os.kill(child, signal.SIGKILL)
os.wait()
print("BenchmarkA 1 1 ns/op")
"""


def unavailable() -> str:
    """Why this machine has no emulated disk or no control groups."""
    reasons = [rig.missing()]
    for find in (cgroup.version2, cgroup.version1):
        try:
            find(Limits(memory=2**27))
            return reasons[0]
        except UnavailableError as error:
            reasons.append(str(error))
    return "; ".join(filter(None, reasons))


def left(root: Path, runner: int) -> list[str]:
    """What a runner below `root` has left on the machine."""
    found = [] if is_clean(machine.scratch(root) / "disk") else ["its disk"]
    found += [str(path) for path in groups() if f"-{runner}-" in path.name]
    for process in psutil.process_iter(["cmdline", "environ", "status"]):
        told = process.info
        words, places = told["cmdline"] or [], (told["environ"] or {}).get("TMPDIR", "")
        keeper = KEEPER in words and str(runner) in words
        if told["status"] != psutil.STATUS_ZOMBIE and (keeper or places.startswith(str(root))):
            found.append(f"process {process.pid}: {words}")
    return found


@pytest.mark.skipif(bool(unavailable()), reason=unavailable() or "-")
def test_a_runner_killed_at_any_moment_leaves_the_machine_clean(tmp_path: Path) -> None:
    fakes.project(tmp_path, {"reference": 1})
    made = fakes.made_plan(tmp_path, fakes.study(blocks=20))
    argv = ["python3", "-S", "-E", "-c", SHOT]
    made["shots"] = [one | {"argv": argv} for one in made["shots"]]
    made["hardware"] |= HARDWARE
    made |= {"key": shotlog.key(made)}
    files.write_json(tmp_path / "data" / "plan.json", made)
    moments, lines = random.Random(20), list[bytes]()
    for number in range(KILLS):
        runner = subprocess.Popen(
            [sys.executable, "-c", RUNNER, tmp_path],
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        if number % 2:  # while it sets up, or later
            time.sleep(moments.uniform(0, 2))
        else:  # while it measures
            wait_for_line(tmp_path, len(lines), runner)
            time.sleep(moments.uniform(0, 0.6))
        kill = moments.choice([os.kill, os.killpg])  # the leader alone, or all that is near it
        kill(runner.pid, signal.SIGKILL)
        assert runner.wait() == -signal.SIGKILL
        deadline = time.monotonic() + GRACE_S
        while (found := left(tmp_path, runner.pid)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not found, f"kill {number}"
        before, lines = lines, written(tmp_path)
        assert lines[: len(before)] == before
    assert KILLS / 2 <= len(lines) < len(made["shots"])

    folder = fakes.measured(tmp_path, made)
    done = [json.loads(line) for line in (folder / "shots.jsonl").read_text().splitlines()]
    assert [one["id"] for one in done] == [one["id"] for one in made["shots"]]
    assert {one["status"] for one in done} == {"ok"}
    assert done[: len(lines)] == [json.loads(line) for line in lines]
    assert {"memory_mib", "disk"} <= done[-1]["profile_applied"].keys()
    assert not left(tmp_path, os.getpid())


def written(root: Path) -> list[bytes]:
    """The whole lines of the session's log."""
    log = next(root.glob("data/raw/*/fake/native/*/shots.jsonl"), None)
    return [one for one in log.read_bytes().splitlines(True) if one.endswith(b"\n")] if log else []


def wait_for_line(root: Path, already: int, runner: subprocess.Popen[bytes]) -> None:
    while len(written(root)) <= already:
        assert runner.poll() is None
        time.sleep(0.02)
