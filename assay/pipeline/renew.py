"""Renewing the committed run: tidy data takes the place of what data/reference/ holds of it."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.analyse import history
from assay.analyse.session import TABLES
from assay.engines import currency
from assay.system import files


def renew(root: Path, tidy: Path, figures: Path) -> Iterator[Path]:
    """Commit the sessions below `tidy` in the project at `root`; tells what was written.

    Each subsystem's tables and session.json go to `data/reference/`, or to the folder of tier
    published there, and its median times to `data/history/`. Of the README's figures, those that
    lie in `figures` go beside the tables, but none of tier published.
    ValueError when there is no session, or one that failed, left a peer out, was of tier smoke or
    of a tree with changes that no commit holds.
    """
    folders = sorted(path.parent for path in tidy.glob("*/session.json"))
    if not folders:
        raise ValueError(f"{tidy}: expected folders of tidy data, found none")
    problems = [problem for folder in folders for problem in _problems(folder)]
    if problems:
        raise ValueError("\n".join(problems))
    for folder in folders:
        session = files.read_json(folder / "session.json")
        printed = session["tier"] == "published"
        to = root / (currency.REPRODUCTION if printed else currency.COMMITTED) / folder.name
        for name in (*TABLES, "verdicts", "pairs"):
            _copy(folder / f"{name}.parquet", to)
        others = list(map(_committed, session["other_sessions"]))
        files.write_json(to / "session.json", _committed(session) | {"other_sessions": others})
        yield to
        yield history.add(folder, root / history.HISTORY)
        shown = () if printed else (root / currency.FIGURES / folder.name).glob("*.png")
        for figure in sorted(shown):
            if (drawn := figures / folder.name / figure.name).exists():
                _copy(drawn, figure.parent)
                yield figure


def _committed(session: Mapping[str, Any]) -> dict[str, Any]:
    """What is committed of a session: not what other programs of its machine wrote meanwhile."""
    return {**session, "outside": {}, "committed": True}


def _copy(source: Path, folder: Path) -> None:
    files.replace(folder / source.name, lambda path: shutil.copyfile(source, path))


def _problems(folder: Path) -> Iterator[str]:
    """Why a session cannot stand for the project."""
    session = files.read_json(folder / "session.json")
    for facts in (session, *session["other_sessions"]):
        name = f"{folder.name}, profile {facts['profile']}"
        if facts["tier"] == "smoke":
            yield f"{name}: expected a tier with inference, found smoke"
        if facts["dirty"]:
            yield (
                f"{name}: expected a clean tree, found changes beside commit {facts['commit'][:12]}"
            )
        if facts["failed"] or facts["refused"]:
            yield f"{name}: {facts['failed']} shots failed, {facts['refused']} were refused"
        for engine, about in facts.get("left_out", {}).items():
            yield f"{name}: expected every peer, found {engine} left out: {about['reason']}"
