"""The machine: facts that a reboot does not change, its key, and facts that change all the time."""

import hashlib
import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypedDict

import psutil

# The facts that make one machine another one. Settings that an administrator may change are
# recorded beside them and do not make a new machine.
KEY_FACTS = ("cpu_model", "cpu_flags", "cpus", "memory_gib", "architecture", "kernel", "hypervisor")


class Processor(TypedDict):
    """A processor."""

    cpu_model: Annotated[str, "model of the processor"]
    cpu_flags: Annotated[str, "hash of what the processor can do"]


class Facts(Processor):
    """Facts of a machine that a reboot does not change; empty where the system does not tell."""

    cpus: Annotated[int, "logical CPUs"]
    cores: Annotated[int | None, "physical cores"]
    l3_bytes: Annotated[int | None, "size of the last cache"]
    memory_bytes: Annotated[int, "main memory that the kernel leaves"]
    memory_gib: Annotated[int, "main memory in whole GiB, rounded up"]
    architecture: Annotated[str, "kind of processor, such as `x86_64`"]
    kernel: Annotated[str, "version of the kernel, two numbers of it"]
    kernel_release: Annotated[str, "version of the kernel, whole"]
    hypervisor: Annotated[str, "vendor of the virtual machine; `none` on bare metal"]
    system: Annotated[str, "name of the distribution"]
    clock_source: Annotated[str, "what the kernel reads the time from"]
    governor: Annotated[str, "what sets the frequency of the CPUs"]
    huge_pages: Annotated[str, "whether memory is given in huge pages"]
    address_randomization: Annotated[str, "whether addresses differ from process to process"]
    file_system: Annotated[str, "type of the file system that shots work on"]


class State(TypedDict, total=False):
    """The state of a machine at a moment."""

    load1: Annotated[float, "load average of the last minute"]
    cpu_pressure: Annotated[
        float | None, "percentage of the last 10 s in which some process waited for a CPU"
    ]
    steal_s: Annotated[float, "time that the host took since boot"]
    available_bytes: Annotated[int, "memory that can be had without swapping"]


def facts(root: Path) -> Facts:
    """What is known of the machine and of the disk that sessions below `root` work on."""
    memory = psutil.virtual_memory().total
    return {
        **processor(),
        "cpus": os.cpu_count() or 1,
        "cores": psutil.cpu_count(logical=False),
        "l3_bytes": _cache_bytes(),
        "memory_bytes": memory,
        # The kernel takes a share that varies with its version, so the key uses whole GiB.
        "memory_gib": -(-memory // 2**30),
        "architecture": platform.machine(),
        "kernel": ".".join(platform.release().split(".")[:2]),
        "kernel_release": platform.release(),
        "hypervisor": _hypervisor(),
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", ""),
        "clock_source": _read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "huge_pages": _read("/sys/kernel/mm/transparent_hugepage/enabled"),
        "address_randomization": _read("/proc/sys/kernel/randomize_va_space"),
        "file_system": _file_system(scratch(root).resolve()),
    }


def processor() -> Processor:
    """The model of the processor, and a hash of what it can do."""
    return {
        "cpu_model": _cpuinfo().get("model name", platform.machine()),
        "cpu_flags": hashlib.sha256(" ".join(_flags()).encode()).hexdigest()[:8],
    }


def key(facts: Facts) -> str:
    """A name for the machine: "2cpu-24gib-1a2b3c4d", stable over reboots."""
    known: Mapping[str, object] = facts
    stable = json.dumps([known[name] for name in KEY_FACTS])
    digest = hashlib.sha256(stable.encode()).hexdigest()[:8]
    return f"{facts['cpus']}cpu-{facts['memory_gib']}gib-{digest}"


def scratch(root: Path) -> Path:
    """Where sessions on this machine work.

    Nodes of a cluster that share `root` measure at the same time, each in a folder of its own.
    """
    return root / "scratch" / platform.node()


def volatile() -> State:
    """The state of the machine now."""
    pressure = _read("/proc/pressure/cpu")
    return {
        "load1": os.getloadavg()[0],
        "cpu_pressure": float(pressure.split("avg10=")[1].split()[0]) if pressure else None,
        "steal_s": getattr(psutil.cpu_times(), "steal", 0.0),
        "available_bytes": psutil.virtual_memory().available,
    }


def _read(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def _cpuinfo() -> dict[str, str]:
    """The first CPU of /proc/cpuinfo."""
    first = _read("/proc/cpuinfo").split("\n\n")[0]
    pairs = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _flags() -> list[str]:
    cpu = _cpuinfo()
    return sorted(cpu.get("flags", cpu.get("Features", "")).split())


def _hypervisor() -> str:
    if "hypervisor" not in _flags():
        return "none"
    return _read("/sys/class/dmi/id/sys_vendor") or "unknown"


def _cache_bytes() -> int | None:
    size = _read("/sys/devices/system/cpu/cpu0/cache/index3/size").removesuffix("K")
    return 1024 * int(size) if size else None


def _file_system(place: Path) -> str:
    """The type of the file system that `place` is on."""
    disks = [d for d in psutil.disk_partitions(all=True) if place.is_relative_to(d.mountpoint)]
    return max(disks, key=lambda disk: len(disk.mountpoint)).fstype if disks else ""
