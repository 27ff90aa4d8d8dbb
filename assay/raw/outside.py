"""What changed outside of a shot's folders while it ran, where programs keep things.

A shot has a directory, a home and a place for temporary files of its own, which go with it. What it
leaves elsewhere, a later one could read its answer from. Other programs write there too, so that a
change is told and proves nothing.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

MOST = 20
"""Names that are told of a shot."""

Seen = dict[str, tuple[int, int]]
"""By path the inode and the time of the last change."""


def places() -> list[Path]:
    """The folders that programs share, and the home of who measures."""
    return [Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path.home()]


def seen(own: Sequence[Path], where: Iterable[Path]) -> Seen:
    """What lies in the places `where`, but for what holds one of the folders `own`."""
    held = {str(parent) for folder in own for parent in (folder, *folder.parents)}
    states: Seen = {}
    for place in where:
        try:
            entries = list(os.scandir(place))
        except OSError:
            continue  # a place that this machine has not, or keeps for others
        for entry in entries:
            if entry.path not in held:
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue  # it has just gone
                states[entry.path] = (status.st_ino, status.st_mtime_ns)
    return states


def changed(before: Seen, after: Seen) -> list[str]:
    """What is new or other than before, in order of names; of many the first ones."""
    return sorted(path for path, about in after.items() if before.get(path) != about)[:MOST]
