"""The overview of all subsystems: openings, headlines, a figure of the peers, sessions."""

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from assay.present.kit import tables
from assay.present.kit.evidence import Evidence
from assay.present.kit.tables import Html
from assay.present.sections import report, strips
from assay.present.subsystems import headlines

NOTHING = "No data: no subsystem has been measured."


def openings(sessions: Sequence[Evidence]) -> Html:
    """What each session is."""
    return each(sessions, report.opening)


def findings(sessions: Sequence[Evidence]) -> Html:
    """The headlines of each subsystem."""
    return each(sessions, lambda one: report.findings(headlines(one)))


def peers(sessions: Sequence[Evidence], figures: str | Path) -> Html:
    """Every comparison with a peer, one figure a subsystem."""
    return each(
        sessions,
        lambda one: report.drawn(strips.peers(one), f"peers-{one.folder.name}", one, figures),
    )


def table(sessions: Sequence[Evidence]) -> Html:
    """One row a session."""
    rows = [
        {
            **one.session,
            "subsystem": one.folder.name,
            "began": report.moment(one.session),
            "processor": report.processor(one.session),
        }
        for one in sessions
    ]
    words = ("subsystem", "began", "processor", "machine", "profile", "tier")
    numbers = ("blocks", "shots", "failed", "refused", "noisy")
    columns = [*(tables.text(n, n) for n in words), *(tables.number(n, n) for n in numbers)]
    return tables.table(rows, columns, "Sessions")


def each(sessions: Sequence[Evidence], show: Callable[[Evidence], Html]) -> Html:
    """What `show` makes of each session, under the name of its subsystem."""
    if not sessions:
        return tables.note(NOTHING)
    return Html("".join(f"<h3>{escape(one.folder.name)}</h3>{show(one).text}" for one in sessions))
