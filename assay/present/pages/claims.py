"""The report of claims: what was said, what was measured, and what follows."""

from collections.abc import Iterable, Sequence
from html import escape
from math import inf, nan
from pathlib import Path

import pandas as pd

from assay.analyse.judge import overall
from assay.inputs.claims import OWN
from assay.present.kit.evidence import MORE, Evidence
from assay.present.kit.quantities import (
    SPACE,
    digits,
    interval,
    quantity,
    ratio,
    sentence,
    separated,
)
from assay.present.kit.spark import spark
from assay.present.kit.tables import (
    Column,
    Html,
    badge,
    detectable,
    note,
    number,
    table,
    text,
    valued,
)
from assay.present.pages import frame, verdict_bars
from assay.present.sections import report
from assay.present.sections.first_screen import Answer
from assay.present.subsystems import named
from assay.tables import io
from assay.tables.rows import Row, records
from assay.tables.vocabulary import CLAIM_VERDICTS

_CLAIM = ["subsystem", "claim"]
"""What tells claims apart."""


def published(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The verdicts on what the published reports say."""
    return verdicts[verdicts["report"] != OWN]


def own(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The verdicts on our own goals and on what the README says."""
    return verdicts[verdicts["report"] == OWN]


def load(data: str | Path) -> pd.DataFrame:
    """The verdicts on all claims, of every subsystem that has any."""
    tables = [io.read(path) for path in sorted(Path(data).glob("*/verdicts.parquet"))]
    if not tables:
        raise FileNotFoundError(f"{data}: expected verdicts of a subsystem, found none")
    return pd.concat(tables, ignore_index=True)


def asked(verdicts: pd.DataFrame, sessions: Iterable[Evidence]) -> pd.DataFrame:
    """The verdicts on what the tiers of the sessions were meant to decide.

    Tiers other than full leave out most cells; what they cannot decide they did not ask.
    """
    some = {session.folder.name for session in sessions if session.facts["tier"] != "full"}
    undecided = (verdicts["verdict"] == "not testable here") & (verdicts["workload"] != "")
    return verdicts[~(verdicts["subsystem"].isin(some) & undecided)]


def committed(verdicts: pd.DataFrame, sessions: Iterable[Evidence]) -> pd.DataFrame:
    """What the committed runs decide that `verdicts`, those of `sessions`, leave open.

    What two of them decide is that of the first.
    """
    place = [*_CLAIM, "scale"]
    runs = [run for session in sessions for run in session.kept.values()]
    every = pd.concat([verdicts[:0], *(run.verdicts for run in runs)], ignore_index=True)
    every = every[every["verdict"] != "not testable here"].drop_duplicates(place)
    own = verdicts[verdicts["verdict"] != "not testable here"]
    known = pd.MultiIndex.from_frame(own[place])
    return every[~pd.MultiIndex.from_frame(every[place]).isin(known)].assign(linked=False)


def settled(verdicts: pd.DataFrame, sessions: Iterable[Evidence]) -> int:
    """How many published claims the committed runs decide that `verdicts` leave open."""
    judged = overall(verdicts)
    left = judged.index[~judged.isin(verdict_bars.DECIDED)]
    theirs = overall(published(committed(verdicts, sessions)))
    return int(theirs[theirs.index.isin(left)].isin(verdict_bars.DECIDED).sum())


def first(verdicts: pd.DataFrame, every: pd.DataFrame, sessions: Iterable[Evidence]) -> Answer:
    """How many published claims hold, and how many no session decides."""
    judged = overall(verdicts)
    counted = judged.value_counts()
    undecided = (~judged.isin(verdict_bars.DECIDED)).sum()
    parts = [f"{counted[name]} {name}" for name in verdict_bars.ORDER if name in counted]
    left = _claims(every) - _claims(verdicts)
    more = f" {left} more are {MORE}." if left else ""
    other = settled(verdicts, sessions)
    elsewhere = f"; other committed runs decide {other} of these, below" if other else ""
    return Answer(
        f"Of {_claims(verdicts)} claims of the published reports, {sentence(parts)}."
        if parts
        else "No claim was judged.",
        f"{undecided} of them are open{elsewhere}. A published engine that no registry has is "
        f"judged by its stand-in.{more}",
    )


def answers(verdicts: pd.DataFrame, every: pd.DataFrame, what: str = "claim") -> Html:
    """For each subsystem, how many claims came out which way; what is contradicted, by name.

    Of `every` claim, those that are not among `verdicts` are counted. `what` names one.
    """
    left = _claims(every) - _claims(verdicts)
    more = note(f"{left} more {what}s are {MORE}.").text if left else ""
    items = "".join(
        f"<li><strong>{escape(at.title)}</strong> ({at.name}). {_answer(rows, what)}</li>"
        for name, rows in verdicts.groupby("subsystem", sort=True)
        for at in [frame.link(report.ROOT, str(name))]
    )
    return Html(f'<ul class="claims">{items}</ul>{more}')


def listed(verdicts: pd.DataFrame, what: str = "claim", how: str = "") -> Html:
    """Every claim at every scale, with what was measured.

    `what` names one in the caption, and `how` says what they have in common.
    """
    columns = [
        Column("claim", _claim, key=True),
        Column("verdict", lambda row: badge(row["verdict"]), choose=True),
        text("subsystem", "subsystem", choose=True),
        Column("claimed and measured", lambda row: Html(spark(row, _said(row)) + _bounds(row))),
        Column("measured [95 % interval]", _effect, lambda row: row["effect"]),
        Column(
            "scale",
            lambda row: f"{row['scale']:,}" if row["scale"] else "–",
            lambda row: row["scale"] or nan,
        ),
        number("n", "n"),
        Column("judged", _judged),
        valued("noise floor", "floor", ratio),
        detectable(),
        Column("why", lambda row: separated(row["reason"])),
    ]
    counted = f"{_claims(verdicts)} {what}s {how}".rstrip()
    caption = f"{counted}, one row a {what} and scale"
    return table(verdicts, columns, caption, lambda row: row["n"] == 0)


def _claims(verdicts: pd.DataFrame) -> int:
    return len(verdicts[_CLAIM].drop_duplicates())


def elsewhere(verdicts: pd.DataFrame, sessions: Sequence[Evidence]) -> Html:
    """The verdicts of the committed runs on what these sessions leave open, and their sessions."""
    rows = committed(verdicts, sessions)
    if rows.empty:
        return note("Nothing: no other run decides more.")
    origin = "".join(
        f"<li><strong>{escape(run.folder.name)}.</strong> {escape(report.told(run))}</li>"
        for session in sessions
        for run in session.kept.values()
    )
    tables = [
        listed(some, what, "judged by a committed run").text
        for some, what in ((published(rows), "claim"), (own(rows), "goal"))
        if len(some)
    ]
    return Html(f"<ul>{origin}</ul>{''.join(tables)}")


def _answer(rows: pd.DataFrame, what: str) -> str:
    """How many came out which way, and the sentences of those that are contradicted, as HTML."""
    by_claim = overall(rows)
    counted = by_claim.value_counts()
    parts = [f"{counted[name]} {name}" for name in reversed(CLAIM_VERDICTS) if name in counted]
    said = f"Of {len(by_claim)} {what}s: {sentence(parts)}."
    why = rows.loc[rows["verdict"] == "inconclusive", "reason"].value_counts()
    if len(why) == 1:
        said += f" Inconclusive because: {escape(separated(why.index[0]))}."
    wrong = rows[rows["verdict"].str.startswith("contradicted")].drop_duplicates("claim")
    if len(wrong):
        named = (
            f'<li><a href="#{report.claim_id(row)}">{report.claim_text(row)}</a></li>'
            for row in records(wrong)
        )
        said += f" Contradicted:<ul>{''.join(named)}</ul>"
    return said


def _claim(row: Row) -> Html:
    """The claim, where it stands, and links: at the left, where no screen cuts them off."""
    where = f"<code>{row['claim']}</code>, {escape(row['section'])}"
    return Html(
        f'<div class="claim" id="{report.claim_id(row)}">'
        f"{report.claim_text(row)}<div>{where}{_links(row)}</div></div>"
    )


def _judged(row: Row) -> str:
    """Which engine, stand-in or store the verdict is about."""
    about = named(row["subsystem"])

    def said(cell: str) -> str:
        engine, _, variant = cell.partition(" ")
        name, words = about.engines.get(engine, engine), about.spoken(variant)
        return f"{name} ({words})" if words else name

    return " over ".join(said(cell) for cell in (row["cell"], row["base"]) if cell)


def _quantity(row: Row, value: float) -> str:
    if row["statistic"] == "exponent":
        return f"exponent{SPACE}{digits(value)}"
    return f"{digits(value)}×" if row["statistic"] == "ratio" else quantity(value, row["unit"])


def _bounds(row: Row) -> str:
    if pd.isna(row["low"]):
        return "–"
    if row["high"] == inf:
        return f"above{SPACE}{_quantity(row, row['low'])}"
    high = _quantity(row, row["high"])
    if row["low"] in (0, -inf):
        return f"below{SPACE}{high}"
    return f"{_quantity(row, row['low'])} to{SPACE}{high.removeprefix(f'exponent{SPACE}')}"


def _effect(row: Row) -> str:
    if row["statistic"] == "ratio":
        return ratio(row["effect"], row["ci_low"], row["ci_high"])
    if row["statistic"] == "exponent" and row["n"]:
        ends = [digits(row[name]) for name in ("ci_low", "ci_high") if not pd.isna(row[name])]
        return _quantity(row, row["effect"]) + (f" [{', '.join(ends)}]" if ends else "")
    return interval(row["effect"], row["ci_low"], row["ci_high"], row["unit"])


def _said(row: Row) -> str:
    return f"claimed {_bounds(row)}; measured {_effect(row)}"


def _links(row: Row) -> str:
    """The figure that shows the workload, and the data; nothing where they are not of this run."""
    if not row["n"] or not row.get("linked", True):
        return ""
    # `assay.present.pages.index` puts the data there.
    links = [f'<a href="data/{row["subsystem"]}/measurements.parquet">data</a>']
    if name := named(row["subsystem"]).showing(row["workload"]):
        links.insert(0, f'<a href="{row["subsystem"]}.html#figure-{name}">figure</a>')
    return f"; see {', '.join(links)}"
