"""How tidy tables came about: session.json, which lies beside them."""

from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from assay.raw import outside, shotlog
from assay.system import files

UNKNOWN = {"commit": "", "dirty": None, "command": ""}
"""The origin of a session whose folder does not tell it."""


def describe(
    folder: Path, plan: dict[str, Any], machine_facts: dict[str, Any], shots: list[dict[str, Any]]
) -> dict[str, Any]:
    """What a reader must know of the raw session in `folder` to judge it and to repeat it.

    Commit, `dirty` and command are those with which the session began. `stopped` says why a
    session has fewer blocks than its plan; empty when it has them all. `left_out` names the peers
    that the machine could not have, with what it lacked. `outside` names what changed outside of
    the folders of shots while an engine's ran.
    """
    ran = [shot for shot in shots if shot.get("exit_code") is not None]
    origin = folder / "origin.json"
    blocks, stopped = shotlog.stopped(folder, plan)
    status = Counter(shot["status"] for shot in shots)
    return {
        **{key: plan[key] for key in ("key", "profile", "tier", "seed")},
        "blocks": blocks,
        "stopped": stopped,
        **_enforced(shots),
        "machine": machine(folder),
        "machine_facts": machine_facts,
        "started_at": min((shot["started_at"] for shot in ran), default=""),
        "ended_at": max(map(_ended_at, ran), default=""),
        **(files.read_json(origin) if origin.exists() else UNKNOWN),
        "session_dir": str(folder),
        "plan": {key: plan[key] for key in ("engines", "workloads", "toolchain")},
        "left_out": plan.get("left_out", {}),
        "shots": len(shots),
        "failed": len(shots) - status["ok"] - status["refused"],
        "refused": status["refused"],
        "noisy": sum(shot.get("noisy", False) for shot in shots),
        "outside": _outside(shots),
    }


def _outside(shots: list[dict[str, Any]]) -> dict[str, list[str]]:
    """By engine the paths that changed while its shots ran; of many the most frequent ones."""
    found: dict[str, Counter[str]] = {}
    for shot in shots:
        found.setdefault(shot["engine"], Counter()).update(shot.get("outside", []))
    told = {
        engine: [path for path, _ in paths.most_common(outside.MOST)]
        for engine, paths in found.items()
    }
    return {engine: paths for engine, paths in told.items() if paths}


def _enforced(shots: list[dict[str, Any]]) -> dict[str, Any]:
    """What of the profile held in every shot. A session that went on later may differ in parts."""
    not_applied: dict[str, str] = {}
    for shot in shots:
        not_applied = shot.get("profile_not_applied", {}) | not_applied
    applied = shots[0].get("profile_applied", {})
    return {
        "profile_applied": {k: how for k, how in applied.items() if k not in not_applied},
        "profile_not_applied": not_applied,
        "profile_effects": shots[0].get("profile_effects", {}),
    }


def machine(folder: Path) -> str:
    """The machine's key: sessions lie in raw/<machine>/<subsystem>/<profile>/<plan key>."""
    return folder.absolute().parents[2].name


def _ended_at(shot: dict[str, Any]) -> str:
    ended = datetime.fromisoformat(shot["started_at"]) + timedelta(seconds=shot["wall_s"])
    return ended.isoformat(timespec="milliseconds")
