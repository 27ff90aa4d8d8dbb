"""Finding the sessions that a person names: by folder, by key, or by commit."""

import re
import subprocess
import tempfile
from pathlib import Path

from assay import files
from assay.analyse import ratios, tidy
from assay.analyse.judge import Session
from assay.analyse.verdicts import session

Sessions = dict[tuple[str, str], Session]
"""Sessions by subsystem and profile."""


def find(name: str, root: Path) -> Sessions:
    """The sessions that `name` stands for.

    `name` is a folder of tidy data, of one subsystem or of several; the key of a session below
    `root`/data/raw, or its first 7 digits or more; or a commit, in any form that git knows. Of
    several sessions of a subsystem and profile it is the latest. ValueError when there is none.
    """
    if Path(name).is_dir():
        return _of_folder(Path(name))
    raw = [path.parent for path in sorted(root.glob("data/raw/*/*/*/*/plan.json"))]
    if re.fullmatch("[0-9a-f]{7,16}", name) and (
        found := [folder for folder in raw if folder.name.startswith(name)]
    ):
        return _latest(found)
    commit = _commit(name, root)
    if found := [folder for folder in raw if commit and _began_at(folder) == commit]:
        return _latest(found)
    raise ValueError(
        f"{name}: expected a folder of tidy data, the key of a session below data/raw, or a "
        f"commit at which one began; found none among {len(raw)} sessions"
    )


def _of_folder(folder: Path) -> Sessions:
    own = [folder] if (folder / "session.json").exists() else sorted(folder.glob("*/"))
    read = [one for path in own if (one := session(path))]
    if not read:
        raise ValueError(f"{folder}: expected session.json and tables beside it, found none")
    return _keyed(read)


def _latest(folders: list[Path]) -> Sessions:
    return _keyed(sorted(map(_of_raw, folders), key=lambda one: str(one.facts["started_at"])))


def _keyed(read: list[Session]) -> Sessions:
    return {(one.measurements["subsystem"].iloc[0], one.facts["profile"]): one for one in read}


def _of_raw(folder: Path) -> Session:
    """The session in a raw folder, as its tidy tables would tell it."""
    with tempfile.TemporaryDirectory() as place:
        tidy.collect([folder], Path(place))
        measurements = tidy.read(Path(place) / "measurements.parquet")
        facts = files.read_json(Path(place) / "session.json")
    return Session(measurements, ratios.tables(measurements)[1], facts)


def _began_at(folder: Path) -> str:
    """The commit at which a session began; one with changes on top of it is at no commit."""
    origin = folder / "origin.json"
    facts = files.read_json(origin) if origin.exists() else {"commit": "", "dirty": True}
    return "" if facts["dirty"] else str(facts["commit"])


def _commit(name: str, root: Path) -> str:
    """The full hash of a commit; empty when git does not know it."""
    command = ["git", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
    try:
        found = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return found.stdout.strip()
