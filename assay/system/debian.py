"""Packages of Debian: what a tool of an engine, or of a test, is installed from."""

import fcntl
import os
import subprocess
from collections.abc import Iterable


def install(packages: Iterable[str]) -> None:
    """Install packages ("a|b": the first that there is), as root.

    apt-get does not wait for another one, so processes of this project take turns.
    """
    turn = os.open("/var/lib/apt", os.O_RDONLY)
    try:
        fcntl.flock(turn, fcntl.LOCK_EX)
        _apt("update")
        _apt("install", "-y", "--no-install-recommends", *filter(None, map(_known, packages)))
    finally:
        os.close(turn)


def _known(alternatives: str) -> str:
    """The first of these packages that Debian has here: one that it has not would stop the rest."""
    for package in alternatives.split("|"):
        shown = subprocess.run(
            ["apt-cache", "show", "--no-all-versions", package], capture_output=True, check=False
        )
        if shown.returncode == 0:
            return package
    return ""


def _apt(verb: str, *words: str) -> None:
    """What it could not do, the versions tell afterwards; its last words go to the log."""
    command = ["apt-get", verb, "-qq", *words]
    print(f"+ {' '.join(command)}", flush=True)
    subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        check=False,
    )
