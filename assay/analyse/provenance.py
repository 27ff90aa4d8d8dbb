"""How tidy tables came about: session.json, which lies beside them."""

import subprocess
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any


def describe(
    folder: Path, plan: dict[str, Any], machine_facts: dict[str, Any], shots: list[dict[str, Any]]
) -> dict[str, Any]:
    """What a reader must know of the raw session in `folder` to judge it and to repeat it.

    Commit and `dirty` are those of the working directory, which is where the tables are made.
    """
    ran = [shot for shot in shots if shot.get("exit_code") is not None]
    status = Counter(shot["status"] for shot in shots)
    return {
        **{key: plan[key] for key in ("key", "profile", "tier", "blocks", "seed")},
        **{key: shots[0].get(key, {}) for key in ("profile_applied", "profile_not_applied")},
        "machine": machine(folder),
        "machine_facts": machine_facts,
        "started_at": min((shot["started_at"] for shot in ran), default=""),
        "ended_at": max(map(_ended_at, ran), default=""),
        "commit": _git("rev-parse", "HEAD"),
        "dirty": bool(_git("status", "--porcelain")),
        "command": f"./run snakemake --cores all --config tier={plan['tier']}",
        "session_dir": str(folder),
        "plan": {key: plan[key] for key in ("engines", "workloads", "toolchain")},
        "shots": len(shots),
        "failed": len(shots) - status["ok"] - status["refused"],
        "refused": status["refused"],
        "noisy": sum(shot.get("noisy", False) for shot in shots),
    }


def machine(folder: Path) -> str:
    """The machine's key: sessions lie in raw/<machine>/<subsystem>/<profile>/<plan key>."""
    return folder.absolute().parents[2].name


def _ended_at(shot: dict[str, Any]) -> str:
    ended = datetime.fromisoformat(shot["started_at"]) + timedelta(seconds=shot["wall_s"])
    return ended.isoformat(timespec="milliseconds")


def _git(*arguments: str) -> str:
    """What git prints; empty outside of a repository and without git."""
    try:
        found = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""
