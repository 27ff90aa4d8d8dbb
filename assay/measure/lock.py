"""The lock of the machine: at most one session measures at a time."""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Not below TMPDIR: all users and all jobs of a machine must name the same file.
PATH = Path("/tmp/assay.lock")


@contextmanager
def held(by: str, path: Path = PATH) -> Iterator[int]:
    """Hold the lock at `path`; wait for it as long as it takes, and say who has it.

    `by` tells others who holds it. Yields the descriptor that holds the lock. A process that
    inherits the descriptor holds the lock too, so what a killed runner left behind still keeps
    the machine until it ends.
    """
    descriptor = _open(path)
    try:
        shown = ""
        while not _taken(descriptor):
            holder = path.read_text(errors="replace").strip() or "another session"
            if holder != shown:
                print(f"Waiting for the machine: {holder} holds {path}", flush=True)
                shown = holder
            time.sleep(0.2)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{by}, process {os.getpid()}\n".encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    try:
        # Without O_CREAT first: in a sticky folder Linux refuses it for another user's file.
        return os.open(path, os.O_RDWR)
    except FileNotFoundError:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        os.fchmod(descriptor, 0o666)  # whatever the umask: other users must open it
        return descriptor


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        return False
    return True
