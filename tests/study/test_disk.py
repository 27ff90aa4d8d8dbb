"""An emulated disk takes the time of a disk, and leaves nothing behind, however it ends."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.disk import rig
from assay.disk.model import Model
from assay.measure import effects, profile

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
