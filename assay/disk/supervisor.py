"""The process that serves an emulated disk, and takes it down at the end.

Called by `assay.disk.rig`: folder, model as JSON, a descriptor on which to say "ready" or what is
wrong, and one that ends when the owner does (-1: no owner).
"""

import json
import os
import select
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from assay.disk import fuse, rig
from assay.disk.model import Model
from assay.disk.panel import Panel


def main(folder: Path, model: Model, told: int, owner: int) -> None:
    """Serve a disk in `folder` until SIGTERM comes or the pipe `owner` closes (-1: there is none).

    The pipe `told` gets "ready", or why there is none.
    """
    woken, waker = os.pipe()
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: os.write(waker, b"x"))
    state = {"pid": os.getpid(), "model": asdict(model)}
    (folder / "state.json").write_text(json.dumps(state))
    panel = Panel(folder)
    try:
        said = "ready"
        try:
            _assemble(folder, model, panel)  # at full speed
            panel.timed = True
        except (OSError, subprocess.CalledProcessError) as error:
            said = f"{error} {getattr(error, 'stderr', '')}".strip()
        os.write(told, said.encode())
        os.close(told)
        if said == "ready":
            select.select([woken, *([owner] if owner >= 0 else [])], [], [])
            panel.timed = False  # what is not yet written is not worth waiting for
    finally:
        rig.dismantle(folder, kill=owner >= 0)


def _assemble(folder: Path, model: Model, panel: Panel) -> None:
    image = os.open(folder / "image", os.O_RDWR | os.O_CREAT, 0o600)
    os.truncate(image, model.size_mib * 2**20)
    (folder / "device").touch()
    (folder / "mount").mkdir()
    fuse.Server(fuse.mount(folder / "device"), image, model, panel).start()
    device = str(folder / "device")
    _tool("mkfs.ext4", "-q", "-F", "-E", "nodiscard,lazy_itable_init=1", device)
    loop = _tool("losetup", "--show", "--direct-io=on", "-f", device).strip()
    # Tables of inodes would be written in the background, beside the first shots.
    options = "noatime,data=ordered,noinit_itable"
    _tool("mount", "-t", "ext4", "-o", options, loop, str(folder / "mount"))


def _tool(*words: str) -> str:
    done = subprocess.run(
        words, capture_output=True, text=True, check=True, env={"PATH": rig.PATH}, timeout=50
    )
    return done.stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]), Model(**json.loads(sys.argv[2])), int(sys.argv[3]), int(sys.argv[4]))
