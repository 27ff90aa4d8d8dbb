"""One command of an engine, run to an outcome: a build, or a correctness gate.

A step never raises for what its command does. It returns an outcome, so that one broken
engine leaves an explained hole and the rest of the study arrives.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.system import excerpt

TAIL_LINES = 15

PRINTED = 2**20
"""Bytes of what a command printed that are read back: the last."""

NOT_BUILT = "not verified: the build failed"
"""The reason in the outcome of a gate that had nothing to check."""

LEFT_OUT = "left out"
"""The status of a build for which this machine has not the tools."""


@dataclass(frozen=True)
class Outcome:
    """What became of a step.

    `reason` is empty when `ok`; otherwise one sentence and the last lines that were printed.
    `printed` holds the end of what the command printed, mostly all.
    """

    ok: bool
    reason: str
    seconds: float
    printed: str

    def facts(self) -> dict[str, object]:
        """The outcome as it stands in `build.json` and `verify.json`."""
        return {
            "status": "ok" if self.ok else "failed",
            "reason": self.reason,
            "seconds": round(self.seconds, 3),
        }


def run(
    argv: Sequence[str],
    cwd: Path,
    timeout_s: float,
    env: Mapping[str, str] | None = None,
    open_: Sequence[int] = (),
) -> Outcome:
    """Run `argv` in `cwd`; the end of its output goes to this process's and into the outcome.

    `env` is added to the environment; the descriptors `open_` stay open. After `timeout_s` seconds,
    or when this process is interrupted, the process group of the command is killed. A descendant
    that left the group is not waited for; what it prints after the end of the command is lost.
    """
    # Output goes to a file: the end of a pipe would come only with the last descendant's.
    with tempfile.NamedTemporaryFile() as out:
        started = time.monotonic()
        try:
            process = subprocess.Popen(
                argv,
                cwd=cwd,
                env={**os.environ, **(env or {})},
                pass_fds=open_,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return Outcome(False, f"cannot start {argv[0]}: {error.strerror}", 0.0, "")
        try:
            how = _how(process.wait(timeout_s))
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            how = f"not finished after {timeout_s:g} s"
        with Path(out.name).open("rb") as file:  # where it reads, a descendant may still write
            printed = excerpt.end(file, PRINTED)
    tail = excerpt.lines(printed, TAIL_LINES)
    reason = "\n".join(filter(None, [how, tail])) if how else ""
    sys.stdout.write(printed)
    return Outcome(not reason, reason, time.monotonic() - started, printed)


def _how(code: int) -> str:
    """How a process failed; empty when it did not."""
    if code == 0:
        return ""
    return f"exit code {code}" if code > 0 else f"killed by signal {-code}"
