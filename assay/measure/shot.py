"""One shot: a process and all it starts, limited, accounted for, and gone afterwards. Linux only.

The runner is the "child subreaper" of what it starts (prctl(2)): a process that forks itself away
becomes the runner's child when its parent ends, so it is still found, killed and accounted for.
"""

import ctypes
import os
import resource
import select
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import psutil

from assay.measure import sandbox
from assay.measure.limits import Group, Usage
from assay.system import excerpt

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

# How often the memory of the tree is read, and time and output limits are checked: seldom enough
# not to disturb, but a shot that ends sooner is read too.
SAMPLE_S = 0.05
FIRST_SAMPLE_S = 0.002
# How long what a process started may take to end after it.
GRACE_S = 0.5
# How long killed processes may take to vanish, for example from an uninterruptible write.
KILL_S = 30.0
# A shot that prints more than this runs away.
MAX_OUTPUT = 16 * 2**20
# How much of the end of its standard error is read.
MAX_ERRORS = 2**16
TIMEOUT = "timeout"

_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Finished:
    """What became of a shot.

    `status` is ok, failed, timeout or oom, and `reason` is empty when it is ok. `exit_code` is
    minus the signal when one ended the process, and None when it could not be started. Times and
    switches are sums over the tree. `peak_rss_bytes` is the largest sum of resident memory seen in
    the tree, or the largest process if that is more. `usage` is what the kernel accounted for the
    shot's group.
    """

    status: str
    reason: str
    exit_code: int | None
    started_at: str
    wall_s: float
    cpu_user_s: float
    cpu_system_s: float
    peak_rss_bytes: int
    voluntary_switches: int
    involuntary_switches: int
    stdout: str
    stderr: str
    usage: Usage = field(default_factory=Usage)


def run(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    timeout_s: float,
    cpus: Collection[int] = (),
    keep_open: Collection[int] = (),
    group: Group | None = None,
    writable: Collection[Path] = (),
) -> Finished:
    """Run `argv` in `cwd` with exactly the environment `env`; no process outlives the call.

    `cpus` binds the shot to CPUs (empty: all). The descriptors `keep_open` stay open in it.
    `group` limits it with all that it starts. Where the kernel can refuse it, nothing is written
    but the files and folders `writable` (empty: anything).
    """
    if group:
        argv = [*group.prefix, *argv]
    _LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    tree = _Tree()
    ooms = oom_kills()
    with (
        TemporaryFile(dir=cwd.parent) as out,
        TemporaryFile(dir=cwd.parent) as err,
        sandbox.rules(writable) as rules,
    ):
        started_at = _now()
        start = time.monotonic()
        try:
            try:
                process = subprocess.Popen(
                    argv,
                    cwd=cwd,
                    env=dict(env),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    start_new_session=True,
                    pass_fds=tuple(keep_open),
                    preexec_fn=_in_child(cpus, group, rules),
                )
            except OSError as error:
                return not_run("failed", f"cannot start {argv[0]}: {error.strerror}")
            except subprocess.SubprocessError as error:
                return not_run("failed", f"cannot limit {argv[0]}: {error}")
            stopped = tree.watch(process.pid, start + timeout_s, (out, err))
            wall_s = time.monotonic() - start
            stopped = stopped or _too_much((out, err))
            left = [] if stopped else tree.leftovers()
        finally:
            tree.kill()
        process.returncode = tree.exit_code(process.pid)
        outcome = Finished(
            status="ok",
            reason="",
            exit_code=process.returncode,
            started_at=started_at,
            wall_s=wall_s,
            cpu_user_s=sum(usage.ru_utime for usage in tree.usages),
            cpu_system_s=sum(usage.ru_stime for usage in tree.usages),
            peak_rss_bytes=tree.peak_rss(),
            voluntary_switches=sum(usage.ru_nvcsw for usage in tree.usages),
            involuntary_switches=sum(usage.ru_nivcsw for usage in tree.usages),
            stdout=excerpt.end(out, MAX_OUTPUT),
            stderr=excerpt.end(err, MAX_ERRORS),
            usage=group.usage() if group else Usage(),
        )
    killed = outcome.usage.oom_kills
    if killed is None:  # then the counter of the whole machine has to do
        killed = oom_kills() - ooms if outcome.exit_code else 0
    if stopped == TIMEOUT:
        status, reason = "timeout", f"not finished after {timeout_s:g} s"
    elif stopped:
        status, reason = "failed", stopped
    elif killed:
        status, reason = "oom", "out of memory: the kernel killed a process during this shot"
    elif outcome.exit_code:
        status, reason = "failed", _why(outcome)
    elif left:
        status, reason = "failed", f"left {len(left)} processes running: {', '.join(left)}"
    else:
        return outcome
    return replace(outcome, status=status, reason=reason)


def not_run(status: str, reason: str) -> Finished:
    """The outcome of a shot for which there is no process."""
    return Finished(status, reason, None, _now(), 0.0, 0.0, 0.0, 0, 0, 0, "", "")


