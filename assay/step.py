"""One command of an engine, run to an outcome: a build, or a correctness gate.

A step never raises for what its command does. It returns an outcome, so that one broken
engine leaves an explained hole and the rest of the study arrives.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

TAIL_LINES = 15


@dataclass(frozen=True)
class Outcome:
    """What became of a step.

    `reason` is empty when `ok`; otherwise one sentence and the last lines that were printed.
    `printed` holds all that the command printed.
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


def run(argv: Sequence[str], cwd: Path, timeout_s: float) -> Outcome:
    """Run `argv` in `cwd`; its output goes to this process's output and into the outcome.

    After `timeout_s` seconds the process group of the command is killed.
    """
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        return Outcome(False, f"cannot start {argv[0]}: {error.strerror}", 0.0, "")
    try:
        printed, _ = process.communicate(timeout=timeout_s)
        reason = _reason(process.returncode, printed)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        printed, _ = process.communicate()
        reason = _with_tail(f"not finished after {timeout_s:g} s", printed)
    sys.stdout.write(printed)
    return Outcome(not reason, reason, time.monotonic() - started, printed)


def _reason(code: int, printed: str) -> str:
    if code == 0:
        return ""
    how = f"exit code {code}" if code > 0 else f"killed by signal {-code}"
    return _with_tail(how, printed)


def _with_tail(sentence: str, printed: str) -> str:
    tail = printed.strip().splitlines()[-TAIL_LINES:]
    return "\n".join([sentence, *tail])
