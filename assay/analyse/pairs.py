"""Table `pairs`: the pairs of cells that `config/claims/` names or claims something of, by block.

A report needs no pair of a peer and the reference engine in the same variant, nor of two variants
of an engine that differ in one key: they stand in table `ratios`.
"""

from collections.abc import Iterable, Iterator
from math import nan

import numpy as np
import pandas as pd

from assay.analyse import medians, ratios
from assay.analyse.session import Blocks, Session
from assay.inputs.claims import Cell, Claim, Pair
from assay.tables import schemas
from assay.tables.rows import Row, pick, records

_SESSION = ["machine", "profile", "subsystem", "session", "tier"]


def table(
    named: Iterable[Pair], sessions: Iterable[Session], claimed: Iterable[Claim] = ()
) -> pd.DataFrame:
    """A row a session, pair, engine and scale that has a block in which both are ok.

    Claims add their own pairs, by the metric that each is about.
    """
    asked = [("named", "time", pair) for pair in named]
    for claim in claimed:
        if claim.cell and claim.base:
            asked.append(("claimed", claim.metric, Pair(claim.cell, claim.base)))
    rows: dict[tuple[object, ...], Row] = {}
    for session in sessions:
        for row in (row for each in asked for row in _rows(session, *each)):
            rows.setdefault(tuple(row[name] for name in schemas.TABLES["pairs"].unique), row)
    return schemas.table("pairs", rows.values())


def _rows(session: Session, kind: str, metric: str, pair: Pair) -> Iterator[Row]:
    levels = (medians.LEVEL, medians.EQUIVALENCE_LEVEL)
    for engine_pair in dict.fromkeys(map(pair.of, session.facts["plan"]["engines"])):
        sides = (engine_pair.cell, engine_pair.base)
        cells, bases = (_by_scale(session.by_block(side.workload, metric), side) for side in sides)
        for scale, base_scale in _scales(engine_pair, cells, bases):
            above, below = cells.get(scale, {}), bases.get(base_scale, {})
            blocks = sorted({*above, *below})
            top, bottom = (
                np.array([side.get(at, nan) for at in blocks]) for side in (above, below)
            )
            effect, near = (ratios.ratio(top, bottom, level) for level in levels)
            if effect and near:
                shots = session.good(engine_pair.cell.workload, metric)
                about = records(shots[:1])[0]
                timed = about["unit"] in ratios.TIMED and not about["exact"]
                floors = [session.floor(side.workload, metric) for side in sides]
                floor = max(floors) if timed else ratios.NO_FLOOR
                said = ratios.verdict(effect, floor, about["tier"], about["unit"], about["better"])
                yield {
                    **pick(about, _SESSION),
                    "kind": kind,
                    "metric": metric,
                    **vars(engine_pair.cell),
                    **{f"base_{name}": value for name, value in vars(engine_pair.base).items()},
                    "scale": scale,
                    "base_scale": base_scale,
                    **vars(effect),
                    "near_low": near.ci_low,
                    "near_high": near.ci_high,
                    "floor": floor,
                    "verdict": said,
                }


def _scales(pair: Pair, cells: Iterable[int], bases: Iterable[int]) -> list[tuple[int, int]]:
    if pair.cell.scale is not None and pair.base.scale is not None:
        return [(pair.cell.scale, pair.base.scale)]
    return [(scale, scale) for scale in sorted({*cells} & {*bases})]


def _by_scale(blocks: Blocks, cell: Cell) -> dict[int, dict[int, float]]:
    """The values of a cell by scale and block."""
    return {
        scale: values
        for (engine, variant, scale, arm), values in blocks.items()
        if (engine, variant, arm) == (cell.engine, cell.variant, "A")
    }
