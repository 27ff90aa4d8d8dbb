"""The published tables, number by number, beside what this study measured."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan

import pandas as pd

from assay.analyse.medians import LEAST
from assay.inputs import tiers
from assay.inputs.validation import one_of
from assay.present.kit.evidence import (
    MORE,
    NOT_IN_PLAN,
    NOT_IN_TIER,
    ROOT,
    Evidence,
)
from assay.present.kit.quantities import median_of, quantity, ratio_of, sentence, spread
from assay.present.kit.tables import Column, Html, absent, note, table, text
from assay.present.sections import enforced
from assay.published import named, scales
from assay.tables.rows import Row, pick, records


@dataclass(frozen=True)
class Counterpart:
    """What answers a published number: an engine, in the variant that column `variant` names.

    `engine` may map each published row to the engine that is the same system. Where `instead` maps
    the published metric, another one answers. What is `compared` is the published system, or what
    stands in for it. That adds how it compares with the print, and with the reference engine: by
    the metrics that `fairly` maps to.
    """

    title: str
    engine: str | Mapping[str, str]
    variant: str = "variant"
    instead: Mapping[str, str] = field(default_factory=dict)
    compared: bool = False
    fairly: Mapping[str, str] = field(default_factory=dict)

    def of(self, row: Row) -> str:
        """The engine that answers a published row."""
        return self.engine if isinstance(self.engine, str) else self.engine[row["row"]]


@dataclass(frozen=True)
class Printed:
    """A table of a published report: the numbers that it holds, and what stands beside them.

    `holds` takes them from all published numbers of the subsystem. `totals` are metrics that grow
    with the number of operations, which is shown beside them.
    """

    caption: str
    answers: Sequence[Counterpart]
    holds: Callable[[pd.DataFrame], pd.DataFrame] = lambda published: published
    totals: Collection[str] = ()


@dataclass(frozen=True)
class Tally:
    """How many results are printed with a number, and of how many the same system was measured.

    `own` were measured at the printed scale by the session itself, `kept` by a committed one only.
    """

    printed: int
    own: int
    kept: int


Ratios = dict[tuple[object, ...], Row]
NOT_THAT_MACHINE = "of another machine"
NOTHING = ("–", NOT_IN_TIER, NOT_IN_PLAN, NOT_THAT_MACHINE)
"""What stands for an answer where there was nothing to measure, or where the tier left it out."""

MORE_PRINTED = f"{NOT_IN_TIER}: `--config tier=published` measures what is printed"

NO_RATIO: Row = dict.fromkeys(("ratio", "ci_low", "ci_high"), float("nan"))


def published_table(evidence: Evidence, name: str) -> Html:
    """A table of the published report, as the subsystem declares it under `name`, beside ours."""
    printed = evidence.subsystem.printed
    known = printed[one_of("published table", name, printed, evidence.folder.name)]
    return beside(evidence, evidence.published, known)


def tally(evidence: Evidence) -> Tally:
    """What a session says to all tables of the published report that its subsystem declares."""
    counted = {"own": 0, "kept": 0, "none": 0}
    for printed in evidence.subsystem.printed.values():
        same = [answer for answer in printed.answers if answer.compared]
        for row in _rows(evidence, evidence.published, printed):
            if isnan(row["value"]):
                continue
            ours = [_answered(evidence, row, answer) for answer in same]
            ours += [
                _found(other, row, a) for other in evidence.others for a in same if row["profile"]
            ]
            marks = {_mark(cell) for cell in ours if not isinstance(cell, str)}
            counted["own" if "" in marks else "kept" if marks else "none"] += 1
    return Tally(sum(counted.values()), counted["own"], counted["kept"])


def beside(evidence: Evidence, published: pd.DataFrame, printed: Printed) -> Html:
    """Every printed result of `published` in a table, with our median and interval.

    Each other profile and machine of the study has columns of its own. What the tier left out is
    that of a committed run, marked. Numbers that nothing stands beside are counted in a last
    line; an answer that there is nothing of has no column.
    """
    answers, caption = printed.answers, printed.caption
    elsewhere = [
        (other, replace(answer, title=f"{answer.title}, {_where(other, evidence)}"))
        for other in evidence.others
        for answer in answers
    ]
    rows = [
        {
            **row,
            **{answer.title: _answered(evidence, row, answer) for answer in answers},
            **{answer.title: _found(other, row, answer) for other, answer in elsewhere},
        }
        for row in _rows(evidence, published, printed)
    ]
    every = [*answers, *(answer for _, answer in elsewhere)]
    answering = [
        answer for answer in every if any(row[answer.title] not in NOTHING for row in rows)
    ]
    kept, left = list[Row](), list[Row]()
    for row in rows:
        answered = any(row[answer.title] not in NOTHING for answer in answering)
        (kept if answered else left).append(row)
    alike = len({(row["row"], row["column"]) for row in kept}) < len(kept)
    section = text("published under", "section", long=True, choose=True)
    known = {mark: _over_reference(run) for mark, run in [("", evidence), *_kept(evidence)]}
    columns = [
        text("row", "row", key=True),
        text("metric", "column", choose=True, key=True),
        *([section] if alike else []),
        Column("published", _printed, lambda row: row["value"]),
        *(c for answer in answers if answer in answering for c in _columns(answer, known)),
        *(c for _, answer in elsewhere if answer in answering for c in _columns(answer)),
        *([] if alike else [section]),
    ]
    if not kept:
        return absent(f"Table {caption}", f"is {MORE}")
    numbers = [row for row in left if not isnan(row["value"])]
    more = " ".join(_left_out(evidence, numbers, len(rows)))
    shown = note(more).text if more else ""
    return Html(table(kept, columns, f"{caption}: median [95 % interval], n").text + shown)


def _left_out(evidence: Evidence, left: Sequence[Row], printed: int) -> Iterator[str]:
    """How many numbers nothing stands beside: those that tier published has, then the others."""
    tier = tiers.load(ROOT, evidence.folder.name).get("published")
    scales: dict[str, list[int]] = {}
    for scale, reason in tier.not_yet.items() if tier else ():
        scales.setdefault(reason, []).append(scale)
    elsewhere = Counter(row["profile"] for row in left if row["profile"])
    here = [row for row in left if not row["profile"]]
    beyond = {why: [row for row in here if row["scale"] in some] for why, some in scales.items()}
    if had := len(here) - sum(map(len, beyond.values())):
        yield f"{had} more of {printed} printed numbers are {MORE_PRINTED}."
    for reason, rows in beyond.items():
        if rows:
            at = f"{sentence([f'{scale:,}' for scale in scales[reason]])} {rows[0]['counted']}"
            yield f"No tier measures {len(rows)} printed numbers, at {at}: {reason}."
    for profile, count in elsewhere.items():
        yield (
            f"{count} more printed numbers are not measured yet: they are of another machine, "
            f"which tier published measures as profile {profile}."
        )


def _kept(evidence: Evidence) -> Iterator[tuple[str, Evidence]]:
    """The committed sessions, each with what marks its values; under all profiles."""
    for mark, run in evidence.kept.items():
        yield mark, run
        for other in run.others:
            yield f"{mark}, profile {other.facts['profile']}", other


def _answered(evidence: Evidence, row: Row, answer: Counterpart) -> Row | str:
    """What answers a published number: our estimate, or where the tier has none a committed one."""
    own = _found(evidence, row, answer)
    if own not in (NOT_IN_TIER, NOT_IN_PLAN, NOT_THAT_MACHINE):
        return own
    for mark, run in _kept(evidence):
        meant = mark in evidence.kept or row["profile"]  # else the first session of a run answers
        if meant and not isinstance(theirs := _found(run, row, answer), str):
            return {**theirs, "of": mark}
    return own


def _mark(ours: Row | str) -> str:
    """What tells whose a value is; empty for the session's own."""
    return "" if isinstance(ours, str) else str(ours.get("of", ""))


