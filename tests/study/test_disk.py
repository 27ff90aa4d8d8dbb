"""An emulated disk takes the time of a disk, and leaves nothing behind, however it ends."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import fakes
import pytest
import yaml

from assay.disk import rig
from assay.disk.model import Model
from assay.measure import effects, profile
from assay.raw import shotlog
from assay.raw.records import Effect, Line
from assay.system import machine

QUICK = Model(seek_ms=0, flush_ms=0, mb_per_s=1e5, size_mib=64)
SLOW = Model(seek_ms=16, flush_ms=8, mb_per_s=150, size_mib=64)

needs_disk = pytest.mark.skipif(bool(rig.missing()), reason=rig.missing() or "-")

# A session that works on a disk until it is killed; says when it has begun to start one.
OWNER = """
import sys
from pathlib import Path
from assay.disk import rig
from assay.disk.model import Model
print("begun", flush=True)
with rig.running(Path(sys.argv[1]), Model(0, 0, 1e5, 64)) as disk:
    while True:
        (disk.mount / "file").write_bytes(bytes(100_000))
"""


def is_clean(folder: Path) -> bool:
    """No mount, no loop device and no process."""
    mounts = Path("/proc/self/mounts").read_text()
    loops = [
        path.read_text()
        for path in Path("/sys/block").glob("loop*/loop/backing_file")
        if path.exists()
    ]
    processes = subprocess.run(["pgrep", "-f", str(folder)], capture_output=True, check=False)
    used = str(folder) in mounts or any(str(folder) in text for text in loops)
    return not (used or processes.stdout)


def becomes_clean(folder: Path) -> bool:
    deadline = time.monotonic() + 60
    while not is_clean(folder) and time.monotonic() < deadline:
        time.sleep(0.05)
    return is_clean(folder)


def test_the_model_asks_for_a_seek_unless_the_access_goes_on() -> None:
    disk = Model(seek_ms=8, flush_ms=4, mb_per_s=100)
    assert disk.access_s(last=4096, offset=4096, length=10**6) == pytest.approx(0.010)
    assert disk.access_s(last=4096, offset=0, length=10**6) == pytest.approx(0.018)
    assert disk.access_s(last=0, offset=2**20 + 1, length=10**6) == pytest.approx(0.018)
    assert disk.fsync_s() == pytest.approx(0.012, rel=0.01)


@needs_disk
def test_start_status_stop(tmp_path: Path) -> None:
    folder = tmp_path / "a disk"
    assert rig.status(folder) is None
    disk = rig.start(folder, QUICK)
    try:
        assert rig.status(folder) == disk
        with pytest.raises(rig.UnavailableError, match="a disk runs already in"):
            rig.start(folder, QUICK)
        data = random.Random(1).randbytes(5_000_000)
        (disk.mount / "file").write_bytes(data)
        subprocess.run(["sh", "-c", "echo 3 > /proc/sys/vm/drop_caches"], check=False)
        assert (disk.mount / "file").read_bytes() == data
        assert disk.cpu_s() >= 0
    finally:
        assert rig.stop(folder)
    assert is_clean(folder)
    assert not rig.stop(folder)


@needs_disk
def test_fsync_takes_what_the_model_says(tmp_path: Path) -> None:
    with rig.running(tmp_path / "disk", SLOW) as disk:
        effect = effects.fsync(SLOW.fsync_s(), disk.mount)
        assert effect["measured"] >= 0.024
    assert is_clean(tmp_path / "disk")


@needs_disk
def test_a_shot_under_a_profile_works_on_the_disk(tmp_path: Path) -> None:
    wanted = {"threads": 1, "disk": {"seek_ms": 16, "flush_ms": 8, "mb_per_s": 150, "size_mib": 64}}
    with profile.enforced(wanted, tmp_path / "scratch") as applied:
        if applied.disk:  # on a busy machine its effect may not hold; then it is not used
            assert applied.disk.mount.is_mount()
        assert applied.effects["disk"]["holds"] == (applied.disk is not None)
        told = {**applied.applied, **applied.not_applied}["disk"]
        assert told.startswith("emulated: 16 ms a seek, 8 ms a flush, 150 MB/s")
    assert is_clean(tmp_path / "scratch" / "disk")


STORE = 8 * 2**20
"""Bytes of a store that a fake engine reads."""

# Makes a store once, and a file for the shot; then reads the store.
SETUP = """
import os, pathlib, sys
store = pathlib.Path(sys.argv[1])
if not store.exists():
    store.mkdir()
    (store / "file").write_bytes(os.urandom(%d))
