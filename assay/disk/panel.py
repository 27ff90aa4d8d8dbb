"""What a disk and its user tell each other: whether accesses take time, and what it carried.

A page of memory that both have: the file `panel` in the folder of the disk.
"""

import mmap
from pathlib import Path
from typing import NamedTuple

NAME = "panel"
_TIMED = 0
"""The word that is 1 while accesses take the time of the model; those of traffic stand behind."""


class Traffic(NamedTuple):
    """What a disk carried while its accesses took time."""

    reads: int
    read_bytes: int
    writes: int
    written_bytes: int

    def since(self, before: "Traffic") -> "Traffic":
        """What came after `before`."""
        return Traffic(*(now - then for now, then in zip(self, before, strict=True)))


class Panel:
    """The page of the disk in `folder`; whoever comes first makes it, and accesses take no time."""

    def __init__(self, folder: Path) -> None:
        with (folder / NAME).open("a+b") as file:
            file.truncate(mmap.PAGESIZE)
            self._words = memoryview(mmap.mmap(file.fileno(), mmap.PAGESIZE)).cast("Q")

    @property
    def timed(self) -> bool:
        """Whether accesses take the time of the model; what takes none is not counted."""
        return bool(self._words[_TIMED])

    @timed.setter
    def timed(self, wanted: bool) -> None:
        self._words[_TIMED] = wanted

    @property
    def traffic(self) -> Traffic:
        """All that the disk carried since it was made."""
        return Traffic(*self._words[1 : 1 + len(Traffic._fields)])

    def count(self, *, write: bool, length: int) -> None:
        """Note an access; the server alone does."""
        place = 3 if write else 1
        self._words[place] += 1
        self._words[place + 1] += length
