"""The versions of the tools that make or run what is measured."""

import platform
import re
import subprocess
from collections.abc import Mapping

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "go": ("go", "version"),
    "hyperfine": ("hyperfine", "--version"),
    "rust": ("rustc", "--version"),
}


def versions() -> dict[str, str]:
    """Tool name to version; a tool that is not installed has the version "missing"."""
    return {"python": platform.python_version()} | {
        tool: _version(command) for tool, command in COMMANDS.items()
    }


def _version(command: tuple[str, ...]) -> str:
    try:
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "missing"
    found = re.search(r"\d+\.\d+(\.\d+)?", printed)
    return found[0] if found else printed.strip()
