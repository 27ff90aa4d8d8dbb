"""A project of fake engines whose times are known beforehand."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from assay.engines import build
from assay.inputs import manifest, tiers
from assay.inputs.study import Study, load
from assay.measure import plan, session
from assay.raw.records import Plan
from assay.system import files

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def study(tier: str = "smoke", blocks: Any = 2, **changes: Any) -> Study:
    """A study of the fake subsystem."""
    settings = {
        "subsystems": ["fake"],
        "tier": tier,
        "profiles": ["native"],
        "more_profiles": {"smoke": {}, "standard": {}, "full": {}, "published": {}},
        "peers": "all",
        "exclude": [],
        "seed": 1,
        "blocks": {"smoke": 2, "standard": 8, "full": 12, "published": 12, tier: blocks},
    }
    return load(settings | changes)


def metric(column: str, **changes: Any) -> dict[str, Any]:
    """A metric as it stands in a plan."""
    known = {"unit": "1", "factor": 1.0, "better": "lower"}
    flags = {"exact": False, "agree": False, "repeated": False}
    return {"column": column} | known | flags | changes


def project(root: Path, factors: Mapping[str, float], sd: float = 0.03) -> None:
    """Make a project below `root` whose engines take `factors` times 100 ns an operation.

    The engine "reference" is the reference engine; the others become its peers.
    """
    shutil.copytree(ROOT / "config", root / "config")
    for name, factor in factors.items():
        folder = root / "engines" / "fake"
        if name != "reference":
            folder = folder / "peers" / name
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / "replay" / "replay.py", folder)
        text = (HERE / "replay" / "engine.yaml").read_text()
        text = text.replace("--factor=1", f"--factor={factor}").replace("--sd=0.03", f"--sd={sd}")
        value = yaml.safe_load(text)
        if name != "reference":
            value |= {"name": name, "role": "peer", "version": "1", "weight": "light"}
        (folder / "engine.yaml").write_text(yaml.safe_dump(value, sort_keys=False))


def select(root: Path, **about: Any) -> None:
    """Let tier standard of the project select of its fake subsystem; else it measures all."""
    value = {"fake": {"peers": ["slow"], "cells": [{"workload": "replay"}]} | about}
    (root / tiers.FOLDER / "standard.yaml").write_text(yaml.safe_dump(value))


def made_plan(root: Path, study: Study) -> Plan:
    """The plan of a session of the engines below `root`, which are built and verified."""
    found = root / "build" / "tools.json"
    files.write_json(found, {"python": "3"})
    builds, verifications = {}, {}
    [subsystem] = study.subsystems
    for engine in manifest.discover(root, study, subsystem):
        built = root / "build" / subsystem / engine.name / "build.json"
        build.build(engine.path, found, built)
        build.verify(engine.path, built, built.with_name("verify.json"))
        builds[engine.name] = files.read_json(built)
        verifications[engine.name] = files.read_json(built.with_name("verify.json"))
    return plan.make(study, subsystem, "native", builds, verifications, root)


def measured(root: Path, plan: Mapping[str, Any]) -> Path:
    """Run the session of a plan below `root`; the folder of the session."""
    plan_path, pointer = root / "data" / "plan.json", root / "data" / "pointer.json"
    files.write_json(plan_path, plan)
    session.run(plan_path, pointer, root, lock_path=root / "lock", patience_s=0)
    return root / str(files.read_json(pointer)["session_dir"])