def _rows(evidence: Evidence, published: pd.DataFrame, printed: Printed) -> list[Row]:
    """The results of a table that a workload of ours measures too, each with the scale it is at.

    `profile` is the one that stands for the machine that it is of; empty where any may answer it.
    """
    tier = tiers.load(ROOT, evidence.folder.name).get("published")
    held = printed.holds(published)
    held = held.assign(at=scales(held))
    return [
        {
            **row,
            "total": row["metric"] in printed.totals,
            "counted": evidence.counted(row["workload"]),
            "profile": tier.profile_of(row["section"]) if tier else "",
        }
        for row in records(held[held["metric"] != ""])
    ]


def _where(other: Evidence, first: Evidence) -> str:
    """What tells another session from the first one, and whether it kept what it says."""
    session = other.facts
    parts = [f"under {session['profile']}"]
    if session["machine"] != first.facts["machine"]:
        parts.append(f"on {session['machine']}")
    if not enforced.holds(session):
        parts.append("(not wholly enforced)")
    return " ".join(parts)


def _printed(row: Row) -> str:
    if pd.isna(row["value"]):
        return "not given"
    shown = quantity(row["value"], row["unit"])
    if not row["total"]:
        return shown
    counted = row["counted"]
    if isnan(row["at"]):
        return f"{shown}, {counted} not given"
    return f"{shown} at {row['at']:,.0f} {counted}"


