"""Build an engine, and check it before it is timed; what is kept is not done again.

Beside the outcomes `build.json` and `verify.json` lies `made`, a link to the build in the store.
The outcomes of what is kept are links, too: when it is gone from the store, they are missing.
A peer that this machine has not the tools for is left out of the study: neither built nor failed.
"""

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from assay.engines import store
from assay.inputs import manifest, placeholders
from assay.inputs.manifest import Manifest
from assay.system import files, machine, step, tools


def build(engine: Path, versions_path: Path, out: Path) -> bool:
    """Build the engine of manifest `engine`; write the outcome to `out`; tell whether it worked.

    `versions_path` is the file of the tools' versions.
    """
    spec = manifest.load(engine)
    versions = files.read_json(versions_path)
    toolchain = tools.recorded(spec, versions)
    identity = {"source_hash": manifest.source_hash(spec), "toolchain": toolchain}
    link = made(out)
    link.unlink(missing_ok=True)
    if lacking := tools.faults(spec, versions):
        status = step.LEFT_OUT if spec.role == "peer" else "failed"
        facts = {"status": status, "reason": "; ".join(lacking), "seconds": 0.0}
        _write(out, facts | identity, None)
        return False

    def make(folder: Path, lock: int) -> store.Facts:
        outcome = _run(spec, spec.build.command, spec.build.timeout_s, folder, lock)
        facts = outcome.facts()
        missing = [name for name in spec.build.outputs if not (folder / name).exists()]
        if outcome.ok and missing:
            facts |= {"status": "failed", "reason": f"the build made no {', '.join(missing)}"}
        return facts | identity

    facts, entry = store.take(f"{spec.subsystem}/{spec.name}", key(spec, toolchain), make)
    if entry:
        files.link(link, entry / store.MADE)
    _write(out, facts, entry and entry / store.BUILD)
    store.bound()
    return entry is not None


def forget_others(root: Path, engines: Iterable[Manifest], versions: Mapping[str, str]) -> None:
    """Remove the outcomes below `root` of builds that are not here, or by other tools than these.

    A step of the pipeline cannot depend on the versions themselves, which change when it installs,
    nor on the link to a build.
    """
    for engine in engines:
        out = root / engine.subsystem / engine.name / "build.json"
        if not out.exists():
            continue
        facts = files.read_json(out)
        lost = facts["status"] == "ok" and not made(out).exists()
        if lost or facts["toolchain"] != tools.recorded(engine, versions):
            out.unlink()


def verify(engine: Path, built: Path, out: Path) -> bool:
    """Run the correctness gate of the engine that `built` (its `build.json`) tells of."""
    spec = manifest.load(engine)
    if files.read_json(built)["status"] != "ok":
        none = {"status": "failed", "reason": step.NOT_BUILT, "seconds": 0.0, "printed": ""}
        files.write_json(out, none)
        return False
    folder = made(built).resolve()

    def gate() -> store.Facts:
        outcome = _run(spec, spec.verify.command, spec.verify.timeout_s, folder)
        return outcome.facts() | {"printed": outcome.printed}

    facts, record = store.check(folder.parent, manifest.gate_hash(spec), gate)
    _write(out, facts, record)
    return record is not None


def made(outcome: Path) -> Path:
    """The build that `outcome`, a `build.json` or `verify.json`, tells of: {build} in commands."""
    return outcome.with_name(store.MADE)


def key(spec: Manifest, toolchain: Mapping[str, str]) -> str:
    """What decides a build: recipe, sources, tools, system, and the processor that it is for."""
    system = platform.freedesktop_os_release()
    what: list[Any] = [
        manifest.source_hash(spec),
        dict(toolchain),
        [platform.machine(), system.get("ID"), system.get("VERSION_ID")],
        machine.processor() if manifest.is_native(spec) else None,
    ]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]


def _run(
    spec: Manifest, command: tuple[str, ...], timeout_s: float, folder: Path, *open_: int
) -> step.Outcome:
    with store.cargo(spec.subsystem) as cargo:
        return step.run(
            placeholders.fill(command, {"build": folder}),
            spec.path.parent,
            timeout_s,
            {"CARGO_TARGET_DIR": str(cargo)},
            open_,
        )


def _write(out: Path, facts: store.Facts, kept: Path | None) -> None:
    if kept:
        files.link(out, kept)
    else:
        files.write_json(out, facts)
