"""Hardware profiles: limits under which a shot runs, and what of them was enforced."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil

from assay.disk import rig
from assay.disk.model import Model
from assay.disk.rig import Disk
from assay.inputs.validation import ConfigurationError, check, found, place, read_yaml
from assay.measure import effects, limits
from assay.measure.limits import Backend, Limits
from assay.raw.records import Effect

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
    (empty: not bound), `backend` sets the `limits` of a shot, and `disk` is the emulated disk that
    shots work on (None: the disk of the project). `applied` maps a knob to how it is enforced,
    `not_applied` to why it is not, `effects` to what was measured of it.
    """

    threads: int
    cpus: frozenset[int]
    applied: Mapping[str, str]
    not_applied: Mapping[str, str]
    limits: Limits = field(default_factory=Limits)
    backend: Backend | None = None
    disk: Disk | None = None
    effects: Mapping[str, Effect] = field(default_factory=dict)


def load(name: str, root: Path) -> dict[str, Any]:
    """The profile `config/hardware/<name>.yaml` below `root`, checked."""
    path = root / "config" / "hardware" / f"{name}.yaml"
    value = read_yaml(path)
    check(value, "hardware", path)
    if value["name"] != name:
        named = value["name"]
        where = place(path, ["name"], named)
        raise ConfigurationError([f"{where}: name: expected {name}, found {found(named)}"])
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
    limited = _possible(profile, len(wanted or usable), not_applied)
    backend, reason = limits.choose(limited)
    for knob in limited.knobs():
        if backend and knob in backend.covers:
            applied[knob] = backend.name
        else:
            not_applied[knob] = reason
    return Applied(threads, wanted, applied, not_applied, limited, backend)


@contextmanager
def enforced(profile: Mapping[str, Any], scratch: Path) -> Iterator[Applied]:
    """The profile while a session works in `scratch`: its disk started, each limit checked.

    First it removes what runners that were killed have left. A limit that does not do what it
    should is not enforced: it is taken off and told under `not_applied`.
    """
    limits.clear()
    place = scratch / "disk"
    rig.clear(place)
    with ExitStack() as stack:
        applied = apply(profile)
        if applied.backend:
            stack.enter_context(limits.kept())
        if wanted := profile.get("disk"):
            applied = _with_disk(applied, Model(**wanted), place, stack)
        yield _checked(applied, scratch)


def _possible(profile: Mapping[str, Any], cpus: int, not_applied: dict[str, str]) -> Limits:
    """The limits that this machine can reach; why not for the others."""
    quota, mib = profile.get("cpu_quota"), profile.get("memory_mib")
    if quota is not None and quota > cpus:
        not_applied["cpu_quota"] = f"wanted {quota:g} CPUs, there are {cpus}"
        quota = None
    total = psutil.virtual_memory().total // 2**20
    if mib is not None and mib > total:
        not_applied["memory_mib"] = f"wanted {mib} MiB, there are {total}"
        mib = None
    return Limits(quota, mib * 2**20 if mib else None)


def _with_disk(applied: Applied, model: Model, place: Path, stack: ExitStack) -> Applied:
    try:
        disk = stack.enter_context(rig.running(place, model))
    except rig.UnavailableError as error:
        return replace(applied, not_applied={**applied.not_applied, "disk": str(error)})
    how = f"emulated: {model.words()}"
    return replace(applied, disk=disk, applied={**applied.applied, "disk": how})


def _checked(applied: Applied, scratch: Path) -> Applied:
    """The profile with the effect of each knob; one without its effect is taken off."""
    folder = (applied.disk.mount if applied.disk else scratch) / "effects"
    knob_effects: dict[str, Effect] = {}
    if applied.disk or applied.backend:
        folder.mkdir(parents=True, exist_ok=True)
    if applied.backend and "cpu_quota" in applied.applied:
        knob_effects["cpu_quota"] = effects.cpu_quota(applied.backend, applied.limits, folder)
    if applied.backend and "memory_mib" in applied.applied:
        knob_effects["memory_mib"] = effects.memory(applied.backend, applied.limits, folder)
    if applied.disk:
        knob_effects["disk"] = effects.fsync(applied.disk.model.fsync_s(), folder)
    shutil.rmtree(folder, ignore_errors=True)
    good, bad = dict(applied.applied), dict(applied.not_applied)
    for knob, effect in knob_effects.items():
        how = good.pop(knob)
        if effect["holds"]:
            good[knob] = f"{how}; {effect['words']}"
        else:
            bad[knob] = f"{how} did not hold: {effect['words']}"
    kept = Limits(
        applied.limits.cpus if "cpu_quota" in good else None,
        applied.limits.memory if "memory_mib" in good else None,
    )
    return replace(
        applied,
        applied=good,
        not_applied=bad,
        limits=kept,
        backend=applied.backend if kept.knobs() else None,
        disk=applied.disk if "disk" in good else None,
        effects=knob_effects,
    )