def _columns(answer: Counterpart, known: Mapping[str, Ratios] | None = None) -> list[Column]:
    """What is measured, over the print, and over the reference engine where that is `known`."""
    if not answer.compared:
        return [_measured(answer)]
    return [_measured(answer), _to_print(answer), *([_ratio(answer, known)] if known else [])]


def _measured(answer: Counterpart) -> Column:
    def show(row: Row) -> str:
        ours = row[answer.title]
        if isinstance(ours, str):
            return "–" if ours in NOTHING else ours
        shown = median_of(ours)
        if ours["n"] < LEAST and ours["minimum"] < ours["maximum"]:
            shown += f" ({spread(ours['minimum'], ours['maximum'], ours['unit'])})"
        at = f" at {ours['scale']:,} {row['counted']}" if row["total"] else ""
        return _marked(f"{shown}{at}, n = {ours['n']}", ours)

    def value(row: Row) -> float:
        ours = row[answer.title]
        return float("nan") if isinstance(ours, str) else float(ours["median"])

    return Column(answer.title, show, lambda row: _sorted_by(row, answer, value(row)))


def _ratio(answer: Counterpart, known: Mapping[str, Ratios]) -> Column:
    """The engine over the reference engine at the same scale, paired by block of one session."""

    def found(row: Row) -> Row:
        ours = row[answer.title]
        if isinstance(ours, str):
            return NO_RATIO
        cell = (row["workload"], row["variant"], ours["scale"], answer.of(row))
        metrics = (answer.fairly.get(row["metric"], row["metric"]), row["metric"])
        paired = known[_mark(ours)]
        return next((paired[m, *cell] for m in metrics if (m, *cell) in paired), NO_RATIO)

    return _over("reference", answer, found)


def _to_print(answer: Counterpart) -> Column:
    """The engine over the print, at one scale. The interval is that of ours: the print has none.

    A total whose number of operations is not printed has no ratio.
    """

    def found(row: Row) -> Row:
        ours = row[answer.title]
        unknown = row["total"] and isnan(row["at"])
        return NO_RATIO if isinstance(ours, str) or unknown else ours["over print"]

    return _over("published", answer, found)


def _over(base: str, answer: Counterpart, found: Callable[[Row], Row]) -> Column:
    """The ratios that are `found` of an engine over `base`."""
    return Column(
        f"{answer.title} / {base}",
        lambda row: _marked(ratio_of(found(row)), row[answer.title]),
        lambda row: _sorted_by(row, answer, found(row)["ratio"]),
    )


def _marked(shown: str, ours: Row | str) -> str:
    """What is shown of an answer, with whose it is; nothing needs no mark."""
    return f"{shown} ({_mark(ours)})" if _mark(ours) and shown != "–" else shown


def _sorted_by(row: Row, answer: Counterpart, value: float) -> float:
    """What a column is sorted by: no order has values of two machines."""
    return float("nan") if _mark(row[answer.title]) else value


def _over_reference(evidence: Evidence) -> Ratios:
    rows = records(evidence.ratios[evidence.ratios["kind"] == "engine"])
    place = ["metric", "workload", "variant", "scale", "engine"]
    return {tuple(pick(row, place).values()): row for row in rows}


def _found(evidence: Evidence, row: Row, answer: Counterpart) -> Row | str:
    """Our estimate for a published number, or why there is none."""
    variant = row[answer.variant]
    answered = variant or answer.variant == "variant"  # a workload may have a single variant
    if row["profile"] not in ("", evidence.facts["profile"]):
        return NOT_THAT_MACHINE
    if not answered or (answer.instead and row["metric"] not in answer.instead):
        return "–"
    engine, metric = answer.of(row), answer.instead.get(row["metric"], row["metric"])
    measured = evidence.measured(row["workload"], metric, engine, variant)
    any_scale = isnan(row["at"])
    if answers := [cell for cell in measured if any_scale or cell["scale"] == row["at"]]:
        ours = answers[-1]
        if not answer.compared:
            return ours
        return ours | {"over print": evidence.quotient("published", named(row), ours)}
    keys: dict[str, str | int] = {"engine": engine, "variant": variant}
    if not any_scale:
        keys["scale"] = int(row["at"])
    return evidence.missing(row["workload"], **keys)
