"""What is left without control groups: fewer CPUs, and less data for each process.

A quota that is a whole number of CPUs is the same as that many CPUs. RLIMIT_DATA makes an
allocation fail where a control group would kill, and knows neither page cache nor the sum over
processes; the check by effect says so.
"""

import os
import resource

from assay.measure.limits import Backend, Group, Limits, UnavailableError


class Own(Group):
    """Limits that the shot's first process sets on itself and hands down; they end with it."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def enter(self) -> None:
        """Set the limits on this process."""
        if self._limits.cpus is not None and self._limits.cpus == int(self._limits.cpus):
            usable = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, usable[: int(self._limits.cpus)])
        if self._limits.memory is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (self._limits.memory,) * 2)


class Weak(Backend):
    """Affinity and resource limits, which need no privilege."""

    name = "affinity and RLIMIT_DATA of each process"

    def __init__(self, covers: frozenset[str]) -> None:
        self.covers = covers

    def group(self, limits: Limits) -> Own:
        """Limits of a process."""
        return Own(limits)


def find(limits: Limits) -> Weak:
    """The knobs that can be set. UnavailableError when it is none."""
    covers = {"memory_mib"} if limits.memory is not None else set()
    if limits.cpus is not None and limits.cpus == int(limits.cpus):
        covers.add("cpu_quota")
    if not covers:
        raise UnavailableError("affinity cannot give a part of a CPU")
    return Weak(frozenset(covers))
