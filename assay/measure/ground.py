"""Where a shot works: the disk of the project, or an emulated one with copies of what is kept.

What is before a shot and after it takes no time on an emulated disk. A store of an engine that the
shot reads is copied there the first time, and stays for the session.
"""

import re
import shutil
import subprocess
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from assay.disk.panel import Traffic
from assay.disk.rig import Disk
from assay.inputs.variant import Variant
from assay.system import machine, pagecache

COLD = ("cache", "cold")
"""What a variant says of a shot that finds nothing of its files in memory, on an emulated disk."""

_STORES = re.compile(r"\{stores\}(?:/([^/\s]+))?")


@dataclass(frozen=True)
class Ground:
    """The disk of the project at `root`, or the emulated `disk`."""

    root: Path
    disk: Disk | None

    @property
    def folder(self) -> Path:
        """Where shots have their folders."""
        return self.disk.mount if self.disk else machine.scratch(self.root)

    def untimed(self) -> AbstractContextManager[None]:
        """What is no part of a shot."""
        return self.disk.untimed() if self.disk else nullcontext()

    def stores(self, kept: Path, words: Iterable[str]) -> Path:
        """The folder of stores for a command of `words`, with those of the `kept` that it names.

        OSError when they cannot be copied to the emulated disk.
        """
        named = {found[1] for word in words for found in _STORES.finditer(word)}
        if not self.disk or not named:
            return kept
        here = self._copies(kept)
        here.mkdir(parents=True, exist_ok=True)
        for store in kept.iterdir():
            if {None, store.name} & named and not (here / store.name).exists():
                _copy(store, here / store.name)
        return here

    def forget_stores(self, kept: Path) -> None:
        """Copy them anew the next time: a shot may have left them in any state."""
        if self.disk:
            shutil.rmtree(self._copies(kept), ignore_errors=True)

    def cool(self, variant: Variant) -> None:
        """Empty the page cache of the emulated disk before a shot that is to find nothing there."""
        if self.disk and COLD in variant.items():
            pagecache.forget(self.disk.mount)

    @property
    def traffic(self) -> Traffic | None:
        """What the emulated disk has carried for shots."""
        return self.disk.traffic if self.disk else None

    @property
    def cpu_s(self) -> float:
        """CPU seconds that the emulation has taken."""
        return self.disk.cpu_s() if self.disk else 0.0

    def _copies(self, kept: Path) -> Path:
        return self.folder / "stores" / kept.parent.name


def _copy(store: Path, to: Path) -> None:
    """Copy a store; what is sparse stays so. A copy that was not finished is none."""
    unfinished = to.with_name(f"{to.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    words = ["cp", "-a", "--sparse=always", str(store), str(unfinished)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"{store} cannot be copied to the emulated disk: {done.stderr.strip()}")
    unfinished.rename(to)
