"""How far the published reports are reproduced: their results beside ours, and their claims."""

from collections.abc import Sequence
from html import escape

from assay.analyse.judge import overall
from assay.present.kit.evidence import Evidence
from assay.present.kit.tables import Column, Html, number, table
from assay.present.pages import claims, verdict_bars
from assay.present.sections import reproduced
from assay.tables.rows import Row


def shown(sessions: Sequence[Evidence]) -> Html:
    """A row a published report; nothing without any."""
    rows = [_row(session) for session in sessions if session.subsystem.printed]
    if not rows:
        return Html("")
    columns = [
        Column("published report", _report),
        number("results printed", "printed"),
        number("measured at that scale", "own"),
        number("in a committed run only", "kept"),
        number("claims", "claims"),
        *(number(name, name) for name in verdict_bars.DECIDED),
        number("open", "open"),
        number("of these decided by a committed run", "elsewhere"),
    ]
    return table(rows, columns, "The published reports, and what was measured of them")


def _row(evidence: Evidence) -> Row:
    verdicts = claims.published(evidence.verdicts)
    judged = overall(verdicts)
    decided = {name: int((judged == name).sum()) for name in verdict_bars.DECIDED}
    return {
        **vars(reproduced.tally(evidence)),
        **decided,
        "name": evidence.folder.name,
        "source": evidence.published["source"].iloc[0],
        "claims": len(judged),
        "open": len(judged) - sum(decided.values()),
        "elsewhere": claims.settled(verdicts, [evidence]),
    }


def _report(row: Row) -> Html:
    return Html(f'<a href="{row["name"]}.html">{escape(row["source"])}</a> ({row["name"]})')
