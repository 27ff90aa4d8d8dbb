"""Limits of CPU time and memory on a shot as a whole, by the strongest means of the machine.

A back end makes one group for each shot: the shot enters it before it executes its program, what it
starts is in it too, and nothing of it is left after `close`.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    """`cpus` is CPU seconds a second, `memory` bytes with page cache and without swap."""

    cpus: float | None = None
    memory: int | None = None

    def knobs(self) -> list[str]:
        """The knobs of a profile that are set."""
        return [
            *(["cpu_quota"] if self.cpus is not None else []),
            *(["memory_mib"] if self.memory is not None else []),
        ]


@dataclass(frozen=True)
class Usage:
    """What the kernel accounted for a group; None where the back end does not tell.

    `peak_bytes` is memory with page cache, `throttled_s` the time in which the quota was used up.
    """

    peak_bytes: int | None = None
    throttled_s: float | None = None
    oom_kills: int | None = None


class Group:
    """One shot's group. What a back end does not say of its own needs nothing, or cannot be had."""

    prefix: Sequence[str] = ()
    """What goes before the shot's argv."""

    def prefer(self) -> None:
        """Let it go before other work on a busy machine, where that can be had."""

    def enter(self) -> None:
        """Put this process, a child that is to become the shot, into the group."""

    def usage(self) -> Usage:
        """What was accounted for the group so far."""
        return Usage()

    def close(self) -> None:
        """Remove the group, which has no process any more."""


class Backend:
    """A way to limit shots: its `name`, as reports say it, and the knobs that it can set."""

    name: str
    covers = frozenset({"cpu_quota", "memory_mib"})

    def group(self, limits: Limits) -> Group:
        """A group with those of `limits` that it covers. OSError where it cannot be made."""
        raise NotImplementedError


class UnavailableError(Exception):
    """Why a back end cannot be used on this machine."""


def choose(limits: Limits) -> tuple[Backend | None, str]:
    """The strongest back end that sets any of `limits`, and why stronger ones cannot be had."""
    from assay.measure.limits import cgroup, scope, weak

    if not limits.knobs():
        return None, ""
    reasons: list[str] = []
    finders: list[Callable[[Limits], Backend]] = [
        cgroup.version2,
        cgroup.version1,
        scope.find,
        weak.find,
    ]
    for find in finders:
        try:
            return find(limits), "; ".join(reasons)
        except UnavailableError as error:
            reasons.append(str(error))
    return None, "; ".join(reasons)


def clear() -> None:
    """Remove the groups of runners that were killed, and kill what they left running in them."""
    from assay.measure.limits import cgroup

    cgroup.clear()


@contextmanager
def kept() -> Iterator[None]:
    """Groups that are made in the block go also when this process is killed.

    A process of its own, in a session of its own, waits for that: `assay.measure.limits.keeper`.
    """
    keeper = subprocess.Popen(
        [sys.executable, "-m", "assay.measure.limits.keeper", str(os.getpid())],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        keeper.kill()
        keeper.wait()


@contextmanager
def grouped(backend: Backend | None, limits: Limits) -> Iterator[Group | None]:
    """A group for one shot, gone at the end; None when there is nothing to limit."""
    if backend is None:
        yield None
        return
    group = backend.group(limits)
    try:
        yield group
    finally:
        with suppress(FileNotFoundError):
            group.close()
