"""Verdicts on claims: what the measurements of one session say of each (docs/method.md)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil, exp, inf, isnan, log, nan

import numpy as np
import pandas as pd

from assay.analyse import medians, scaling
from assay.analyse.ratios import NO_FLOOR, TIMED, detectable
from assay.analyse.session import Session
from assay.inputs.claims import LEAST_SCALES, Cell, Claim
from assay.tables.rows import Row, records, successful
from assay.tables.vocabulary import CLAIM_VERDICTS

MARGIN = 1.05
"""A difference smaller than this, or than the noise floor, supports no claim of a difference."""

FEWEST = 3
"""Blocks of tier published whose values, if all say the same, are a verdict by range."""

NO_SESSION = "no engine in this study yet"


@dataclass(frozen=True)
class Observed:
    """The claimed quantity as measured: a ratio, an exponent, or a median in SI units.

    `floor` is the noise floor, a ratio; 1 for what has no noise. `near` is the 90 % interval.
    `reach` is from the smallest to the largest value of a block, and `exact` says that they are
    counted. `span` is the logarithm of the largest scale over the smallest, of an exponent.
    """

    value: float
    ci_low: float
    ci_high: float
    n: int
    floor: float
    near: tuple[float, float]
    ratio: bool
    reach: tuple[float, float] = (nan, nan)
    exact: bool = False
    span: float = 0.0


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


def judge(claims: Iterable[Claim], session: Session | None, hot: Mapping[str, str]) -> pd.DataFrame:
    """One row a claim and scale, columns as in `Judgement`. Without a session none is decided.

    `session` is the first of its study; the others judge the claims that name their profiles.
    `hot` maps engines to the hash of their hot files as they are now: of what a timing can depend
    on. A claim about an engine that has changed since the session is stale. The pairs of the
    session hold what is claimed of two cells.
    """
    rows = [vars(judgement) for claim in claims for judgement in _judgements(claim, session, hot)]
    return pd.DataFrame(rows, columns=list(Judgement.__annotations__))


def overall(judged: pd.DataFrame) -> pd.Series:
    """One verdict a claim: over its scales, the first in `CLAIM_VERDICTS`."""
    by_claim = judged.groupby(["subsystem", "claim"], sort=False)["verdict"]
    return by_claim.agg(lambda verdicts: min(verdicts, key=CLAIM_VERDICTS.index))


def under(profile: str, first: Session) -> Session | None:
    """The session that judges a claim about a profile; the first of the study where it has none."""
    if not profile:
        return first
    sessions = (first, *first.others)
    return next((one for one in sessions if one.facts["profile"] == profile), None)


def verdict(claim: Claim, observed: Observed, tier: str) -> tuple[str, str]:
    """Verdict on a claim about `observed`, and the reason of one that says neither yes nor no."""
    if observed.span:
        claim, observed = _grown(claim, observed)
    if reason := _no_inference(claim, observed, tier):
        return "inconclusive", reason
    ranged = observed.n < medians.LEAST
    low, high = observed.reach if ranged else (observed.ci_low, observed.ci_high)
    kind, why = (" by range", _told(observed)) if ranged else ("", "")
    one_sided = claim.low == 0 or claim.high == inf
    differs = observed.ratio and one_sided and not observed.span
    margin = max(MARGIN, observed.floor)
    noise = margin if differs else observed.floor if observed.span or not one_sided else 1.0
    slack = max(1 + claim.tolerance, noise)
    inside = claim.low <= low and high <= claim.high
    if inside and (not differs or abs(log(observed.value)) > log(margin)):
        return f"supported{kind}", why
    if high < claim.low / slack or low > claim.high * slack:
        return f"contradicted{kind}", why
    if ranged:
        return "inconclusive", f"{why}; {medians.LEAST} may tell"
    if differs and 1 / margin <= observed.near[0] and observed.near[1] <= margin:
        ends = f"{observed.near[0]:.4g} to {observed.near[1]:.4g}"
        return "equivalent", f"90 % interval {ends}: less than a factor of {margin:.3g} apart"
    return "inconclusive", _what_would_tell(claim, observed, inside)


def _grown(claim: Claim, observed: Observed) -> tuple[Claim, Observed]:
    """A claim of an exponent as one of the growth over its scales: a ratio, as is the floor."""

    def growth(exponent: float) -> float:
        return exp(exponent * observed.span)

    claimed = replace(
        claim,
        low=growth(claim.low),
        high=growth(claim.high),
        tolerance=growth(claim.tolerance) - 1,
    )
    return claimed, replace(
        observed,
        value=growth(observed.value),
        ci_low=growth(observed.ci_low),
        ci_high=growth(observed.ci_high),
        reach=(growth(observed.reach[0]), growth(observed.reach[1])),
        ratio=True,
    )


def _judgements(
    claim: Claim, session: Session | None, hot: Mapping[str, str]
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
    session = under(claim.profile, session)
    if session is None:
        yield replace(nothing, reason=f"not measured yet under profile {claim.profile}")
        return
    lost = session.facts["profile_not_applied"]
    if claim.profile and lost:
        why = "; ".join(f"{knob}: {reason}" for knob, reason in lost.items())
        yield replace(nothing, reason=f"profile {claim.profile} was not wholly enforced ({why})")
        return
    cells = [cell for cell in (claim.cell, claim.base) if cell]
    at = list(_scales(claim, cells, session.measurements))
    if not at:
        yield replace(nothing, reason=_missing(cells, claim, session.measurements))
    engines = session.facts["plan"]["engines"]
    changed = [
        cell.engine
        for cell in cells
        if at and engines[cell.engine]["hot_hash"] != hot.get(cell.engine)
    ]
    for placed in at:
        try:
            observed = _effect(claim, placed, session)
        except ValueError as error:
            yield replace(nothing, scale=placed[0].scale or 0, reason=str(error))
            continue
        said, reason = verdict(claim, observed, session.facts["tier"])
        if changed:
            said, reason = "stale", f"{changed[0]} has changed since the session; it said: {said}"
        yield replace(
            nothing,
            scale=placed[0].scale or 0,
            effect=observed.value,
            ci_low=observed.ci_low,
            ci_high=observed.ci_high,
            n=observed.n,
            floor=observed.floor,
            detectable=_detectable(observed),
            verdict=said,
            reason=reason,
        )


def _scales(claim: Claim, cells: list[Cell], measurements: pd.DataFrame) -> Iterator[list[Cell]]:
    """The cells at each scale that the claim is about and at which all of them have a value."""
    have = [set(_rows(measurements, cell, claim.metric)["scale"]) for cell in cells]
    if claim.exponent:
        inside = [scale for scale in have[0] if claim.scales[0] <= scale <= claim.scales[1]]
        if inside:
            yield [replace(cells[0], scale=int(max(inside)))]
        return
    if cells[0].scale is not None:
        if all(cell.scale in scales for cell, scales in zip(cells, have, strict=True)):
            yield cells
        return
    for scale in sorted(set.intersection(*have)):
        if claim.scales[0] <= scale <= claim.scales[1]:
            yield [replace(cell, scale=int(scale)) for cell in cells]


def _effect(claim: Claim, cells: list[Cell], session: Session) -> Observed:
    """What was measured; ValueError when there is no ratio of the two cells, or no curve."""
    if claim.exponent:
        return _exponent(claim, session)
    values = [_rows(session.measurements, cell, claim.metric) for cell in cells]
    noisy = any(_noisy(rows) for rows in values)
    floors = [session.floor(cell.workload, claim.metric) for cell in cells] if noisy else [NO_FLOOR]
    floor = max(floors)
    exact = all(bool(rows["exact"].all()) for rows in values)
    if len(cells) == 2:
        row = _pair(session, claim.metric, *cells)
        ends, reach = (row["near_low"], row["near_high"]), _reach(row["blocks"].split())
        return Observed(
            row["ratio"], row["ci_low"], row["ci_high"], row["n"], floor, ends, True, reach, exact
        )
    middle = medians.median(values[0]["value"])
    reach = _reach(values[0]["value"])
    return Observed(
        middle.value, middle.low, middle.high, middle.n, floor, (nan, nan), False, reach, exact
    )


def _pair(session: Session, metric: str, cell: Cell, base: Cell) -> Row:
    """What table `pairs` holds of two cells; ValueError when that is nothing."""
    rows = session.pairs[session.pairs["metric"] == metric]
    for side, prefix in ((cell, ""), (base, "base_")):
        for name, value in vars(side).items():
            rows = rows[rows[prefix + name] == value]
    if rows.empty:
        raise ValueError(
            f"no ratio of {vars(cell)} over {vars(base)}: "
            "no block in which both are ok, or a value that is not above 0"
        )
    return records(rows)[0]


def _exponent(claim: Claim, session: Session) -> Observed:
    """The exponent over the claimed scales, as in table `scaling`; ValueError without a curve."""
    assert claim.cell, "a claim of an exponent has a cell"
    rows = _rows(session.measurements, claim.cell, claim.metric)
    rows = rows[rows["scale"].between(*claim.scales)]
    sizes = np.sort(rows["scale"].unique()).astype(float)
    if len(sizes) < LEAST_SCALES:
        few = "1 scale" if len(sizes) == 1 else f"{len(sizes)} scales"
        raise ValueError(f"this session measured {few}; an exponent needs {LEAST_SCALES}")
    if rows["value"].min() <= 0:
        raise ValueError("no exponent of values that are not above 0")
    values = rows.pivot(index="block", columns="scale", values="value").dropna().to_numpy()
    slopes = scaling.slopes(np.log(values), sizes)
    levels = (medians.LEVEL, medians.EQUIVALENCE_LEVEL)
    slope, near = (medians.median(slopes, level) for level in levels)
    floor = session.floor(claim.cell.workload, claim.metric) if _noisy(rows) else NO_FLOOR
    span = log(sizes[-1] / sizes[0])
    ends, reach = (near.low, near.high), _reach(slopes)
    exact = bool(rows["exact"].all())
    return Observed(
        slope.value, slope.low, slope.high, slope.n, floor, ends, False, reach, exact, span
    )


def _reach(values: Iterable[float | str]) -> tuple[float, float]:
    """The smallest and the largest value of a block."""
    known = [*map(float, values)]
    return min(known), max(known)


def _detectable(observed: Observed) -> float:
    """The smallest difference that would support a claim of one; NaN for what is no ratio."""
    if not observed.ratio:
        return nan
    return detectable(observed.n, observed.ci_low, observed.ci_high, max(MARGIN, observed.floor))


def _rows(measurements: pd.DataFrame, cell: Cell, metric: str) -> pd.DataFrame:
    """The successful shots of a cell, at its scale or at all."""
    rows = successful(measurements)
    for column, value in {**vars(cell), "metric": metric}.items():
        if value is not None:
            rows = rows[rows[column] == value]
    return rows


def _noisy(rows: pd.DataFrame) -> bool:
    """Whether the machine adds to the values: they are times or rates."""
    return bool((~rows["exact"] & rows["unit"].isin(TIMED)).any())


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
    return f"no scale in {claim.scales[0]:,} to {claim.scales[1]:,} that all cells have"


def _no_inference(claim: Claim, observed: Observed, tier: str) -> str:
    """Why nothing may be concluded, empty when something may."""
    if tier == "smoke":
        return "tier smoke allows no inference"
    least = medians.LEAST
    if tier == "published":
        least = 1 if observed.exact else FEWEST
    if observed.n < least:
        return f"{observed.n} blocks; at least {least} are needed"
    if isnan(observed.floor):
        return "no A/A cells, so no noise floor"
    both_ends = claim.low > 0 and claim.high < inf
    if observed.ratio and both_ends and log(claim.high / claim.low) / 2 < log(observed.floor):
        return f"the noise floor {observed.floor:.3g} is wider than the claimed interval"
    return ""


def _told(observed: Observed) -> str:
    """The values of a few blocks, by their ends."""
    low, high = (log(end) / observed.span if observed.span else end for end in observed.reach)
    ends = f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
    return f"{ends} in {observed.n} block{'s' if observed.n > 1 else ''}"


def _what_would_tell(claim: Claim, observed: Observed, inside: bool) -> str:
    """What stands in the way of a verdict, and how many blocks would settle it."""
    if inside:
        return "no larger than the margin that noise may explain"
    bounds = [bound for bound in (claim.low, claim.high) if 0 < bound < inf]
    bound = min(bounds, key=lambda end: abs(log(observed.value / end)))
    shown = f"{log(bound) / observed.span if observed.span else bound:.4g}"
    if not observed.ci_low <= bound <= observed.ci_high or observed.ci_low <= 0:
        return f"outside of the claim by less than the tolerance (bound {shown})"
    distance = abs(log(observed.value / bound))
    width = log(observed.ci_high / observed.ci_low) / 2
    if distance < width / 10:
        return f"the interval holds the bound {shown}; the effect is too near to it to tell"
    blocks = ceil(observed.n * (width / distance) ** 2)
    return f"the interval holds the bound {shown}; about {blocks} blocks would tell"
