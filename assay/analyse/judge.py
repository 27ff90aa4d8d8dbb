"""Verdicts on claims: what the measurements of one session say of each (docs/method.md)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil, inf, isnan, log, nan
from typing import Any

import pandas as pd

from assay.analyse import bootstrap
from assay.analyse.ratios import detectable, paired_ratio
from assay.analyse.schemas import CLAIM_VERDICTS
from assay.claims import Cell, Claim

MARGIN = 1.05
"""A difference smaller than this, or than the noise floor, supports no claim of a difference."""

EQUIVALENCE_LEVEL = 0.90
"""Two one-sided tests at 5 % are an interval of 90 % (Schuirmann 1987)."""

NO_SESSION = "no engine in this study yet"


@dataclass(frozen=True)
class Effect:
    """The claimed quantity as measured: a ratio, or a median in SI units without a base.

    `floor` is the noise floor, a ratio; 1 for what has no noise. `near` is the 90 % interval.
    """

    value: float
    ci_low: float
    ci_high: float
    n: int
    floor: float
    near: tuple[float, float]
    ratio: bool


@dataclass(frozen=True)
class Judgement:
    """A verdict on a claim at one scale of `cell` (0 where nothing was measured), and why."""

    subsystem: str
    claim: str
    scale: int
    effect: float
    ci_low: float
    ci_high: float
    n: int
    floor: float
    detectable: float
    verdict: str
    reason: str


@dataclass(frozen=True)
class Session:
    """One session: tables `measurements` and `noise`, and the facts of session.json."""

    measurements: pd.DataFrame
    noise: pd.DataFrame
    facts: Mapping[str, Any]


def judge(
    claims: Iterable[Claim], session: Session | None, sources: Mapping[str, str]
) -> pd.DataFrame:
    """One row a claim and scale, columns as in `Judgement`. Without a session none is decided.

    `sources` maps engines to the hash of their sources as they are now. A claim about an engine
    that has changed since the session is stale.
    """
    rows = [vars(found) for claim in claims for found in _judgements(claim, session, sources)]
    return pd.DataFrame(rows, columns=list(Judgement.__annotations__))


def overall(judged: pd.DataFrame) -> pd.Series:
    """One verdict a claim: over its scales, the first in `CLAIM_VERDICTS`."""
    by_claim = judged.groupby(["subsystem", "claim"], sort=False)["verdict"]
    return by_claim.agg(lambda verdicts: min(verdicts, key=CLAIM_VERDICTS.index))


def verdict(claim: Claim, found: Effect, tier: str) -> tuple[str, str]:
    """The verdict on a claim about `found`, and the reason of one that says neither yes nor no."""
    if reason := _no_inference(claim, found, tier):
        return "inconclusive", reason
    one_sided = claim.low == 0 or claim.high == inf
    margin = max(MARGIN, found.floor) if found.ratio else 1.0
    slack = max(1 + claim.tolerance, margin if one_sided else found.floor)
    inside = claim.low <= found.ci_low and found.ci_high <= claim.high
    beyond_noise = not found.ratio or not one_sided or abs(log(found.value)) > log(margin)
    if inside and beyond_noise:
        return "supported", ""
    if found.ci_high < claim.low / slack or found.ci_low > claim.high * slack:
        return "contradicted", ""
    if found.ratio and one_sided and 1 / margin <= found.near[0] and found.near[1] <= margin:
        return "equivalent", f"the two differ by less than a factor of {margin:.3g}"
    return "inconclusive", _what_would_tell(claim, found, inside)


def _judgements(
    claim: Claim, session: Session | None, sources: Mapping[str, str]
) -> Iterator[Judgement]:
    nothing = Judgement(
        claim.subsystem, claim.id, 0, nan, nan, nan, 0, nan, nan, "not testable here", ""
    )
    if claim.cell is None:
        yield replace(nothing, reason=claim.not_testable)
        return
    if session is None:
        yield replace(nothing, verdict="inconclusive", reason=NO_SESSION)
        return
    profile = session.facts["profile"]
    if claim.profile not in ("", profile):
        yield replace(nothing, reason=f"needs profile {claim.profile}; this session ran {profile}")
        return
    lost = session.facts.get("profile_not_applied", {})
    if claim.profile and lost:
        why = "; ".join(f"{knob}: {reason}" for knob, reason in lost.items())
        yield replace(nothing, reason=f"profile {profile} was not wholly enforced ({why})")
        return
    cells = [cell for cell in (claim.cell, claim.base) if cell]
    at = list(_scales(claim, cells, session.measurements))
    if not at:
        yield replace(nothing, reason=_missing(cells, claim, session.measurements))
    engines = session.facts["plan"]["engines"]
    changed = [
        cell.engine
        for cell in cells
        if at and engines[cell.engine]["source_hash"] != sources.get(cell.engine)
    ]
    for placed in at:
        try:
            found = _effect(claim, placed, session)
        except ValueError as error:
            yield replace(nothing, scale=placed[0].scale or 0, reason=str(error))
            continue
        said, reason = verdict(claim, found, session.facts["tier"])
        if changed:
            said, reason = "stale", f"{changed[0]} has changed since the session; it said: {said}"
        yield replace(
            nothing,
            scale=placed[0].scale or 0,
            effect=found.value,
            ci_low=found.ci_low,
            ci_high=found.ci_high,
            n=found.n,
            floor=found.floor,
            detectable=_detectable(found),
            verdict=said,
            reason=reason,
        )


def _scales(claim: Claim, cells: list[Cell], measurements: pd.DataFrame) -> Iterator[list[Cell]]:
    """The cells at each scale that the claim is about and at which all of them have a value."""
    have = [set(_rows(measurements, cell, claim.metric)["scale"]) for cell in cells]
    if cells[0].scale is not None:
        if all(cell.scale in scales for cell, scales in zip(cells, have, strict=True)):
            yield cells
        return
    for scale in sorted(set.intersection(*have)):
        if claim.scales[0] <= scale <= claim.scales[1]:
            yield [replace(cell, scale=int(scale)) for cell in cells]


def _effect(claim: Claim, cells: list[Cell], session: Session) -> Effect:
    """What was measured; ValueError when there is no ratio of the two cells."""
    values = [_rows(session.measurements, cell, claim.metric) for cell in cells]
    exact = all(rows["exact"].all() for rows in values)
    floor = 1.0 if exact else max(_floor(session.noise, cell, claim.metric) for cell in cells)
    if len(cells) == 2:
        cell, base = map(vars, cells)
        found, near = (
            paired_ratio(session.measurements, cell, base, claim.metric, level)
            for level in (bootstrap.LEVEL, EQUIVALENCE_LEVEL)
        )
        ends = (near.ci_low, near.ci_high)
        return Effect(found.ratio, found.ci_low, found.ci_high, found.n, floor, ends, True)
    middle = bootstrap.median(values[0]["value"])
    return Effect(middle.value, middle.low, middle.high, middle.n, floor, (nan, nan), False)


def _detectable(found: Effect) -> float:
    """The smallest difference that would support a claim of one; NaN for what is no ratio."""
    if not found.ratio:
        return nan
    return detectable(found.n, found.ci_low, found.ci_high, max(MARGIN, found.floor))


def _rows(measurements: pd.DataFrame, cell: Cell, metric: str) -> pd.DataFrame:
    """The successful shots of arm A of a cell, at its scale or at all."""
    rows = measurements[(measurements["status"] == "ok") & (measurements["arm"] == "A")]
    for column, value in {**vars(cell), "metric": metric}.items():
        if value is not None:
            rows = rows[rows[column] == value]
    return rows


def _floor(noise: pd.DataFrame, cell: Cell, metric: str) -> float:
    """The noise floor of the cell's workload; NaN when there is none."""
    rows = noise[noise["metric"] == metric].set_index("workload")["floor"]
    return float(rows.get(cell.workload, nan))