pathlib.Path("made").write_bytes(bytes(%d))
"""
READ = """
import pathlib, sys
store = pathlib.Path(sys.argv[1])
print("BenchmarkReplay-2", len((store / "file").read_bytes()), "5 ns/op", 1000, "ops")
"""


def shots(root: Path, monkeypatch: pytest.MonkeyPatch, before: str = "") -> list[Line]:
    """What a session on an emulated disk says of an engine that reads a store, cold and warm.

    `before` is run by a shot before it reads.
    """
    held = Effect(wanted=0.002, measured=0.002, unit="s", holds=True, words="it does")
    monkeypatch.setattr(effects, "fsync", lambda *_: held)  # a busy machine is not what is tested
    monkeypatch.setenv("ASSAY_CACHE", str(root / "cache"))
    fakes.project(root, {"reference": 1})
    path = root / "engines" / "fake" / "engine.yaml"
    value: dict[str, Any] = yaml.safe_load(path.read_text())
    store, run = "{stores}/{scale}", ["python3", "-S", "-E", "-c"]
    value["benches"][0] |= {
        "setup": [*run, SETUP % (STORE, STORE), store],
        "command": [*run, before + READ, store],
        "variants": {"cache": ["cold", "warm"]},
    }
    path.write_text(yaml.safe_dump(value))
    made = fakes.made_plan(root, fakes.study(tier="full", blocks=1))
    made["shots"] = [shot for shot in made["shots"] if shot["arm"] == "A"]
    disk = {"seek_ms": 1, "flush_ms": 1, "mb_per_s": 500, "size_mib": 128}
    made["hardware"] = made["hardware"] | {"disk": disk}
    made |= {"key": shotlog.key(made)}
    return list(shotlog.read(fakes.measured(root, made) / "shots.jsonl"))


@needs_disk
def test_the_disk_carries_what_a_shot_reads_and_nothing_of_its_setup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = shots(tmp_path, monkeypatch)
    assert {line["status"] for line in lines} == {"ok"}, lines[0]["reason"]
    [kept] = (tmp_path / "cache" / "stores").glob("*/fake/reference/*")
    disk = machine.scratch(tmp_path) / "disk"
    for line in lines:
        *_, read = line["argv"]
        assert Path(read).is_relative_to(disk / "mount"), read
        assert (kept / Path(read).name / "file").stat().st_size == STORE
        carried = line["disk"]
        if line["variant"]["cache"] == "cold":
            assert carried["read_bytes"] >= STORE
        else:
            assert carried["read_bytes"] < STORE / 2  # the page cache has it
        assert carried["written_bytes"] < STORE / 8
    assert is_clean(disk)


@needs_disk
def test_a_store_that_a_failed_shot_leaves_is_copied_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else all but the first shot at a scale would find what it left."""
    spoils = "import pathlib, sys\nstore = pathlib.Path(sys.argv[1])\n"
    spoils += "(store / 'dirty').exists() and sys.exit('found')\n"
    spoils += "(store / 'dirty').touch()\nsys.exit('spoilt')\n"
    lines = shots(tmp_path, monkeypatch, spoils)
    assert {line["reason"] for line in lines} == {"exit code 1: spoilt"}


def test_without_a_disk_a_shot_reads_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    for line in shots(tmp_path, monkeypatch):
        assert (line["status"], "disk" in line) == ("ok", False)
        assert line["profile_not_applied"] == {"disk": "only root may mount a disk"}
        assert Path(line["argv"][-1]).is_relative_to(tmp_path / "cache" / "stores")


@needs_disk
def test_a_session_killed_at_any_moment_leaves_nothing(tmp_path: Path) -> None:
    moments = random.Random(20)
    for number in range(20):
        folder = tmp_path / f"disk{number}"
        session = subprocess.Popen([sys.executable, "-c", OWNER, folder], stdout=subprocess.PIPE)
        assert session.stdout
        assert session.stdout.readline() == b"begun\n"
        time.sleep(moments.uniform(0, 1.5))
        session.send_signal(signal.SIGKILL)
        session.communicate()
        assert becomes_clean(folder), f"kill {number}"
        rig.clear(folder)
        assert not folder.exists()


@needs_disk
def test_after_its_supervisor_was_killed_the_next_stop_cleans_up(tmp_path: Path) -> None:
    disk = rig.start(tmp_path / "disk", QUICK)
    os.kill(disk.pid, signal.SIGKILL)
    os.waitpid(disk.pid, 0)
    assert not is_clean(tmp_path / "disk")
    assert not rig.stop(tmp_path / "disk")
    assert is_clean(tmp_path / "disk")


@needs_disk
def test_what_does_not_fit_is_told(tmp_path: Path) -> None:
    with pytest.raises(rig.UnavailableError, match="the disk did not start: "):
        rig.start(tmp_path / "disk", Model(0, 0, 1e5, size_mib=2**60))
    assert is_clean(tmp_path / "disk")


def test_it_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "access", lambda path, _: True)
    monkeypatch.setattr(shutil, "which", lambda name, path: name != "losetup")
    assert rig.missing() == "missing: losetup (Debian packages e2fsprogs, mount)"
    monkeypatch.setattr(os, "access", lambda path, _: "fuse" in path)
    assert rig.missing() == "there are no loop devices (/dev/loop-control)"
    monkeypatch.setattr(os, "access", lambda path, _: False)
    assert rig.missing() == "there is no FUSE (/dev/fuse)"
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert rig.missing() == "only root may mount a disk"
    with profile.enforced(
        {"threads": 1, "disk": {"seek_ms": 8, "flush_ms": 4, "mb_per_s": 150}}, tmp_path
    ) as applied:
        assert applied.not_applied == {"disk": "only root may mount a disk"}
        assert applied.disk is None
