"""Control groups of the kernel, version 2 and version 1.

Knobs and counters: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ of the Linux kernel.
Groups are made below this process's own, so that limits on the runner stay in force. A group's name
tells its runner, so that those of a killed runner are told from those of a running one.
"""

import os
import re
import signal
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path

from assay.measure.limits import Backend, Group, Limits, UnavailableError, Usage

PERIOD_US = 100_000
# How long killed processes may take to leave their group.
CLOSE_S = 10.0

_COUNTER = count()
_NAME = re.compile(r"assay-(\d+)-(\d+)-(\d+)-\d+")


class Cgroup(Group):
    """A group of one shot: its folder in each hierarchy, and the values of its knobs."""

    def __init__(self, folders: Mapping[str, Path], knobs: Iterable[tuple[Path, str]]) -> None:
        self._folders = dict(folders)
        self._distinct = list(dict.fromkeys(folders.values()))
        try:
            for folder in self._distinct:
                folder.mkdir()
            for path, value in knobs:
                path.write_text(value)
        except OSError:
            self.close()
            raise

    def enter(self) -> None:
        """Write this process into each folder."""
        for folder in self._distinct:
            (folder / "cgroup.procs").write_text(str(os.getpid()))

    def prefer(self) -> None:
        """Give it the largest weight that there is."""
        for name, most in (("cpu.weight", "10000"), ("cpu.shares", "262144")):
            path = self._folders.get("cpu", Path()) / name
            if path.exists():
                path.write_text(most)

    def usage(self) -> Usage:
        """The counters of the controllers that there are."""
        cpu, memory = self._folders.get("cpu"), self._folders.get("memory")
        stat = _pairs(cpu / "cpu.stat") if cpu else {}
        events = _pairs(memory / "memory.events") if memory else {}
        events = events or (_pairs(memory / "memory.oom_control") if memory else {})
        throttled = None
        if "throttled_usec" in stat:
            throttled = stat["throttled_usec"] / 1e6
        elif "throttled_time" in stat:
            throttled = stat["throttled_time"] / 1e9
        peaks = ("memory.peak", "memory.max_usage_in_bytes") if memory else ()
        known = [said for name in peaks if memory and (said := _read(memory / name))]
        return Usage(int(known[0]) if known else None, throttled, events.get("oom_kill"))

    def close(self) -> None:
        """Remove the folders."""
        for folder in self._distinct:
            _remove(folder)


class Version2(Backend):
    """Groups of the unified hierarchy below `base`, in which the controllers are enabled."""

    name = "cgroup v2"

    def __init__(self, base: Path) -> None:
        self.base = base

    def group(self, limits: Limits) -> Cgroup:
        """A folder below the base."""
        folder = self.base / _name()
        knobs = []
        if limits.cpus is not None:
            knobs.append((folder / "cpu.max", f"{round(limits.cpus * PERIOD_US)} {PERIOD_US}"))
        if limits.memory is not None:
            knobs.append((folder / "memory.max", str(limits.memory)))
            if (self.base / "memory.swap.max").exists() or (folder / "memory.swap.max").exists():
                knobs.append((folder / "memory.swap.max", "0"))
        return Cgroup(dict.fromkeys(("cpu", "memory"), folder), knobs)


class Version1(Backend):
    """Groups below this process's own in each controller's hierarchy."""

    name = "cgroup v1"

    def __init__(self, bases: Mapping[str, Path]) -> None:
        self.bases = bases

    def group(self, limits: Limits) -> Cgroup:
        """A folder below each base."""
        name = _name()
        folders = {controller: base / name for controller, base in self.bases.items()}
        knobs = []
        if limits.cpus is not None:
            cpu = folders["cpu"]
            knobs.append((cpu / "cpu.cfs_period_us", str(PERIOD_US)))
            knobs.append((cpu / "cpu.cfs_quota_us", str(round(limits.cpus * PERIOD_US))))
        if limits.memory is not None:
            memory = folders["memory"]
            knobs.append((memory / "memory.limit_in_bytes", str(limits.memory)))
            if (self.bases["memory"] / "memory.memsw.limit_in_bytes").exists():
                knobs.append((memory / "memory.memsw.limit_in_bytes", str(limits.memory)))
        return Cgroup(folders, knobs)


