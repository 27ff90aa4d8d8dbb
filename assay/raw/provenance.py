"""How tidy tables came about: session.json, which lies beside them."""

from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

from assay.raw import layout, outside, shotlog
from assay.raw.records import Origin, Plan, SessionFacts, Shot
from assay.system import files

UNKNOWN = Origin(commit="", dirty=None, command="")
"""The origin of a session whose folder does not tell it."""


def origin(folder: Path) -> Origin:
    """Where the raw session in `folder` comes from."""
    path = folder / layout.ORIGIN
    told: Origin = files.read_json(path) if path.exists() else UNKNOWN
    return told


def describe(folder: Path, plan: Plan, shots: list[Shot]) -> SessionFacts:
    """What a reader must know of the raw session in `folder` to judge it and to repeat it.

    Commit, `dirty` and command are those with which the session began. `stopped` says why a
    session has fewer blocks than its plan; empty when it has them all. `left_out` names the peers
    that the machine could not have, with what it lacked. `outside` names what changed outside of
    the folders of shots while an engine's ran.
    """
    ran = [shot for shot in shots if shot.get("exit_code") is not None]
    applied, not_applied = _enforced(shots)
    stopped, began = shotlog.stopped(folder, plan), origin(folder)
    status = Counter(shot["status"] for shot in shots)
    return {
        "key": plan["key"],
        "profile": plan["profile"],
        "tier": plan["tier"],
        "seed": plan["seed"],
        "blocks": stopped["blocks"],
        "stopped": stopped["reason"],
        "profile_applied": applied,
        "profile_not_applied": not_applied,
        "profile_effects": shots[0].get("profile_effects", {}),
        "machine": layout.place(folder).machine,
        "machine_facts": files.read_json(folder / layout.MACHINE),
        "started_at": min((shot["started_at"] for shot in ran), default=""),
        "ended_at": max(map(_ended_at, ran), default=""),
        "commit": began["commit"],
        "dirty": began["dirty"],
        "command": began["command"],
        "session_dir": str(folder),
        "plan": {
            "engines": plan["engines"],
            "workloads": plan["workloads"],
            "toolchain": plan["toolchain"],
        },
        "left_out": plan.get("left_out", {}),
        "shots": len(shots),
        "failed": len(shots) - status["ok"] - status["refused"],
        "refused": status["refused"],
        "noisy": sum(shot.get("noisy", False) for shot in shots),
        "outside": _outside(shots),
    }


def _outside(shots: list[Shot]) -> dict[str, list[str]]:
    """By engine the paths that changed while its shots ran; of many the most frequent ones."""
    counts: dict[str, Counter[str]] = {}
    for shot in shots:
        counts.setdefault(shot["engine"], Counter()).update(shot.get("outside", []))
    told = {
        engine: [path for path, _ in paths.most_common(outside.MOST)]
        for engine, paths in counts.items()
    }
    return {engine: paths for engine, paths in told.items() if paths}


def _enforced(shots: list[Shot]) -> tuple[dict[str, str], dict[str, str]]:
    """What of the profile held in every shot, and why what did not in some.

    A session that went on later may differ in parts.
    """
    not_applied: dict[str, str] = {}
    for shot in shots:
        not_applied = shot.get("profile_not_applied", {}) | not_applied
    applied = shots[0].get("profile_applied", {})
    return {k: how for k, how in applied.items() if k not in not_applied}, not_applied


def _ended_at(shot: Shot) -> str:
    ended = datetime.fromisoformat(shot["started_at"]) + timedelta(seconds=shot["wall_s"])
    return ended.isoformat(timespec="milliseconds")
