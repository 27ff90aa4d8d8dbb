"""The first screen of a report: the answer to its title, the strongest caveat, the key figure."""

from dataclasses import dataclass
from html import escape
from pathlib import Path

from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import ratio_of
from assay.present.kit.tables import Html
from assay.present.sections import balance, report
from assay.present.sections.findings import where
from assay.tables.rows import records

KEY = "at-a-glance"
"""The name of the key figure, one of `report.USUAL`."""

TOO_FEW = "Too few blocks to conclude anything."
"""The caveat of a run without inference."""


@dataclass(frozen=True)
class Answer:
    """What the title of a report asks, answered in one sentence, and the strongest caveat."""

    sentence: str
    caveat: str


def shown(evidence: Evidence, figures: str | Path) -> Html:
    """The first screen of a session's report; below it, what the session is."""
    figure = report.figure(evidence, KEY, figures)
    sessions = f"{report.session_line(evidence)} {report.committed_line(evidence)}".rstrip()
    return screen(answer(evidence), report.stamps([evidence]), figure, sessions)


def answer(evidence: Evidence) -> Answer:
    """What the subsystem declares of itself, or who is ahead how often; and the caveat."""
    declared = evidence.subsystem.answer
    sentence = declared(evidence) if declared else ""
    return Answer(sentence or counted(evidence), caveat(evidence))


def screen(said: Answer, stamps: list[str], figure: Html, sessions: str) -> Html:
    """The parts of a first screen in their order: one stamp, and one line on sessions."""
    return Html(
        f'{report.stamp(stamps).text}<p class="answer">{escape(said.sentence)}</p>'
        f'<p class="caveat">{escape(said.caveat)}</p>'
        f'<div class="glance">{figure.text}</div><p class="lead">{escape(sessions)}</p>'
    )


def counted(evidence: Evidence) -> str:
    """The answer of a subsystem that has none of its own: who is ahead how often."""
    return f"{balance.counted(balance.equal(evidence))}, at an equal promise."


def caveat(evidence: Evidence) -> str:
    """What a subsystem declares, and the clearest lead of a peer at an equal promise."""
    declared = f"{evidence.subsystem.caveat} ".lstrip()
    if not evidence.inference:
        return declared + TOO_FEW
    rows = balance.equal(evidence)
    if rows.empty:
        return f"{declared}{balance.counted(rows)} at an equal promise."
    lost = rows[rows["verdict"].isin(balance.LOST)]
    if lost.empty:
        return f"{declared}At an equal promise no peer is conclusively ahead in what is raced."
    order = [*balance.RACES].index
    lost = lost.assign(order=lost["race"].map(order), whole=lost["metric"] != "time")
    best = records(lost.sort_values(["order", "whole", "ratio"]))[0]
    under = f", profile {best['profile']}" if evidence.others else ""
    return (
        f"{declared}Peers are ahead in {len(lost)} of {len(rows):,} comparisons at an equal "
        f"promise, most clearly in {balance.measured_in(best['metric'])}: "
        f"{ratio_of(best)} that of the reference engine "
        f"({evidence.subsystem.title(best['engine'])}; {evidence.title(best['workload'])}; "
        f"{where(evidence, best)}{under})."
    )
