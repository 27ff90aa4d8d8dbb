"""Build an engine into its folder below `build/`, and check it before it is timed."""

import shutil
from pathlib import Path

from assay import files, manifest, placeholders, step

NOT_BUILT = "not verified: the build failed"


def build(engine: Path, toolchain: Path, out: Path) -> bool:
    """Build the engine of manifest `engine`; write the outcome to `out`; tell whether it worked.

    The folder of `out` is emptied first: what lies in it afterwards is from this build alone.
    """
    spec = manifest.load(engine)
    shutil.rmtree(out.parent, ignore_errors=True)
    out.parent.mkdir(parents=True)
    outcome = step.run(_argv(spec.build.command, out), engine.parent, spec.build.timeout_s)
    facts = outcome.facts()
    missing = [name for name in spec.build.outputs if not (out.parent / name).exists()]
    if outcome.ok and missing:
        facts |= {"status": "failed", "reason": f"the build made no {', '.join(missing)}"}
    facts |= {
        "source_hash": manifest.source_hash(spec),
        "toolchain": files.read_json(toolchain),
    }
    files.write_json(out, facts)
    return facts["status"] == "ok"


def verify(engine: Path, built: Path, out: Path) -> bool:
    """Run the correctness gate of the engine that `built` (its `build.json`) tells of."""
    spec = manifest.load(engine)
    if files.read_json(built)["status"] != "ok":
        facts: dict[str, object] = {
            "status": "failed",
            "reason": NOT_BUILT,
            "seconds": 0.0,
            "printed": "",
        }
    else:
        outcome = step.run(_argv(spec.verify.command, built), engine.parent, spec.verify.timeout_s)
        facts = outcome.facts() | {"printed": outcome.printed}
    files.write_json(out, facts)
    return facts["status"] == "ok"


def _argv(command: tuple[str, ...], built: Path) -> list[str]:
    return placeholders.fill(command, {"build": built.parent.resolve()})
