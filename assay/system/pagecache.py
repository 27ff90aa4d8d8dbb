"""What the kernel keeps of files in memory, so that the next read needs no disk."""

import os
from pathlib import Path


def forget(folder: Path) -> None:
    """Keep nothing of the files below a folder; what of them is not on the disk is written first.

    No process may have them mapped. What the file system keeps of its own tables stays.
    """
    for at, _, names in os.walk(folder):
        for path in (Path(at, name) for name in names):
            if path.is_file() and not path.is_symlink():
                _forget(path)


def _forget(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)  # what is still to be written stays otherwise
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)
