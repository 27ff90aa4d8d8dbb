"""Simulated sessions: measurements drawn from a scripted truth, to test the method against it."""

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from assay.analyse import arms
from assay.tables import schemas

TIME = {"unit": "s", "better": "lower", "exact": False}
Metrics = Mapping[str, dict[str, object]]
METRICS: Metrics = {"time": TIME}


@dataclass(frozen=True)
class Simulated:
    """A cell and its truth: the median of each metric, in its own unit.

    `cv` is the spread of the noise (log-normal, one factor a shot); `failed` maps blocks to
    (status, reason); `absent` lists blocks in which the cell was never planned.
    """

    workload: str
    engine: str
    variant: str
    scale: int
    truth: Mapping[str, float]
    cv: float = 0.03
    failed: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    absent: frozenset[int] = frozenset()


def measurements(
    cells: Iterable[Simulated],
    blocks: int,
    seed: int = 1,
    tier: str = "standard",
    drift: float = 0.0,
    noisy_share: float = 0.0,
    subsystem: str = "rewardpool",
    metrics: Metrics = METRICS,
) -> pd.DataFrame:
    """Table `measurements` of complete blocks in random order, with the A/A arm of the reference.

    Over the session everything slows down by the factor exp(`drift`); `noisy_share` of the shots
    are marked noisy and take 1.2 times as long. `metrics` tells unit, better and exact of each.
    """
    every = list(cells)
    reference = [cell for cell in every if cell.engine == "reference"]
    twice = [reference[i] for i in arms.doubled([cell.workload for cell in reference], seed)]
    planned = [(cell, "A") for cell in every] + [(cell, "B") for cell in twice]
    random = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []
    begin = pd.Timestamp("2026-01-01T00:00:00Z")
    for block in range(blocks):
        for slot, index in enumerate(random.permutation(len(planned))):
            cell, arm = planned[index]
            progress = (block + slot / len(planned)) / blocks
            noisy = bool(random.random() < noisy_share)
            factor = np.exp(cell.cv * random.standard_normal() + drift * progress)
            if block not in cell.absent:
                factor *= 1.2 if noisy else 1.0
                shot = _shot(cell, arm, block, slot, float(factor), metrics)
                at = {"started_at": begin + pd.Timedelta(minutes=10 * progress), "tier": tier}
                facts = {"subsystem": subsystem, "noisy": noisy}
                rows += [at | facts | row for row in shot]
    return schemas.table("measurements", rows)


def _shot(
    cell: Simulated,
    arm: str,
    block: int,
    slot: int,
    factor: float,
    metrics: Metrics,
) -> list[dict[str, object]]:
    name = f"{block:03}-{slot:03}"
    facts: dict[str, object] = {
        "machine": "planted",
        "profile": "native",
        "session": "planted",
        "workload": cell.workload,
        "engine": cell.engine,
        "role": "reference" if cell.engine == "reference" else "peer",
        "arm": arm,
        "variant": cell.variant,
        "scale": cell.scale,
        "block": block,
        "slot": slot,
        "shot": name,
        "seed": zlib.crc32(f"{cell.workload}/{cell.scale}/{block}".encode()),
        "status": "ok",
        "reason": "",
        "engine_hash": "planted",
        "wall_s": 0.4 * factor,
        "cpu_s": 0.4 * factor,
        "peak_rss_bytes": 3e7,
    }
    if block in cell.failed:
        status, reason = cell.failed[block]
        nothing = {"metric": "time", "value": np.nan, "status": status, "reason": reason}
        gated = {"started_at": None} if status == "refused" else {}
        return [facts | nothing | gated | TIME]
    return [
        facts
        | metrics[metric]
        | {"metric": metric, "value": _vary(median, str(metrics[metric]["unit"]), factor)}
        for metric, median in cell.truth.items()
    ]


def _vary(median: float, unit: str, factor: float) -> float:
    """Times carry the noise of the shot, rates its inverse; counts and bytes do not vary."""
    power = {"s": 1, "s/B": 1, "1/s": -1, "B/s": -1}.get(unit, 0)
    return float(median * factor**power)