def version2(
    limits: Limits,
    mounts: Path = Path("/proc/self/mounts"),
    own: Path = Path("/proc/self/cgroup"),
) -> Version2:
    """Version 2 with the controllers that `limits` need. UnavailableError says what is missing."""
    root = next((Path(at) for kind, at, _ in _mounts(mounts) if kind == "cgroup2"), None)
    if root is None:
        raise UnavailableError("cgroup v2 is not mounted")
    wanted = _controllers(limits)
    mine = _own(own).get("", "/").lstrip("/")
    start = root / mine if (root / mine).is_dir() else root
    reason = ""
    for base in [start, *start.parents]:
        if not base.is_relative_to(root):
            break
        offered = set(_read(base / "cgroup.controllers").split())
        if absent := sorted(wanted - offered):
            raise UnavailableError(f"cgroup v2 has no controller {' and '.join(absent)} here")
        try:
            enabled = set(_read(base / "cgroup.subtree_control").split())
            for controller in sorted(wanted - enabled):
                (base / "cgroup.subtree_control").write_text(f"+{controller}")
        except OSError as error:  # busy where processes are in it: then beside it
            reason = f"{error.strerror}: {base}"
        else:
            if os.access(base, os.W_OK):
                return Version2(base)
            reason = f"no right to write: {base}"
        # A parent would free the shot of the limits that are set here.
        if any(_read(base / knob)[:3] not in ("", "max") for knob in ("cpu.max", "memory.max")):
            break
    raise UnavailableError(f"cgroup v2 cannot be used ({reason})")


def version1(
    limits: Limits,
    mounts: Path = Path("/proc/self/mounts"),
    own: Path = Path("/proc/self/cgroup"),
) -> Version1:
    """Version 1 with the controllers that `limits` need. UnavailableError says what is missing."""
    places = {}
    mine = _own(own)
    for kind, at, options in _mounts(mounts):
        if kind == "cgroup":
            for controller in {"cpu", "memory"} & set(options.split(",")):
                inside = Path(at) / mine.get(controller, "/").lstrip("/")
                places[controller] = inside if inside.is_dir() else Path(at)
    bases = {}
    for controller in sorted(_controllers(limits)):
        if controller not in places:
            raise UnavailableError(f"cgroup v1 has no controller {controller} here")
        if not os.access(places[controller], os.W_OK):
            raise UnavailableError(f"cgroup v1 cannot be written ({places[controller]})")
        bases[controller] = places[controller]
    return Version1(bases)


def clear(mounts: Path = Path("/proc/self/mounts")) -> None:
    """Remove the groups of runners of this PID namespace that run no more."""
    for kind, at, _ in _mounts(mounts):
        if kind not in ("cgroup", "cgroup2"):
            continue
        for folder, below, _ in os.walk(at):
            for name in below:
                match = _NAME.fullmatch(name)
                if match and int(match[1]) == _namespace() and _ended(match[2], match[3]):
                    with suppress(OSError):
                        _remove(Path(folder, name))


def _controllers(limits: Limits) -> set[str]:
    wanted = {"cpu": limits.cpus, "memory": limits.memory}
    return {name for name, value in wanted.items() if value is not None}


def _name() -> str:
    return f"assay-{_namespace()}-{os.getpid()}-{_started(os.getpid())}-{next(_COUNTER)}"


def _namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino


def _started(pid: int | str) -> str:
    """When a process started, in clock ticks since boot: with its number, its identity.

    "" when it has ended and only waits for its parent to notice.
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]


def _ended(pid: str, started: str) -> bool:
    try:
        return _started(pid) != started
    except OSError:
        return True


def _remove(folder: Path) -> None:
    """Kill what is in a group, and remove it."""
    deadline = time.monotonic() + CLOSE_S
    while folder.is_dir():
        for pid in _read(folder / "cgroup.procs").split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        try:
            os.rmdir(folder)  # noqa: PTH106 - the kernel's own files in it are no hindrance
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.005)


def _mounts(path: Path) -> list[tuple[str, str, str]]:
    """Type, place and options of each mount."""
    fields = [line.split() for line in _read(path).splitlines()]
    return [(words[2], words[1].replace("\\040", " "), words[3]) for words in fields]


def _own(path: Path) -> dict[str, str]:
    """This process's group in each hierarchy, by controller; that of version 2 is ""."""
    groups: dict[str, str] = {}
    for line in _read(path).splitlines():
        _, controllers, place = line.split(":", 2)
        groups |= dict.fromkeys(controllers.split(","), place)
    return groups


def _pairs(path: Path) -> dict[str, int]:
    lines = (line.split() for line in _read(path).splitlines())
    return {words[0]: int(words[1]) for words in lines if len(words) == 2}


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
