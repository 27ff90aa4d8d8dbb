"""What the configured study will take on this machine, told before its first minute.

Nothing is built, installed or measured; the network is asked once by each package manager.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assay.disk import rig
from assay.disk.model import Model
from assay.engines import store
from assay.inputs import manifest, tiers
from assay.inputs.manifest import Manifest
from assay.inputs.study import Study
from assay.measure import expected, profile
from assay.measure.plan import duration
from assay.pipeline import outlook
from assay.system import tools

BUILD_BYTES = 3 * 10**8
"""On disk, of a build that was never made here: its outputs, and what it downloads and compiles."""

RUN_BYTES = 2 * 10**9
"""On disk, of the environment, raw and tidy data and pages."""

# What asks the registry of each package manager for something small that is not kept here.
_ASKED: Mapping[str, Sequence[str]] = {
    "cargo": ("cargo", "info", "--quiet", "serde"),
    "go": ("go", "list", "-m", "golang.org/x/sys@latest"),
    "npm": ("npm", "view", "typescript", "version"),
}
_PATIENCE_S = 20.0


def report(study: Study, root: Path = Path()) -> tuple[list[str], bool]:
    """Lines for people, and whether the study can begin."""
    engines = [e for name in study.subsystems for e in manifest.discover(root, study, name)]
    reasons = tools.needed(engines)
    versions = tools.versions(reasons)
    # What the first step would install is as good as there.
    lacking = [name for name in reasons if tools.fault(name, versions[name])]
    arriving = [name for name in lacking if tools.installable(name)]
    hoped = versions | {name: tools.TOOLS[name].least for name in arriving}
    taking_part = [engine for engine in engines if not tools.faults(engine, hoped)]
    refused = tools.refusal([e for e in engines if tiers.required(e, study)], hoped)
    sessions = {
        f"{name}/{each}": expected.session_s(study, name, each, root)
        for name in study.subsystems
        for each in study.profiles_of(name)
    }
    to_build = [e for e in taking_part if outlook.build_s(e, versions) != outlook.KEPT_S]
    lines = [
        f"Study    {_study(study, taking_part)}",
        f"Time     {_time(taking_part, len(to_build), versions, sum(sessions.values()), root)}",
        *_column("Sessions", outlook.table(sessions)),
        f"Disk     {_disk(study, len(to_build), root)}",
        *_column("Tools", _tools(study, engines, versions, arriving, lacking)),
        *_column("Rights", _rights(study, root)),
        *_column("Network", _network(to_build, versions)),
    ]
    return [*lines, *([refused] if refused else [])], not refused


def _study(study: Study, engines: Sequence[Manifest]) -> str:
    peers = sum(engine.role == "peer" for engine in engines)
    return (
        f"tier {study.tier}: {', '.join(study.subsystems)}; "
        f"{len(engines) - peers} reference engines, {peers} peers"
    )


def _time(
    engines: Sequence[Manifest],
    to_build: int,
    versions: Mapping[str, str],
    sessions: float,
    root: Path,
) -> str:
    cores = os.cpu_count() or 1
    builds = sum(outlook.build_s(engine, versions) for engine in engines) / cores
    gates = sum(outlook.gate_s(engine, versions) for engine in engines) / cores
    pages = len(list((root / "notebooks").glob("*.ipynb")))
    drawn = pages * (outlook.RULE_S["figures"] + outlook.RULE_S["report"]) / cores
    parts = {
        f"{to_build} builds": builds,
        f"{len(engines)} gates": gates,
        "sessions": sessions,
        f"{pages} pages": drawn,
    }
    told = ", ".join(f"{name} {duration(seconds)}" for name, seconds in parts.items())
    return f"about {duration(sum(parts.values()))} on {cores} CPUs: {told}"


def _disk(study: Study, to_build: int, root: Path) -> str:
    hardware = (profile.load(name, root) for name in _profiles(study))
    emulated = [Model(**each["disk"]).size_mib * 2**20 for each in hardware if "disk" in each]
    image = 0 if rig.missing() else max(emulated, default=0)  # a session's is gone with it
    wanted = RUN_BYTES + to_build * BUILD_BYTES + image
    home = store.home()
    there = next(path for path in (home, *home.parents) if path.exists())
    free = min(shutil.disk_usage(place).free for place in (root.resolve(), there))
    short = "" if free > wanted else "; that is not enough"
    return f"about {wanted / 1e9:.0f} GB to be written, {free / 1e9:.0f} GB free{short}"


def _tools(
    study: Study,
    engines: Sequence[Manifest],
    versions: Mapping[str, str],
    arriving: Sequence[str],
    lacking: Sequence[str],
) -> Iterator[str]:
    reasons = tools.needed(engines)
    yield f"{len(reasons) - len(lacking)} of {len(reasons)} are here"
    for name in lacking:
        fate = "the first step installs it" if name in arriving else "cannot be installed here"
        yield f"{tools.fault(name, versions[name])}: {fate}; needed by {', '.join(reasons[name])}"
    absent = set(lacking) - set(arriving)
    for engine in engines:
        if not tiers.required(engine, study) and absent & tools.of(engine):
            yield f"left out: {engine.subsystem}/{engine.name}"


def _rights(study: Study, root: Path) -> Iterator[str]:
    can = "may" if tools.may_install() else "may not (apt-get as root)"
    yield f"this process {can} install packages"
    for name in _profiles(study):
        wanted = profile.load(name, root)
        missing = dict(profile.apply(wanted).not_applied)
        if "disk" in wanted and (reason := rig.missing()):
            missing["disk"] = reason
        for knob, reason in missing.items():
            yield f"profile {name}: {knob} will not be enforced: {reason}"


def _profiles(study: Study) -> list[str]:
    return sorted({name for each in study.subsystems for name in study.profiles_of(each)})


def _network(to_build: Sequence[Manifest], versions: Mapping[str, str]) -> Iterator[str]:
    used = [name for name in _ASKED if any(name in tools.of(engine) for engine in to_build)]
    here = [name for name in used if versions[name]]
    if not used:
        yield f"not asked: no build is left by {', '.join(_ASKED)}"
        return
    with ThreadPoolExecutor() as pool:
        answers = dict(zip(here, pool.map(_answers, here), strict=True))
    for name in used:
        if name not in here:
            yield f"{name}: builds download by it, and it is not here yet"
        else:
            told = "its registry answers" if answers[name] else "no answer from its registry"
            yield f"{name}: {told}; builds download by it"


def _answers(name: str) -> bool:
    try:
        asked = subprocess.run(
            _ASKED[name], capture_output=True, timeout=_PATIENCE_S, check=False, cwd="/"
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def _column(title: str, lines: Iterable[str]) -> list[str]:
    """Lines under one title."""
    return [f"{title if i == 0 else '':8} {line}" for i, line in enumerate(lines)]
