"""Scopes of systemd: for users who may not write control groups themselves."""

import os
import shutil
import subprocess

from assay.measure.limits import Backend, Group, Limits, UnavailableError


class Scope(Group):
    """One shot's scope, which its prefix enters.

    systemd removes it when its last process ends, with its counters.
    """

    def __init__(self, prefix: list[str]) -> None:
        self.prefix = prefix


class Systemd(Backend):
    """Scopes of the user's systemd, or of the system's for root."""

    name = "systemd scope"

    def group(self, limits: Limits) -> Scope:
        """A scope that systemd makes when the shot begins."""
        return Scope(command(limits))


def command(limits: Limits) -> list[str]:
    """What goes before a command to run it in a scope with `limits`."""
    properties = []
    if limits.cpus is not None:
        properties.append(f"CPUQuota={100 * limits.cpus:g}%")
    if limits.memory is not None:
        properties += [f"MemoryMax={limits.memory}", "MemorySwapMax=0"]
    manager = [] if os.getuid() == 0 else ["--user"]
    options = [word for value in properties for word in ("-p", value)]
    return ["systemd-run", *manager, "--scope", "--quiet", "--collect", *options, "--"]


def find(limits: Limits) -> Systemd:
    """systemd, when it can make such a scope. UnavailableError says why not."""
    if not shutil.which("systemd-run"):
        raise UnavailableError("there is no systemd-run")
    try:
        tried = subprocess.run(
            [*command(limits), "true"], capture_output=True, text=True, timeout=10, check=False
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError("systemd-run does not answer") from None
    if tried.returncode:
        said = tried.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise UnavailableError(f"systemd-run failed: {said[0]}")
    return Systemd()
