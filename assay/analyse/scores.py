"""Table `scores`: engines that promise the same, each over the best of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from assay.analyse.ratios import NO_FLOOR, TIMED, Ratio, ratio, verdict
from assay.analyse.session import Session
from assay.tables import schemas
from assay.tables.rows import Row, pick, successful


@dataclass(frozen=True)
class Heat:
    """What fills a column for engines that promise the same: a metric of one operation.

    `variants` has the variant of each engine. They are compared at the largest of the scales that
    most of them were measured at.
    """

    promise: str
    column: str
    workload: str
    metric: str
    variants: Mapping[str, str]


def table(session: Session, heats: Iterable[Heat]) -> pd.DataFrame:
    """One row a cell that was measured. No cell stands on two sessions: there is but one here."""
    told = session.facts
    facts = {"machine": told["machine"], "profile": told["profile"], "session": told["key"]}
    facts |= {"subsystem": session.folder.name, "tier": told["tier"]}
    shots = successful(session.measurements)
    rows = (facts | row for heat in heats for row in _rows(session, shots, heat))
    return schemas.table("scores", rows)


def _rows(session: Session, shots: pd.DataFrame, heat: Heat) -> Iterator[Row]:
    shots = shots[(shots["workload"] == heat.workload) & (shots["metric"] == heat.metric)]
    mine = shots["engine"].map(heat.variants) == shots["variant"]
    shots = shots[mine & (shots["value"] > 0)]
    if shots.empty:
        return
    met = shots.groupby("scale")["engine"].nunique()
    scale = int(met[met == met.max()].index.max())
    shots = shots[shots["scale"] == scale]
    unit = str(shots["unit"].iloc[0])
    floor = session.floor(heat.workload, heat.metric) if unit in TIMED else NO_FLOOR
    by_engine = shots.groupby("engine")["value"]
    medians = {str(name): float(values.median()) for name, values in by_engine}
    about = pick(vars(heat), ["promise", "column", "workload", "metric"])
    about |= {"scale": scale, "unit": unit, "floor": floor}

    if shots.duplicated(["block", "engine"]).any():
        raise ValueError(f"{heat.workload}: expected one shot of an engine in a block, found more")
    paired = shots.pivot(index="block", columns="engine", values="value")

    def said(engine: str, base: str) -> tuple[Ratio, str]:
        effect = ratio(paired[engine].to_numpy(), paired[base].to_numpy())
        if effect is None:
            raise ValueError(f"{heat.workload}: {engine} and {base} have no block in common")
        return effect, verdict(effect, floor, session.facts["tier"], unit)

    best = _best(medians, lambda engine, base: said(engine, base)[1])
    for engine in heat.variants:
        if engine not in medians:
            continue
        effect, what = said(engine, best)
        if engine == best:
            what = "best" if len(medians) > 1 else "alone"
        yield about | {
            "engine": engine,
            "variant": heat.variants[engine],
            "median": medians[engine],
            "best_engine": best,
            **pick(vars(effect), ["n", "ratio", "ci_low", "ci_high"]),
            "verdict": what,
        }


def _best(medians: Mapping[str, float], said: Callable[[str, str], str]) -> str:
    """The engine of the least median that no other is conclusively ahead of."""
    for name in sorted(medians, key=lambda name: medians[name]):
        if not any(said(rival, name) in ("faster", "better") for rival in medians if rival != name):
            return name
    return min(medians, key=lambda name: medians[name])
