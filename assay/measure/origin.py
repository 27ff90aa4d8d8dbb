"""Where a session comes from: the commit it began at, and the command that repeats it."""

import json
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.inputs import study
from assay.inputs.validation import read_yaml
from assay.raw.records import Origin


def of(settings: Mapping[str, Any], root: Path) -> Origin:
    """The content of `origin.json`.

    `settings` are those of the study, in the form of `config/study.yaml`.
    """
    usual = read_yaml(root / study.FILE)
    changes = _git(root, "status", "--porcelain")
    return {
        "commit": _git(root, "rev-parse", "HEAD") or "",
        "dirty": None if changes is None else bool(changes),
        "command": command(settings, usual),
    }


def command(settings: Mapping[str, Any], usual: Mapping[str, Any]) -> str:
    """The command that runs a study with `settings` where config/study.yaml holds `usual`.

    Snakemake's `--config` turns numbers inside of a mapping into text. A setting that is a mapping
    is therefore named behind the command, in a comment.
    """
    changed = {name: value for name, value in settings.items() if usual.get(name) != value}
    shown = {n: v if isinstance(v, str) else json.dumps(v) for n, v in changed.items()}
    by_file = [n for n, value in changed.items() if isinstance(value, dict)]
    given = [f"{n}={text}" for n, text in shown.items() if n not in by_file]
    words = ["./run", "snakemake", "--cores", "all", *(["--config", *given] if given else [])]
    comment = ", ".join(f"{n}: {shown[n]}" for n in by_file)
    return shlex.join(words) + (f"  # config/study.yaml: {comment}" if by_file else "")


def _git(root: Path, *arguments: str) -> str | None:
    """What git prints; None outside of a repository, without git, and where it refuses."""
    try:
        completed = subprocess.run(
            ["git", *arguments], cwd=root, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return None
    return completed.stdout.strip() if completed.returncode == 0 else None
