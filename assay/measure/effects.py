"""Limits checked by what they do, before a session trusts them."""

import math
import sys
from dataclasses import replace
from pathlib import Path

from assay.measure import limits, noise, shot
from assay.measure.limits import Backend, Limits
from assay.raw.records import Effect

# How far the CPU time of a burn loop may be from its quota.
TOLERANCE = 0.10
# On a busy machine the loop gets less than its quota; the best of so many attempts counts.
ATTEMPTS = 3
# A larger memory limit is checked by the same means with this limit: filling 16 GiB disturbs.
LARGEST_MIB = 1024
# An emulated disk also spends the time of its file system and of this machine. On a busy machine it
# is served late, which is noise and not the disk: the least of so many attempts counts.
FSYNC_FACTOR, FSYNC_SLACK_S = 2.0, 0.005
FSYNC_ATTEMPTS = 10

# Spins on argv[1] processes, and prints the CPU seconds a second that all of them got.
# The first 0.2 s are left out: they begin in the middle of a period.
_BURN = """
import os, sys, time
r, w = os.pipe()
for _ in range(int(sys.argv[1])):
    if not os.fork():
        end = time.monotonic() + 0.2
        while time.monotonic() < end: pass
        cpu, start = time.process_time(), time.monotonic()
        while time.monotonic() - start < 2: pass
        got = (time.process_time() - cpu) / (time.monotonic() - start)
        os.write(w, b"%.4f\\n" % got)
        os._exit(0)
os.close(w)
for _ in range(int(sys.argv[1])): os.wait()
print(sum(map(float, os.read(r, 65536).split())))
"""

# Fills argv[1] MiB of memory, 8 MiB at a time.
_FILL = """
import sys
kept = []
for at in range(0, int(sys.argv[1]), 8):
    kept.append(b"x" * (8 * 2**20))
    print(at + 8, flush=True)
"""


def cpu_quota(backend: Backend, wanted: Limits, folder: Path) -> Effect:
    """A burn loop on as many processes as the quota has CPUs, rounded up."""
    assert wanted.cpus is not None
    got, words = 0.0, ""
    for _ in range(ATTEMPTS):
        outcome = _run(backend, replace(wanted, memory=None), folder, _BURN, math.ceil(wanted.cpus))
        if outcome.status != "ok":
            words = f"the burn loop failed: {outcome.reason}"
            break
        got = max(got, float(outcome.stdout))
        words = f"a burn loop got {got:.2f} of {wanted.cpus:g} CPUs"
        if got >= (1 - TOLERANCE) * wanted.cpus:
            break
    holds = abs(got / wanted.cpus - 1) <= TOLERANCE
    return Effect(wanted=wanted.cpus, measured=got, unit="CPUs", holds=holds, words=words)


def memory(backend: Backend, wanted: Limits, folder: Path) -> Effect:
    """An allocation of a quarter more than the limit, which has to be killed as out of memory."""
    assert wanted.memory is not None
    mib = min(wanted.memory // 2**20, LARGEST_MIB)
    outcome = _run(backend, Limits(memory=mib * 2**20), folder, _FILL, mib + max(mib // 4, 64))
    got = float((outcome.stdout.split() or ["0"])[-1])
    holds = outcome.status == "oom" and 0.8 * mib <= got <= mib
    ended = "was killed" if outcome.status == "oom" else f"ended {outcome.status}"
    why = "" if outcome.status in ("oom", "ok") else f" ({outcome.reason})"
    words = f"an allocation under a limit of {mib} MiB {ended} after {got:.0f} MiB{why}"
    return Effect(wanted=mib, measured=got, unit="MiB", holds=holds, words=words)


def fsync(expected_s: float, folder: Path) -> Effect:
    """A write of 4 KiB and fdatasync, median of 5; `expected_s` is what the disk model says."""
    most, got = FSYNC_FACTOR * expected_s + FSYNC_SLACK_S, math.inf
    for _ in range(FSYNC_ATTEMPTS):
        got = min(got, noise.calibrate(folder).fdatasync_s)
        if got <= most:
            break
    holds = 0.9 * expected_s <= got <= most
    words = f"fdatasync of 4 KiB took {1000 * got:.1f} ms, the model says {1000 * expected_s:.1f}"
    return Effect(wanted=expected_s, measured=got, unit="s", holds=holds, words=words)


def _run(backend: Backend, wanted: Limits, folder: Path, code: str, number: int) -> shot.Finished:
    argv = [sys.executable, "-S", "-E", "-c", code, str(number)]
    with limits.grouped(backend, wanted) as group:
        assert group
        group.prefer()  # the limit is checked, not how busy the machine is
        return shot.run(argv, folder, {}, 60.0, group=group)
