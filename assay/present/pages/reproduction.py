"""How far the published reports are reproduced: their results beside ours, and their claims."""

from collections.abc import Sequence
from html import escape

from assay.analyse.judge import overall
from assay.present.kit.evidence import Evidence
from assay.present.kit.tables import Column, Html, number, table
from assay.present.pages import claims
from assay.present.sections import reproduced
from assay.tables import io
from assay.tables.rows import Row

DECIDED = ("supported", "equivalent", "contradicted")


def shown(sessions: Sequence[Evidence]) -> Html:
    """A row a published report; nothing without any."""
    rows = [_row(one) for one in sessions if one.subsystem.printed]
    if not rows:
        return Html("")
    columns = [
        Column("published report", _report),
        number("results printed", "printed"),
        number("measured at that scale", "own"),
        number("at another scale only", "other"),
        number("claims", "claims"),
        *(number(name, name) for name in DECIDED),
        number("open", "open"),
    ]
    return table(rows, columns, "The published reports, and what was measured of them")


def _row(evidence: Evidence) -> Row:
    path = evidence.folder / "verdicts.parquet"
    judged = overall(claims.published(io.read(path))).to_list() if path.exists() else []
    decided = {name: judged.count(name) for name in DECIDED}
    return {
        **vars(reproduced.tally(evidence)),
        **decided,
        "name": evidence.folder.name,
        "source": evidence.published["source"].iloc[0],
        "claims": len(judged),
        "open": len(judged) - sum(decided.values()),
    }


def _report(row: Row) -> Html:
    return Html(f'<a href="{row["name"]}.html">{escape(row["source"])}</a> ({row["name"]})')
