"""Noise: what else the machine did, and a gate that waits for a quiet moment.

The load average and the averaged pressure remember the previous shot for seconds, so the gate
looks at counters over a short window in which the session itself is idle.
"""

import hashlib
import os
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

# Shares of one CPU above which something disturbs: what other processes used, what the host took,
# and the time in which some process waited for a CPU.
FOREIGN = 0.10
STEAL = 0.02
PRESSURE = 0.05
# Clock ticks are 10 ms, so less than this is not told from nothing in a short shot.
TICKS_S = 0.05
# How much slower or faster the calibration loop may be after a shot than before it.
DRIFT = 0.10

WINDOW_S = 0.5
PATIENCE_S = 60.0


@dataclass(frozen=True)
class Counters:
    """Seconds, growing since boot: a clock, busy CPU time, stolen time, time under pressure."""

    clock: float
    busy: float
    steal: float
    pressure: float

    @classmethod
    def read(cls) -> "Counters":
        """The counters of this moment."""
        times = psutil.cpu_times()
        steal = getattr(times, "steal", 0.0)
        busy = times.user + times.nice + times.system + times.irq + times.softirq
        return cls(time.monotonic(), busy, steal, _pressure_s())


@dataclass(frozen=True)
class Calibration:
    """Seconds of a fixed CPU loop, and of one fdatasync of 4 KiB."""

    cpu_s: float
    fdatasync_s: float


class Gate:
    """Waits for a quiet moment before each block, `patience_s` seconds in the whole session.

    Then it lets the session go on and says what is wrong.
    """

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._left = patience_s

    def wait(self) -> list[str]:
        """Reasons why the machine is not quiet; none when it is."""
        while True:
            before = Counters.read()
            time.sleep(WINDOW_S)
            after = Counters.read()
            reasons = disturbances(before, after, own_s=0.0)
            waited = (after.pressure - before.pressure) / (after.clock - before.clock)
            if waited > PRESSURE:
                reasons.append(f"processes waited for a CPU in {waited:.0%} of the time")
            if not reasons or self._left <= 0:
                return [f"before the block, {reason}" for reason in reasons]
            self._left -= WINDOW_S


def disturbances(before: Counters, after: Counters, own_s: float) -> list[str]:
    """What others did between two readings, when `own_s` seconds of CPU time were our own."""
    elapsed = after.clock - before.clock
    foreign = after.busy - before.busy - own_s
    stolen = after.steal - before.steal
    reasons = []
    if foreign > max(FOREIGN * elapsed, TICKS_S):
        reasons.append(f"other processes used {foreign / elapsed:.2f} CPUs")
    if stolen > max(STEAL * elapsed, TICKS_S):
        reasons.append(f"the host took {stolen / elapsed:.2f} CPUs")
    return reasons


def calibrate(folder: Path) -> Calibration:
    """Time a CPU loop, the best of 3, and fdatasync in `folder`, the median of 5."""
    data = bytes(2**22)
    loops = []
    for _ in range(3):
        start = time.perf_counter()
        hashlib.sha256(data).digest()
        loops.append(time.perf_counter() - start)
    path = folder / "calibration"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    syncs = []
    try:
        for _ in range(5):
            os.pwrite(descriptor, data[:4096], 0)
            start = time.perf_counter()
            os.fdatasync(descriptor)
            syncs.append(time.perf_counter() - start)
    finally:
        os.close(descriptor)
        path.unlink()
    return Calibration(min(loops), statistics.median(syncs))


def drift(before: Calibration, after: Calibration) -> list[str]:
    """A reason when the speed of the CPU changed between two calibrations."""
    change = after.cpu_s / before.cpu_s - 1
    if abs(change) <= DRIFT:
        return []
    return [f"the calibration loop took {change:+.0%} after the shot"]


def _pressure_s() -> float:
    """Seconds in which some process waited for a CPU; 0 where the kernel does not tell."""
    try:
        some = Path("/proc/pressure/cpu").read_text().splitlines()[0]
    except OSError:
        return 0.0
    return int(some.split("total=")[1]) / 1e6
