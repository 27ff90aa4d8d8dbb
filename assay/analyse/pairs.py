"""Table `pairs`: the pairs of cells that `config/claims/` names, each compared by block.

A peer beside the reference engine in the same variant stands in table `ratios`, as any two variants
of an engine that differ in one key.
"""

from collections.abc import Iterable, Iterator
from math import nan

import numpy as np
import pandas as pd

from assay.analyse import ratios
from assay.analyse.session import Session
from assay.inputs.claims import Cell, Pair
from assay.tables import schemas
from assay.tables.rows import Row, pick, records

_SESSION = ["machine", "profile", "subsystem", "session", "tier"]


def table(every: Iterable[Pair], sessions: Iterable[Session]) -> pd.DataFrame:
    """A row a session, pair, engine and scale that has a block in which both are ok."""
    asked = list(every)
    return schemas.table(
        "pairs", [row for session in sessions for pair in asked for row in _rows(pair, session)]
    )


def _rows(pair: Pair, session: Session) -> Iterator[Row]:
    if session.measurements.empty:
        return
    named = pick(records(session.measurements[:1])[0], _SESSION)
    for engine_pair in dict.fromkeys(map(pair.of, session.facts["plan"]["engines"])):
        cells, bases = (_by_scale(session, cell) for cell in (engine_pair.cell, engine_pair.base))
        floor = max(session.floor(side.workload) for side in (engine_pair.cell, engine_pair.base))
        for scale, base_scale in _scales(engine_pair, cells, bases):
            above, below = cells.get(scale, {}), bases.get(base_scale, {})
            blocks = sorted({*above, *below})
            numerator, denominator = (
                np.array([side.get(block, nan) for block in blocks]) for side in (above, below)
            )
            effect = ratios.ratio(numerator, denominator)
            if effect:
                yield {
                    **named,
                    "workload": engine_pair.cell.workload,
                    "engine": engine_pair.cell.engine,
                    "variant": engine_pair.cell.variant,
                    "scale": scale,
                    "base_workload": engine_pair.base.workload,
                    "base_engine": engine_pair.base.engine,
                    "base_variant": engine_pair.base.variant,
                    "base_scale": base_scale,
                    **vars(effect),
                    "floor": floor,
                    "verdict": ratios.verdict(effect, floor, named["tier"]),
                }


def _scales(pair: Pair, cells: Iterable[int], bases: Iterable[int]) -> list[tuple[int, int]]:
    if pair.cell.scale is not None and pair.base.scale is not None:
        return [(pair.cell.scale, pair.base.scale)]
    return [(scale, scale) for scale in sorted({*cells} & {*bases})]


def _by_scale(session: Session, cell: Cell) -> dict[int, dict[int, float]]:
    """The times of a cell by scale and block."""
    return {
        scale: values
        for (engine, variant, scale, arm), values in session.by_block(cell.workload).items()
        if (engine, variant, arm) == (cell.engine, cell.variant, "A")
    }
