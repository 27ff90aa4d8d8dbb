"""What of a machine adds noise to measurements, and how to mend it. Nothing is changed."""

from dataclasses import dataclass
from pathlib import Path

import psutil

from assay.system.machine import Facts, State

# A load per CPU above which other work takes part in what is measured.
BUSY = 0.1
# Free memory below which the page cache of a shot is squeezed.
LEAST_FREE = 2 * 2**30


@dataclass(frozen=True)
class Advice:
    """One source of noise: what was found, what it does, and how to mend it."""

    found: str
    effect: str
    mend: str

    def __str__(self) -> str:
        return f"{self.found}: {self.effect}. {self.mend}."


def of(facts: Facts, now: State, system: Path = Path("/")) -> list[Advice]:
    """Advice for a machine with these facts and this state; settings are read below `system`."""

    def setting(path: str) -> str:
        try:
            return (system / path).read_text().strip()
        except OSError:
            return ""

    cpus = facts["cpus"] or 1
    advice = []
    if now["load1"] > BUSY * cpus:
        advice.append(
            Advice(
                f"the load of the last minute is {now['load1']:.1f} on {cpus} CPUs",
                "other work takes turns with a shot",
                "Stop it, or measure later; `ps -eo pcpu,comm --sort=-pcpu | head` shows it",
            )
        )
    if now["available_bytes"] < LEAST_FREE:
        advice.append(
            Advice(
                f"{now['available_bytes'] / 2**30:.1f} GiB of memory are free",
                "files leave the page cache between two reads",
                "Stop what holds the memory",
            )
        )
    if facts["governor"] not in ("", "performance"):
        advice.append(
            Advice(
                f"the CPU governor is {facts['governor']}",
                "the clock rises and falls during a shot",
                "As root: cpupower frequency-set -g performance",
            )
        )
    turbo = "sys/devices/system/cpu/intel_pstate/no_turbo", "sys/devices/system/cpu/cpufreq/boost"
    if setting(turbo[0]) == "0" or setting(turbo[1]) == "1":
        path, off = (turbo[0], 1) if setting(turbo[0]) == "0" else (turbo[1], 0)
        advice.append(
            Advice(
                "turbo clocks are on",
                "the clock depends on temperature and on the other cores",
                f"As root: echo {off} > /{path}",
            )
        )
    if facts["hypervisor"] != "none":
        advice.append(
            Advice(
                f"this is a virtual machine ({facts['hypervisor']})",
                "the host shares CPUs, caches and disk with others, unseen but for stolen time",
                "Compare within blocks only, or measure on a machine of your own",
            )
        )
    if facts["clock_source"] not in ("", "tsc", "arch_sys_counter"):
        advice.append(
            Advice(
                f"the clock source is {facts['clock_source']}",
                "reading the time is a system call of up to 1 µs",
                "Boot with tsc=reliable where the processor's counter is sound",
            )
        )
    if facts["file_system"] == "tmpfs":
        advice.append(
            Advice(
                "the project lies in memory (tmpfs)",
                "fsync takes no time, so durable workloads show nothing",
                "Move the project to a disk",
            )
        )
    if setting("sys/class/power_supply/AC/online") == "0":
        advice.append(
            Advice("it runs on battery", "the firmware lowers the clock", "Plug it in"),
        )
    if psutil.swap_memory().used:
        advice.append(
            Advice(
                f"{psutil.swap_memory().used / 2**20:.0f} MiB are swapped out",
                "reading them back delays whatever touches them",
                "As root: swapoff -a && swapon -a",
            )
        )
    return advice


def report(facts: Facts, key: str, now: State) -> str:
    """Key, facts, state and advice, for people."""
    advice = of(facts, now)
    lines = [f"Machine {key}"]
    lines += [f"  {name}: {value}" for name, value in facts.items()]
    lines += ["", "Now", *(f"  {name}: {value}" for name, value in now.items()), ""]
    lines += [f"{len(advice)} warnings" if advice else "No warnings"]
    return "\n".join([*lines, *(f"  - {advised}" for advised in advice)])
