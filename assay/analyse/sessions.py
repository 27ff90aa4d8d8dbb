"""Finding the sessions that a person names: by folder, by key, or by commit."""

import re
import subprocess
from pathlib import Path

from assay.analyse import collect, estimates
from assay.analyse.session import Session
from assay.raw import layout, provenance

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
        folders := [folder for folder in raw if layout.place(folder).key.startswith(name)]
    ):
        return _latest([*map(_of_raw, folders)])
    commit = _commit(name, root)
    if folders := [folder for folder in raw if commit and _began_at(folder) == commit]:
        return _latest([*map(_of_raw, folders)])
    raise ValueError(
        f"{name}: expected a folder of tidy data, the key of a session below data/raw, or a "
        f"commit at which one began; found none among {len(raw)} sessions"
    )


def _of_folder(folder: Path) -> Sessions:
    own = [path.parent for path in sorted(folder.glob("*/session.json"))]
    if (folder / "session.json").exists():
        own = [folder]
    if not own:
        raise ValueError(f"{folder}: expected session.json and tables beside it, found none")
    first = [Session.load(path) for path in own]
    return _latest([every for session in first for every in (session, *session.others)])


def _latest(sessions: list[Session]) -> Sessions:
    def key(session: Session) -> Key:
        subsystem = session.measurements["subsystem"].iloc[0]
        return subsystem, session.facts["profile"], session.facts["machine"]

    in_order = sorted(sessions, key=lambda session: session.facts["started_at"])
    return {key(session): session for session in in_order}


def _of_raw(folder: Path) -> Session:
    """The session in a raw folder, as its tidy tables would tell it."""
    measurements, facts = collect.session(folder)
    return Session(folder, facts, measurements, **estimates.tables(measurements), others=())


def _began_at(folder: Path) -> str:
    """The commit at which a session began; one with changes on top of it is at no commit."""
    origin = provenance.origin(folder)
    return origin["commit"] if origin["dirty"] is False else ""


def _commit(name: str, root: Path) -> str:
    """The full hash of a commit; empty when git does not know it."""
    command = ["git", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
    try:
        completed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return completed.stdout.strip()
