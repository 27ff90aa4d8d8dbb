"""Hardware profiles: limits under which a shot runs, and what of them was enforced."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.validation import ConfigurationError, check, found, read_yaml

# Runtimes that size their thread pools by one of these start as many threads as the profile says.
# GOTO is OpenBLAS's old name; VECLIB is Apple's BLAS.
THREAD_VARIABLES = (
    "GOMAXPROCS",
    "GOTO_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "TOKIO_WORKER_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


@dataclass(frozen=True)
class Applied:
    """A profile on this machine.

    `threads` is the number of threads for the thread variables, `cpus` the CPUs a shot is bound to
    (empty: not bound). `applied` maps a knob to how it is enforced, `not_applied` to why it is not.
    """

    threads: int
    cpus: frozenset[int]
    applied: Mapping[str, str]
    not_applied: Mapping[str, str]


def load(name: str, root: Path) -> dict[str, Any]:
    """The profile `config/hardware/<name>.yaml` below `root`, checked."""
    path = root / "config" / "hardware" / f"{name}.yaml"
    value = read_yaml(path)
    check(value, "hardware", str(path))
    if value["name"] != name:
        raise ConfigurationError([f"{path}: name: expected {name}, found {found(value['name'])}"])
    return dict(value)


def environment() -> dict[str, str]:
    """The thread variables of a shot; the runner fills `{threads}` on the machine."""
    return dict.fromkeys(THREAD_VARIABLES, "{threads}")


def apply(profile: Mapping[str, Any]) -> Applied:
    """Work out what of a checked profile can be enforced on this machine."""
    usable = frozenset(os.sched_getaffinity(0))
    wanted = frozenset(profile.get("cpus", ()))
    applied: dict[str, str] = {}
    not_applied: dict[str, str] = {}
    if wanted and wanted <= usable:
        applied["cpus"] = "sched_setaffinity"
    elif wanted:
        absent = ", ".join(map(str, sorted(wanted - usable)))
        not_applied["cpus"] = f"CPU {absent} cannot be used by this process"
        wanted = frozenset()
    threads = profile["threads"]
    if threads == "all":
        threads = len(wanted or usable)
    applied["threads"] = f"GOMAXPROCS={threads} and {len(THREAD_VARIABLES) - 1} like it"
    return Applied(threads, wanted, applied, not_applied)
