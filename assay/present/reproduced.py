"""The published tables, number by number, beside what this study measured."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from assay.analyse.rows import Row
from assay.present import enforced
from assay.present.evidence import Evidence, at_scale
from assay.present.quantities import interval, quantity, ratio
from assay.present.tables import Column, Html, table, text


@dataclass(frozen=True)
class Answer:
    """What answers a published number: an engine, in the variant that column `variant` names.

    Where `instead` maps the published metric, another one answers. `compared` adds how the engine
    compares with the print, and with the reference engine: by the metrics that `fairly` maps to.
    """

    title: str
    engine: str
    variant: str = "variant"
    instead: Mapping[str, str] = field(default_factory=dict)
    compared: bool = False
    fairly: Mapping[str, str] = field(default_factory=dict)


Ratios = dict[tuple[object, ...], Row]
NO_RATIO: Row = dict.fromkeys(("ratio", "ci_low", "ci_high"), float("nan"))


def beside(
    evidence: Evidence,
    published: pd.DataFrame,
    answers: Sequence[Answer],
    totals: Collection[str] = (),
    caption: str = "Published numbers beside ours",
) -> Html:
    """Every published metric that a workload of ours answers, with our median and interval.

    `totals` are metrics that grow with the number of operations, which is shown beside them. Each
    other profile and machine of the study has columns of its own.
    """
    counts = published[published["column"].str.lower() == "iterations"]
    iterations = counts.set_index(["section", "row"])["value"].to_dict()
    elsewhere = [
        (other, replace(one, title=f"{one.title}, {_where(other, evidence)}"))
        for other in evidence.others
        for one in answers
    ]
    rows = [
        {
            **row,
            "total": row["metric"] in totals,
            "iterations": iterations.get((row["section"], row["row"])),
            "counted": evidence.counted(row["workload"]),
            **{one.title: _found(evidence, row, one) for one in answers},
            **{one.title: _found(other, row, one) for other, one in elsewhere},
        }
        for row in published[published["metric"] != ""].to_dict("records")
    ]
    known = _over_reference(evidence, [one.engine for one in answers if one.compared])
    columns = [
        text("published under", "section", long=True),
        text("row", "row"),
        text("metric", "column"),
        Column("published", _printed, lambda row: row["value"]),
        *(column for one in answers for column in _columns(one, known)),
        *(_measured(one) for _, one in elsewhere),
    ]
    return table(rows, columns, f"{caption}: median [95 % interval], n")


def _where(other: Evidence, first: Evidence) -> str:
    """What tells another session from the first one, and whether it kept what it says."""
    session = other.session
    parts = [f"under {session['profile']}"]
    if session["machine"] != first.session["machine"]:
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
    if not row["iterations"]:
        return f"{shown}, {counted} not given"
    return f"{shown} at {row['iterations']:,.0f} {counted}"


def _columns(one: Answer, known: Ratios) -> list[Column]:
    return [_measured(one), *([_to_print(one), _ratio(one, known)] if one.compared else [])]


def _measured(one: Answer) -> Column:
    def show(row: Row) -> str:
        ours = row[one.title]
        if isinstance(ours, str):
            return ours
        shown = interval(ours["median"], ours["ci_low"], ours["ci_high"], ours["unit"])
        at = f" at {ours['scale']:,} {row['counted']}" if row["total"] else ""
        return f"{shown}{at}, n = {ours['n']}"

    return Column(one.title, show, lambda row: _median(row, one))


def _ratio(one: Answer, known: Ratios) -> Column:
    """The engine over the reference engine, paired by block."""

    def found(row: Row) -> Row:
        cell = (row["workload"], row["variant"], row["scale"], one.engine)
        metrics = (one.fairly.get(row["metric"], row["metric"]), row["metric"])
        return next((known[m, *cell] for m in metrics if (m, *cell) in known), NO_RATIO)

    def show(row: Row) -> str:
        compared = found(row)
        return ratio(compared["ratio"], compared["ci_low"], compared["ci_high"])

    return Column(f"{one.title} / reference", show, lambda row: found(row)["ratio"])


def _to_print(one: Answer) -> Column:
    """The engine over the print. Another machine made the print, so there is no interval."""

    def value(row: Row) -> float:
        return _median(row, one) / row["value"] if row["value"] else float("nan")

    return Column(f"{one.title} / published", lambda row: ratio(value(row)), value)


def _median(row: Row, one: Answer) -> float:
    ours = row[one.title]
    return float("nan") if isinstance(ours, str) else float(ours["median"])


def _over_reference(evidence: Evidence, engines: Collection[str]) -> Ratios:
    rows = evidence.ratios
    rows = rows[(rows["kind"] == "engine") & rows["engine"].isin(engines)]
    place = ["metric", "workload", "variant", "scale", "engine"]
    return {tuple(row[name] for name in place): row for row in rows.to_dict("records")}


def _found(evidence: Evidence, row: Row, one: Answer) -> Row | str:
    """Our estimate for a published number, or why there is none."""
    variant = row[one.variant]
    answered = variant or one.variant == "variant"  # a workload may have a single variant
    if not answered or (one.instead and row["metric"] not in one.instead):
        return "–"
    keys: dict[str, str | int] = {"engine": one.engine, "variant": variant}
    metric = one.instead.get(row["metric"], row["metric"])
    cells = evidence.cells(row["workload"], metric, **keys).dropna(subset="median")
    found = at_scale(cells, row["scale"]).to_dict("records")
    if found:
        return found[0]
    if not pd.isna(row["scale"]):
        keys["scale"] = int(row["scale"])
    return evidence.missing(row["workload"], **keys)