def oom_kills() -> int:
    """How many processes the kernel has killed for want of memory since it started."""
    for line in Path("/proc/vmstat").read_text().splitlines():
        if line.startswith("oom_kill "):
            return int(line.split()[1])
    return 0


class _Tree:
    """The processes of one shot: all that this process has below it now and had not before."""

    def __init__(self) -> None:
        self._before = set(psutil.Process().children())
        self._exit_codes: dict[int, int] = {}
        self._sampled = 0
        # A child starts with this process's memory on its account, until it executes its program.
        self._own_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        self.usages: list[resource.struct_rusage] = []

    def watch(self, pid: int, deadline: float, outputs: Sequence[IO[bytes]]) -> str:
        """Wait for `pid` to end: "". Otherwise TIMEOUT, or why it has to be stopped."""
        descriptor = os.pidfd_open(pid)
        try:
            ended = select.poll()
            ended.register(descriptor, select.POLLIN)
            interval_s = FIRST_SAMPLE_S
            self._sampled = _memory(pid)
            while not ended.poll(1000 * interval_s):
                interval_s = min(2 * interval_s, SAMPLE_S)
                self._sampled = max(self._sampled, _memory(pid))
                if time.monotonic() > deadline:
                    return TIMEOUT
                if much := _too_much(outputs):
                    return much
        finally:
            os.close(descriptor)
        return ""

    def leftovers(self) -> list[str]:
        """The names of processes that still run after the first one ended and some grace."""
        deadline = time.monotonic() + GRACE_S
        while (living := self._reap()) and time.monotonic() < deadline:
            time.sleep(0.01)
        return sorted(_name(process) for process in living)

    def kill(self) -> None:
        """Kill all of the tree and wait until nothing is left of it, whoever interrupts."""
        deadline = time.monotonic() + KILL_S
        interruptions = {signal.SIGINT, signal.SIGTERM}
        previous = signal.pthread_sigmask(signal.SIG_BLOCK, interruptions)
        try:
            while living := self._reap():
                if time.monotonic() > deadline:
                    names = ", ".join(sorted(_name(process) for process in living))
                    raise RuntimeError(f"cannot kill {names}; stop them before you measure again")
                for process in living:
                    with suppress(psutil.NoSuchProcess):
                        process.kill()
                time.sleep(0.005)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, previous)

    def exit_code(self, pid: int) -> int:
        """How `pid` ended, once the tree is killed."""
        return self._exit_codes[pid]

    def peak_rss(self) -> int:
        """Bytes: what was seen, or what the kernel accounts if that cannot be our own memory."""
        accounted = max(usage.ru_maxrss * 1024 for usage in self.usages)
        trusted = accounted > self._own_peak or not self._sampled
        return max(self._sampled, accounted) if trusted else self._sampled

    def _reap(self) -> list[psutil.Process]:
        """Account for what has ended; return what has not."""
        myself = psutil.Process()
        for child in set(myself.children()) - self._before:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                self._exit_codes[pid] = os.waitstatus_to_exitcode(status)
                self.usages.append(usage)
        older = {descendant for p in self._before for descendant in _descendants(p)}
        return [p for p in myself.children(recursive=True) if p not in self._before | older]


def _in_child(cpus: Collection[int], group: Group | None, rules: int | None) -> Callable[[], None]:
    def prepare() -> None:
        # If the runner is killed, so is the shot.
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if cpus:
            os.sched_setaffinity(0, cpus)
        if group:
            group.enter()
        if rules is not None:
            sandbox.enter(rules)

    return prepare


def _descendants(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.NoSuchProcess:
        return "one that has just ended"


def _memory(pid: int) -> int:
    """Resident bytes of `pid` and all below it now, or the past peak of its largest process.

    Read directly because it happens during the shot: psutil would read every process there is.
    """
    total = largest = 0
    waiting = [str(pid)]
    while waiting:
        folder = Path("/proc", waiting.pop())
        try:
            fields = dict(
                line.split(":", 1) for line in (folder / "status").read_text().splitlines()
            )
            tasks = list((folder / "task").iterdir())
            below = [child for task in tasks for child in (task / "children").read_text().split()]
        except OSError:
            continue  # it has just ended
        waiting += below
        if "VmRSS" in fields:
            total += 1024 * int(fields["VmRSS"].split()[0])
            largest = max(largest, 1024 * int(fields["VmHWM"].split()[0]))
    return max(total, largest)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _too_much(outputs: Sequence[IO[bytes]]) -> str:
    """Why what was printed is too much; empty when it is not."""
    if any(os.fstat(file.fileno()).st_size > MAX_OUTPUT for file in outputs):
        return f"printed more than {MAX_OUTPUT // 2**20} MiB"
    return ""


def _why(outcome: Finished) -> str:
    code = outcome.exit_code or 0
    how = f"exit code {code}" if code > 0 else f"killed by {signal.Signals(-code).name}"
    printed = outcome.stderr.strip() or outcome.stdout.strip()
    return f"{how}: {excerpt.lines(printed, 1)}" if printed else how
