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
    swapped = psutil.swap_memory().used
    turbo = "sys/devices/system/cpu/intel_pstate/no_turbo", "sys/devices/system/cpu/cpufreq/boost"
    path, off = (turbo[0], 1) if setting(turbo[0]) == "0" else (turbo[1], 0)
    sources = [
        (
            now["load1"] > BUSY * cpus,
            f"the load of the last minute is {now['load1']:.1f} on {cpus} CPUs",
            "other work takes turns with a shot",
            "Stop it, or measure later; `ps -eo pcpu,comm --sort=-pcpu | head` shows it",
        ),
        (
            now["available_bytes"] < LEAST_FREE,
            f"{now['available_bytes'] / 2**30:.1f} GiB of memory are free",
            "files leave the page cache between two reads",
            "Stop what holds the memory",
        ),
        (
            facts["governor"] not in ("", "performance"),
            f"the CPU governor is {facts['governor']}",
            "the clock rises and falls during a shot",
            "As root: cpupower frequency-set -g performance",
        ),
        (
            setting(turbo[0]) == "0" or setting(turbo[1]) == "1",
            "turbo clocks are on",
            "the clock depends on temperature and on the other cores",
            f"As root: echo {off} > /{path}",
        ),
        (
            facts["hypervisor"] != "none",
            f"this is a virtual machine ({facts['hypervisor']})",
            "the host shares CPUs, caches and disk with others, unseen but for stolen time",
            "Compare within blocks only, or measure on a machine of your own",
        ),
        (
            facts["clock_source"] not in ("", "tsc", "arch_sys_counter"),
            f"the clock source is {facts['clock_source']}",
            "reading the time is a system call of up to 1 µs",
            "Boot with tsc=reliable where the processor's counter is sound",
        ),
        (
            facts["file_system"] == "tmpfs",
            "the project lies in memory (tmpfs)",
            "fsync takes no time, so durable workloads show nothing",
            "Move the project to a disk",
        ),
        (
            setting("sys/class/power_supply/AC/online") == "0",
            "it runs on battery",
            "the firmware lowers the clock",
            "Plug it in",
        ),
        (
            swapped > 0,
            f"{swapped / 2**20:.0f} MiB are swapped out",
            "reading them back delays whatever touches them",
            "As root: swapoff -a && swapon -a",
        ),
    ]
    return [Advice(*words) for disturbs, *words in sources if disturbs]


def report(facts: Facts, key: str, now: State) -> str:
    """Key, facts, state and advice, for people."""
    advice = of(facts, now)
    lines = [f"Machine {key}"]
    lines += [f"  {name}: {value}" for name, value in facts.items()]
    lines += ["", "Now", *(f"  {name}: {value}" for name, value in now.items()), ""]
    lines += [f"{len(advice)} warnings" if advice else "No warnings"]
    return "\n".join([*lines, *(f"  - {advised}" for advised in advice)])
