"""The overview of all subsystems: who is ahead, headlines, a figure of the peers, sessions."""

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

import pandas as pd

from assay.present.kit import style, tables
from assay.present.kit.canvas import NoData, Plate
from assay.present.kit.evidence import Evidence
from assay.present.kit.tables import Html
from assay.present.pages import frame, heat, profiles
from assay.present.sections import balance, first_screen, glance, report, strips
from assay.present.sections.first_screen import Answer
from assay.present.sections.glance import Lane
from assay.present.subsystems import headlines
from assay.tables.rows import records

TABLES = {"tables": "data/tidy/<subsystem>"}
"""Where the values of a figure of all subsystems come from."""

NOTHING = "No data: no subsystem has been measured."


def first(sessions: Sequence[Evidence], figures: str | Path) -> Html:
    """How often the reference engines are ahead of peers that promise the same."""
    if not sessions:
        return tables.note(NOTHING)
    alike = {session.folder.name: balance.equal(session) for session in sessions}
    every = pd.concat(alike.values())
    times = {name: rows[rows["metric"] == "time"] for name, rows in alike.items()}
    lost = every[every["verdict"].isin(balance.LOST)]
    most = lost["subsystem"].value_counts()
    caveat = (
        f"Most of the peers' leads, {most.iloc[0]}, are in {most.index[0]}." if len(most) else ""
    )
    if not any(session.inference for session in sessions):
        caveat = first_screen.TOO_FEW
    sentence = f"{balance.counted(every)}: in time, work and space, at an equal promise."
    marks = {
        name: [glance.mark(session, row) for row in records(times[name])]
        for session, name in zip(sessions, times, strict=True)
    }
    looks = style.series(marks)
    plate = glance.drawn([Lane(name, looks[name], some) for name, some in marks.items() if some])
    return screen(sessions, Answer(sentence, caveat), plate, figures)


def screen(
    sessions: Sequence[Evidence], answer: Answer, plate: Plate | NoData, figures: str | Path
) -> Html:
    """The first screen of a page of all subsystems: one stamp, and one line on its sessions."""
    shown = report.computed(plate, first_screen.KEY, TABLES, figures)
    return first_screen.screen(answer, report.stamps(sessions), shown, line(sessions))


def line(sessions: Sequence[Evidence]) -> str:
    """How much was measured, where and when."""
    every = [facts for session in sessions for facts in profiles.sessions(session)]
    if not every:
        return NOTHING
    days = sorted({str(session["started_at"])[:10] for session in every})
    shots, failed, noisy = (
        sum(session[name] for session in every) for name in ("shots", "failed", "noisy")
    )
    machines = len({session["machine"] for session in every})
    return (
        f"{shots:,} shots in {len(every)} sessions of {len(sessions)} subsystems, on "
        f"{machines} {'machine' if machines == 1 else 'machines'}, "
        f"{days[0]}{f' to {days[-1]}' if len(days) > 1 else ''}; {failed:,} failed, {noisy:,} "
        "flagged as noisy."
    )


def scores(sessions: Sequence[Evidence], figures: str | Path) -> Html:
    """The scorecard of the front page as one figure."""
    return report.computed(heat.picture(sessions), heat.NAME, TABLES, figures)


def not_ahead(sessions: Sequence[Evidence]) -> Html:
    """What peers are conclusively ahead in, a subsystem after the other."""
    return each(sessions, balance.not_ahead)


def findings(sessions: Sequence[Evidence]) -> Html:
    """The headlines of each subsystem, and of which session those of the committed run are."""

    def shown(session: Evidence) -> Html:
        html = report.findings(session, headlines).text
        if report.OF_COMMITTED in html:
            html += tables.note(report.committed_line(session)).text
        return Html(html)

    return each(sessions, shown)


def peers(sessions: Sequence[Evidence], figures: str | Path) -> Html:
    """Every comparison with a peer, one figure a subsystem."""
    return each(
        sessions,
        lambda session: report.drawn(
            strips.peers(session), f"peers-{session.folder.name}", session, figures
        ),
    )


def table(sessions: Sequence[Evidence]) -> Html:
    """One row a session."""
    rows = [
        {
            **facts,
            "subsystem": session.folder.name,
            "began": report.moment(facts),
            "processor": report.processor(facts),
        }
        for session in sessions
        for facts in profiles.sessions(session)
    ]
    words = ("subsystem", "began", "processor", "machine", "profile", "tier")
    numbers = ("blocks", "shots", "failed", "refused", "noisy")
    columns = [*(tables.text(n, n) for n in words), *(tables.number(n, n) for n in numbers)]
    return tables.table(rows, columns, "Sessions")


def each(sessions: Sequence[Evidence], show: Callable[[Evidence], Html]) -> Html:
    """What `show` makes of each session, under the title of its report."""
    if not sessions:
        return tables.note(NOTHING)
    return Html(
        "".join(
            f'<h3><a href="{at.href}">{escape(at.title)}</a> ({at.name})</h3>{show(session).text}'
            for session in sessions
            for at in [frame.link(report.ROOT, session.folder.name)]
        )
    )
