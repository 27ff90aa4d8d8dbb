"""Whether a study runs in this directory; the locks that a killed one left go.

Snakemake's locks name no process: they outlive one that is killed, and the next run would refuse
to start. A lock of the kernel ends with its process.
"""

import fcntl
import os
import shutil
from pathlib import Path

HOME = Path(".snakemake")
"""Where Snakemake keeps what it knows of a directory."""


def begin(home: Path = HOME) -> int:
    """Tell that a study runs here, until this process ends or closes the descriptor."""
    descriptor = _open(home)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


def forget_killed(home: Path = HOME) -> None:
    """Remove Snakemake's locks when no study runs here."""
    descriptor = _open(home)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(home / "locks", ignore_errors=True)
    except BlockingIOError:
        pass
    finally:
        os.close(descriptor)


def _open(home: Path) -> int:
    home.mkdir(exist_ok=True)
    return os.open(home / "running", os.O_RDWR | os.O_CREAT, 0o666)
