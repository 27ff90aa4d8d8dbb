"""The scorecard: which engine for what. Each cell is a ratio to the best that promises the same.

The ratios are table `scores`, made from one session of each subsystem.
"""

from html import escape

import pandas as pd

from assay.analyse import scores
from assay.analyse.scores import Heat
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import TIMES, digits, quantity, ratio_of
from assay.present.kit.subsystem import Promise
from assay.present.kit.tables import Html
from assay.tables.rows import Row, records
from assay.tables.vocabulary import COLUMNS

FAR = 10.0
"""From which ratio on a cell says that another engine is far ahead."""


def heats(evidence: Evidence) -> list[Heat]:
    """What the subsystem declares to fill the columns, of the engines in its plan."""
    planned = evidence.facts["plan"]["engines"]
    return [
        Heat(
            promise.words,
            score.column,
            score.workload,
            score.metric,
            {name: score.variant for name in promise.engines if name in planned},
        )
        for promise in evidence.subsystem.promises
        for score in promise.scores
    ]


def table(evidence: Evidence) -> pd.DataFrame:
    """Table `scores` of a session."""
    return scores.table(evidence, heats(evidence))


def shown(evidence: Evidence) -> Html:
    """The card of a subsystem: a row an engine, below what it promises and what it is rated by.

    The latter is said again only where it changes.
    """
    rows = {(row["promise"], row["engine"], row["column"]): row for row in records(table(evidence))}
    used = [name for name in COLUMNS if any(column == name for _, _, column in rows)]
    heads = ["engine", "right", *used]
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    right, told, bodies = _right(evidence), "", []
    for promise in evidence.subsystem.promises:
        what = "; ".join(f"{score.column}: {score.words}" for score in promise.scores)
        body = _body(evidence, promise, rows, used, right, "" if what == told else what)
        if body:
            bodies.append(body)
            told = what
    if not bodies:
        return Html("")
    return Html(f'<table class="scores"><thead><tr>{head}</tr></thead>{"".join(bodies)}</table>')


def _body(
    evidence: Evidence,
    promise: Promise,
    rows: dict[tuple[str, str, str], Row],
    columns: list[str],
    right: dict[str, str],
    what: str,
) -> str:
    members = [
        name for name in promise.engines if any((promise.words, name, c) in rows for c in columns)
    ]
    if not members:
        return ""
    words = {score.column: score.words for score in promise.scores}
    lines = "".join(
        f'<tr><th scope="row">{escape(evidence.subsystem.title(name))}</th>'
        f"<td>{right.get(name, '–')}</td>"
        + "".join(
            _cell(evidence, rows.get((promise.words, name, column)), words.get(column, ""))
            for column in columns
        )
        + "</tr>"
        for name in members
    )
    return (
        f'<tbody><tr class="promise"><th scope="rowgroup" colspan="{len(columns) + 2}">'
        f"{escape(promise.words)}{f' <span>{escape(what)}</span>' if what else ''}</th></tr>"
        f"{lines}</tbody>"
    )


def _cell(evidence: Evidence, row: Row | None, words: str) -> str:
    if row is None:
        return '<td class="none">–</td>'
    kind, shown = said(row)
    at = f"{row['scale']:,} {evidence.counted(row['workload'])}"
    about = f"{words}: {quantity(row['median'], row['unit'])} at {at}"
    if row["verdict"] not in ("best", "alone"):
        best = evidence.subsystem.title(row["best_engine"])
        about += f"; {ratio_of(row)} that of {best}"
    name = evidence.subsystem.showing(row["workload"])
    anchor = f"#figure-{name}" if name else ""
    return (
        f'<td class="{kind}"><a href="{evidence.folder.name}.html{anchor}" '
        f'title="{escape(about, quote=True)}">{shown}</a></td>'
    )


def said(row: Row) -> tuple[str, str]:
    """The class of a cell and its text, which says without colour what the class says."""
    if row["verdict"] == "best":
        return "best", f"\N{BLACK STAR} {quantity(row['median'], row['unit'])}"
    if row["verdict"] == "alone":
        return "alone", quantity(row["median"], row["unit"])
    said = f"{digits(row['ratio'], 2 if row['ratio'] >= 1 else 3)}{TIMES}"
    if row["verdict"] in ("slower", "worse"):
        return ("far", f"{said}") if row["ratio"] >= FAR else ("behind", said)
    sign = "?" if row["verdict"] == "no inference" else "\N{ALMOST EQUAL TO}"
    return "close", f"{sign} {said}"


def _right(evidence: Evidence) -> dict[str, str]:
    """The right answers of each engine: counted, or by the gate that it passed."""
    planned = evidence.facts["plan"]["engines"]
    passed = {
        name: "gate" if engine["status"] == "ok" else "failed" for name, engine in planned.items()
    }
    counted = evidence.subsystem.right
    return passed | (dict(counted(evidence)) if counted else {})
