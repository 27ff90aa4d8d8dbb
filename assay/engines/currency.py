"""Whether a session is current: nothing that a timing can depend on has changed since it ran."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.inputs import claims, manifest
from assay.system import files

COMMITTED = Path("data/reference")
"""The committed run, which the README quotes."""
REPRODUCTION = COMMITTED / "published"
"""The committed sessions of tier published: the printed numbers at their own scale."""
FIGURES = COMMITTED / "figures"


def stale(root: Path, subsystem: str, session: Mapping[str, Any]) -> list[str]:
    """The engines that make `session` stale: those that `changed`.

    In tier published the peers alone: it takes hours, and what a published system took stays so
    when the reference engine changes.
    """
    published = session["tier"] == "published"
    names = changed(root, subsystem, session)
    return [name for name in names if not published or name != "reference"]


def changed(root: Path, subsystem: str, session: Mapping[str, Any]) -> list[str]:
    """The engines whose timings `session` tells and whose hot files are others now.

    The sessions of other profiles and machines, which `session` carries, count as well. An engine
    that is gone has changed, and so has one whose session does not tell what it ran.
    """
    known = claims.engines(root / "engines" / subsystem)
    now = {name: manifest.hot_hash(engine) for name, engine in known.items()}
    return sorted(
        {
            name
            for facts in (session, *session.get("other_sessions", ()))
            for name, engine in facts["plan"]["engines"].items()
            if name not in now or engine.get("hot_hash") != now[name]
        }
    )


def sessions(root: Path) -> Iterator[Path]:
    """The `session.json` of every committed session."""
    for home in (COMMITTED, REPRODUCTION):
        yield from sorted((root / home).glob("*/session.json"))


def committed(root: Path) -> Iterator[str]:
    """A line for each engine whose committed timings are stale."""
    for path in sessions(root):
        session, subsystem = files.read_json(path), path.parent.name
        for name in stale(root, subsystem, session):
            yield (
                f"{path.relative_to(root)}: {subsystem}/{name}: expected the hot files of commit"
                f" {session['commit'][:12]}, found others"
            )
