"""Table `verdicts`: the claims of a subsystem, each with what its session says of it.

`write` writes it with table `pairs`, by which ratios are judged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import nan
from pathlib import Path

import pandas as pd

from assay.analyse import pairs
from assay.analyse.judge import judge, under
from assay.analyse.session import Session
from assay.inputs import claims, manifest
from assay.inputs.claims import Cell, Claim, Engines
from assay.tables import io, schemas
from assay.tables.rows import Row, pick


def write(path: Path, home: Path, folder: Path) -> None:
    """Write the verdicts on the claims in `path`, about the engines in `home`, to `folder`.

    `folder` holds the tidy data of the session; without any the claims are still listed. Of a study
    of several profiles, the first is judged by, but for claims that name a profile; the pairs are
    compared in each.
    """
    known = claims.engines(home)
    every, first = claims.load(path, known), None
    compared = schemas.table("pairs", [])
    if (folder / "session.json").exists():
        unpaired = Session.load(folder, judged=False)
        sessions = [unpaired, *unpaired.others]
        compared = pairs.table(claims.pairs(path, known), sessions, every)
        first, *others = (replace(each, pairs=each.own(compared)) for each in sessions)
        first = replace(first, others=tuple(others))
    io.write("pairs", compared, folder)
    io.write("verdicts", table(every, known, first), folder)


def table(every: list[Claim], known: Engines, session: Session | None) -> pd.DataFrame:
    """One row a claim and scale; `known` are the engines as they are now."""
    hashes = {name: manifest.hot_hash(engine) for name, engine in known.items()}
    judged = judge(every, session, hashes).to_dict("records")
    said = {claim.id: claim for claim in every}
    units = dict(session.measurements.groupby("metric")["unit"].first()) if session else {}
    return schemas.table("verdicts", _rows(judged, said, session, units))


_SESSION = {"machine": "", "profile": "", "key": "", "tier": ""}
"""The facts of a session that a row tells, empty without one."""


def _rows(
    judged: list[Row], said: Mapping[str, Claim], first: Session | None, units: Mapping[str, str]
) -> Iterator[Row]:
    for row in judged:
        claim = said[row["claim"]]
        by = first and (under(claim.profile, first) or first)
        facts = pick(by.facts, [*_SESSION]) if by else _SESSION
        bounded = claim.cell is not None
        unit = "" if not bounded else units.get(claim.metric, "")
        yield row | {
            **facts,
            "session": facts["key"],
            "text": claim.text,
            "report": claim.report,
            "section": claim.section,
            "workload": claim.cell.workload if claim.cell else "",
            "cell": _named(claim.cell),
            "base": _named(claim.base),
            "metric": claim.metric if bounded else "",
            "statistic": claim.statistic,
            "unit": "1" if claim.statistic in ("ratio", "exponent") else unit,
            "low": claim.low if bounded else nan,
            "high": claim.high if bounded else nan,
            "tolerance": claim.tolerance,
        }


def _named(cell: Cell | None) -> str:
    return f"{cell.engine} {cell.variant}".rstrip() if cell else ""