def _missing(cells: list[Cell], claim: Claim, measurements: pd.DataFrame) -> str:
    """Why there is nothing to judge a claim by."""
    for cell in cells:
        if _rows(measurements, cell, claim.metric).empty:
            wanted = {name: value for name, value in vars(cell).items() if value is not None}
            rows = measurements
            for column, value in wanted.items():
                rows = rows[rows[column] == value]
            bad = rows[rows["status"] != "ok"]
            if len(bad):
                return f"{cell.engine}: {bad['status'].iloc[0]}: {bad['reason'].iloc[0]}"
            named = ", ".join(f"{name} {value or 'without'}" for name, value in wanted.items())
            return f"this session did not measure {named}"
    return f"no scale in {claim.scales[0]:g} to {claim.scales[1]:g} that all cells have"


def _no_inference(claim: Claim, found: Effect, tier: str) -> str:
    """Why nothing may be concluded, empty when something may."""
    if tier == "smoke":
        return "tier smoke allows no inference"
    if found.n < bootstrap.LEAST:
        return f"{found.n} blocks; at least {bootstrap.LEAST} are needed"
    if isnan(found.floor):
        return "no A/A cells, so no noise floor"
    both_ends = claim.low > 0 and claim.high < inf
    if found.ratio and both_ends and log(claim.high / claim.low) / 2 < log(found.floor):
        return f"the noise floor {found.floor:.3g} is wider than the claimed interval"
    return ""


def _what_would_tell(claim: Claim, found: Effect, inside: bool) -> str:
    """What stands in the way of a verdict, and how many blocks would settle it."""
    if inside:
        return "no larger than the margin that noise may explain"
    bounds = [bound for bound in (claim.low, claim.high) if 0 < bound < inf]
    bound = min(bounds, key=lambda end: abs(log(found.value / end)))
    if not found.ci_low <= bound <= found.ci_high or found.ci_low <= 0:
        return f"outside of the claim by less than the tolerance (bound {bound:g})"
    distance = abs(log(found.value / bound))
    width = log(found.ci_high / found.ci_low) / 2
    if distance < width / 10:
        return f"the interval holds the bound {bound:g}; the effect is too near to it to tell"
    blocks = ceil(found.n * (width / distance) ** 2)
    return f"the interval holds the bound {bound:g}; about {blocks} blocks would tell"
