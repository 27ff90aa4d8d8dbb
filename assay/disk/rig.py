"""Start, ask for and stop an emulated disk: `./run python -m assay disk start|status|stop`.

A disk lives in a folder: `image` holds its bytes, on `device` they are served with the times of
the model, `mount` is the ext4 file system on a loop device over it. `panel` is what its user and it
tell each other. A supervisor process serves the device, and takes all down when it is told to stop
or when the session that owns it ends, in whatever way. If the supervisor itself is killed, the next
start or stop there cleans up.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from assay.disk.model import Model
from assay.disk.panel import Panel, Traffic

# How long a disk may take to go.
STOP_S = 60.0
# How long what still works on the disk may take to end before it is killed or cut off.
USERS_S = 2.0
_TOOLS = ("mkfs.ext4", "losetup", "mount", "umount")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


class UnavailableError(Exception):
    """Why there can be no emulated disk on this machine."""


@dataclass(frozen=True)
class Disk:
    """A disk that runs: its model, where it is mounted, and its supervisor's process."""

    model: Model
    mount: Path
    pid: int

    def cpu_s(self) -> float:
        """CPU seconds that the supervisor has used."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @contextmanager
    def untimed(self) -> Iterator[None]:
        """Accesses take no time; what was written meanwhile lies on the disk at the end."""
        self._panel.timed = False
        try:
            yield
        finally:
            os.sync()
            self._panel.timed = True

    @property
    def traffic(self) -> Traffic:
        """What it has carried while accesses took time."""
        return self._panel.traffic

    @cached_property
    def _panel(self) -> Panel:
        return Panel(self.mount.parent)


def missing() -> str:
    """What a disk needs and this machine does not have; "" when nothing is missing."""
    if os.geteuid() != 0:
        return "only root may mount a disk"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "there is no FUSE (/dev/fuse)"
    if not os.access("/dev/loop-control", os.R_OK | os.W_OK):
        return "there are no loop devices (/dev/loop-control)"
    if absent := [name for name in _TOOLS if not shutil.which(name, path=PATH)]:
        return f"missing: {', '.join(absent)} (Debian packages e2fsprogs, mount)"
    return ""


def start(folder: Path, model: Model, owner: int | None = None) -> Disk:
    """Start a disk in `folder`, which is made; wait until it is mounted.

    `owner` is the reading end of a pipe: the disk goes when its other end is closed. None: it stays
    until `stop`. UnavailableError when something is missing, or a disk runs there already.
    """
    if reason := missing():
        raise UnavailableError(reason)
    folder = folder.resolve()
    if running := status(folder):
        raise UnavailableError(f"a disk runs already in {folder} (process {running.pid})")
    clear(folder)
    folder.mkdir(parents=True)
    ready, told = os.pipe()
    words = [str(folder), json.dumps(asdict(model)), str(told), str(-1 if owner is None else owner)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "assay.disk.supervisor", *words],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=[told, *([] if owner is None else [owner])],
            start_new_session=True,
        )
    os.close(told)
    with os.fdopen(ready) as answer:
        said = answer.read()  # until it is ready, or ended
    if said != "ready":
        process.wait()
        clear(folder)
        raise UnavailableError(f"the disk did not start: {said or 'its supervisor was killed'}")
    return Disk(model, folder / "mount", process.pid)


def status(folder: Path) -> Disk | None:
    """The disk that runs in `folder`, or None."""
    try:
        state = json.loads((folder / "state.json").read_text())
        words = Path(f"/proc/{state['pid']}/cmdline").read_bytes().split(b"\0")
    except (OSError, ValueError):
        return None
    if bytes(folder.resolve()) not in words:
        return None
    return Disk(Model(**state["model"]), folder.resolve() / "mount", state["pid"])


def stop(folder: Path) -> bool:
    """Stop the disk in `folder` and remove it with all that is on it; whether one was running."""
    disk = status(folder)
    if disk:
        os.kill(disk.pid, signal.SIGTERM)
        _wait(disk.pid)
    clear(folder)
    return disk is not None


@contextmanager
def running(folder: Path, model: Model) -> Iterator[Disk]:
    """A disk for as long as the block, and the process, lasts."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as owner, os.fdopen(writing, "w") as mine:
        disk = start(folder, model, owner.fileno())
        try:
            yield disk
        finally:
            mine.close()
            _wait(disk.pid)
            clear(folder)


def clear(folder: Path) -> None:
    """Take down what is left of the disk in `folder` when nobody looks after it any more."""
    folder = folder.resolve()
    if folder.exists() and not status(folder):
        dismantle(folder)


def dismantle(folder: Path, kill: bool = False) -> None:
    """Unmount, detach and remove what there is.

    A process that still works on the disk is killed if `kill`; otherwise it gets errors from then.
    """
    _unmount(folder / "mount", kill)
    for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
        with suppress(OSError):
            if backing.read_text().strip().startswith(str(folder / "device")):
                _call("losetup", "-d", f"/dev/{backing.parts[3]}")
    _unmount(folder / "device", kill)
    shutil.rmtree(folder, ignore_errors=True)


def _unmount(place: Path, kill: bool) -> None:
    deadline = time.monotonic() + USERS_S
    while _is_mounted(place):
        if not _call("umount", str(place)):
            continue
        if time.monotonic() > deadline:
            for pid in _users(place) if kill else ():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if not kill or time.monotonic() > deadline + USERS_S:
                _call("umount", "--lazy", str(place))
        time.sleep(0.02)


def _is_mounted(place: Path) -> bool:
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    return any(line.split()[1].replace("\\040", " ") == str(place) for line in mounts)


def _users(place: Path) -> set[int]:
    """The processes that work in, or have open, something below `place`."""
    pids = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            for link in (process / "cwd", *(process / "fd").iterdir()):
                if link.readlink().is_relative_to(place):
                    pids.add(int(process.name))
    return pids - {os.getpid()}


def _call(*words: str) -> int:
    """Run a tool in silence; its exit code."""
    return subprocess.run(words, capture_output=True, env={"PATH": PATH}, check=False).returncode


def _wait(pid: int) -> None:
    """Wait for a process, ours or not, to end."""
    deadline = time.monotonic() + STOP_S
    while time.monotonic() < deadline:
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        if not Path(f"/proc/{pid}").exists():
            return
        time.sleep(0.02)
    raise RuntimeError(f"the disk's supervisor, process {pid}, does not end")
