"""Finding the sessions that a person names: by folder, by key, or by commit."""

import re
import subprocess
from pathlib import Path

from assay.analyse import collect, ratios
from assay.analyse.judge import Session
from assay.raw import layout, provenance
from assay.system import files
from assay.tables import io

Key = tuple[str, str, str]
"""What sessions must agree in to be compared: subsystem, profile and machine."""

Sessions = dict[Key, Session]


def find(name: str, root: Path) -> Sessions:
    """The sessions that `name` stands for.

    `name` is a folder of tidy data, of one subsystem or of several; the key of a session below
    `root`/data/raw, or its first 7 digits or more; or a commit, in any form that git knows. Of
    several sessions of the same key it is the one that began last. ValueError when there is none.
    """
    if Path(name).is_dir():
        return _of_folder(Path(name))
    raw = [*layout.sessions(root / layout.RAW)]
    if re.fullmatch("[0-9a-f]{7,16}", name) and (
        found := [folder for folder in raw if layout.place(folder).key.startswith(name)]
    ):
        return _latest([*map(_of_raw, found)])
    commit = _commit(name, root)
    if found := [folder for folder in raw if commit and _began_at(folder) == commit]:
        return _latest([*map(_of_raw, found)])
    raise ValueError(
        f"{name}: expected a folder of tidy data, the key of a session below data/raw, or a "
        f"commit at which one began; found none among {len(raw)} sessions"
    )


def _of_folder(folder: Path) -> Sessions:
    own = [folder] if (folder / "session.json").exists() else sorted(folder.glob("*/"))
    found = [one for path in own for one in read(path)]
    if not found:
        raise ValueError(f"{folder}: expected session.json and tables beside it, found none")
    return _latest(found)


def read(folder: Path) -> list[Session]:
    """The sessions whose tidy data lies in `folder`, in the order of session.json; [] without it.

    ValueError when session.json and the table of measurements tell of different sessions.
    """
    path = folder / "session.json"
    if not path.exists():
        return []
    first = files.read_json(path)
    facts = {(one["key"], one["machine"]): one for one in [first, *first["other_sessions"]]}
    tables = [io.read(folder / f"{name}.parquet") for name in ("measurements", "noise")]
    measured, noise = (dict(iter(rows.groupby(["session", "machine"]))) for rows in tables)
    if measured.keys() != facts.keys():
        raise ValueError(
            f"{path}: expected the sessions of measurements.parquet, {sorted(measured)}, "
            f"found {sorted(facts)}"
        )
    none = tables[1].iloc[:0]
    return [Session(measured[key], noise.get(key, none), one) for key, one in facts.items()]


def _latest(found: list[Session]) -> Sessions:
    def key(one: Session) -> Key:
        subsystem = one.measurements["subsystem"].iloc[0]
        return subsystem, one.facts["profile"], one.facts["machine"]

    return {key(one): one for one in sorted(found, key=lambda one: str(one.facts["started_at"]))}


def _of_raw(folder: Path) -> Session:
    """The session in a raw folder, as its tidy tables would tell it."""
    measurements, facts = collect.session(folder)
    return Session(measurements, ratios.tables(measurements)[1], facts)


def _began_at(folder: Path) -> str:
    """The commit at which a session began; one with changes on top of it is at no commit."""
    origin = provenance.origin(folder)
    return origin["commit"] if origin["dirty"] is False else ""


def _commit(name: str, root: Path) -> str:
    """The full hash of a commit; empty when git does not know it."""
    command = ["git", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
    try:
        found = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return found.stdout.strip()
