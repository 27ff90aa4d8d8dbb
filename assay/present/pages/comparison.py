"""What changed from one session to another, as Markdown and as a page."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from math import log
from pathlib import Path

from assay.analyse.compare import Comparison, Gap, differences
from assay.analyse.session import Session
from assay.present import subsystems
from assay.present.kit import tables
from assay.present.kit.canvas import WIDE, Plate, inline_svg
from assay.present.kit.quantities import quantity, ratio, sentence
from assay.present.kit.tables import Column, badge, number, table, text, valued
from assay.present.pages import slopes
from assay.present.pages.frame import template
from assay.present.sections import report
from assay.tables.rows import Row

ORDER = ["slower", "worse", "faster", "better", "within noise", "unchanged", "no inference"]
NOTE = (
    "B / A is the ratio of the medians of two sessions, with a bootstrap over the shots of both. "
    "It is a change when its 95 % interval excludes 1 and it exceeds the margin: 5 %, or the noise "
    "floor of either session where that is larger. What a reboot or another day does to a machine "
    "is in no interval."
)


def markdown(comparisons: Sequence[Comparison], names: tuple[str, str]) -> str:
    """The comparison for a terminal, a log or a comment: changes in full, the rest as counts."""
    parts = [line for comparison in comparisons for line in _part(comparison)]
    return "\n".join([f"# {names[0]} → {names[1]}\n", *parts, NOTE])


def page(root: Path, comparisons: Sequence[Comparison], names: tuple[str, str]) -> str:
    """The comparison as a self-contained page, with every cell; templates are those of `root`."""
    parts = [
        {
            "title": _title(comparison),
            "summary": summary(comparison),
            "sessions": "".join(f"<li>{escape(line)}</li>" for line in _about(comparison)),
            "slopes": _slopes(comparison, f"slopes-{nth}"),
            "changes": table(
                _sorted(comparison.changes), _COLUMNS, "Every cell, what changed first"
            ).text,
            "gaps": table(list(map(vars, comparison.gaps)), _GAPS, "What cannot be compared").text,
        }
        for nth, comparison in enumerate(map(_named, comparisons), start=1)
    ]
    return template(root, "compare.html.j2").render(names=names, parts=parts, note=NOTE)


def _named(comparison: Comparison) -> Comparison:
    """A comparison whose engines and variants have the names that reports give them."""
    subsystem = subsystems.named(comparison.subsystem)
    return replace(
        comparison,
        changes=[
            row
            | {
                "engine": subsystem.engines.get(row["engine"], row["engine"]),
                "variant": subsystem.spoken(row["variant"]),
            }
            for row in comparison.changes
        ],
    )


def history(rows: Iterable[Row]) -> str:
    """How cells changed over the committed runs, for a terminal: the largest change first."""
    ordered = sorted(rows, key=lambda row: -abs(log(row["ratio"])))
    if not ordered:
        return "No cell was committed twice on one machine."
    lines = [
        f"| {row['workload']} | {row['variant']} | {row['scale']:,} | {row['profile']} "
        f"| {quantity(row['first'], 's')} ({row['first_commit']}) "
        f"| {quantity(row['last'], 's')} ({row['last_commit']}) "
        f"| {ratio(row['ratio'])}{'' if row['apart'] else ', intervals meet'} |"
        for row in ordered
    ]
    head = ["workload", "variant", "scale", "profile", "first", "last", "last / first"]
    return "\n".join([f"| {' | '.join(head)} |", "| --- " * len(head) + "|", *lines])


def summary(comparison: Comparison) -> str:
    """How many cells came out which way; a sentence."""
    counted = Counter(row["verdict"] for row in comparison.changes)
    said = [f"{counted[verdict]} {verdict}" for verdict in ORDER if counted[verdict]]
    gaps = f"; {len(comparison.gaps)} cannot be compared" if comparison.gaps else ""
    return f"{sentence(said or ['nothing to compare'])}{gaps}."


_COLUMNS = [
    Column("verdict", lambda row: badge(row["verdict"]), choose=True),
    text("workload", "workload"),
    text("engine", "engine"),
    text("variant", "variant"),
    number("scale", "scale"),
    text("metric", "metric"),
    Column("A", lambda row: quantity(row["before"], row["unit"]), lambda row: row["before"]),
    Column("B", lambda row: quantity(row["after"], row["unit"]), lambda row: row["after"]),
    tables.ratio(f"B / A {tables.INTERVAL}"),
    valued("margin", "margin", ratio),
    Column("n", lambda row: f"{row['n_before']}, {row['n_after']}", lambda row: row["n_before"]),
    valued("p", "p", lambda p: "–" if p != p else f"{p:.3g}"),
]
_GAPS = [text("what", "what"), text("why", "why")]


def _part(comparison: Comparison) -> Iterator[str]:
    yield f"## {_title(comparison)}\n"
    yield f"{summary(comparison)}\n"
    yield from (f"- {line}" for line in _about(comparison))
    shown = [row for row in _sorted(comparison.changes) if row["verdict"] in ORDER[:4]]
    if shown:
        yield "\n| " + " | ".join(column.title for column in _COLUMNS) + " |"
        yield "| --- " * len(_COLUMNS) + "|"
        for row in shown:
            cells = [row["verdict"], *(str(column.show(row)) for column in _COLUMNS[1:])]
            yield f"| {' | '.join(cells)} |"
    if comparison.gaps:
        yield "\nNot compared:\n"
        yield from _grouped(comparison.gaps)
    yield ""


def _grouped(gaps: Sequence[Gap]) -> Iterator[str]:
    """One line a reason, with the first of what it holds for."""
    reasons: dict[str, list[str]] = {}
    for gap in gaps:
        reasons.setdefault(gap.why, []).append(gap.what)
    for why, what in reasons.items():
        more = f" and {len(what) - 3} more" if len(what) > 3 else ""
        yield f"- {why}: {'; '.join(what[:3])}{more}"


def _title(comparison: Comparison) -> str:
    return f"{comparison.subsystem}, profile {comparison.profile}, machine {comparison.machine}"


def _said(session: Session) -> str:
    facts = session.facts
    return (
        f"session {facts['key']}, begun {report.moment(facts)} at commit "
        f"{report.commit(facts)}; tier {facts['tier']}, {facts['blocks']} blocks, "
        f"machine {facts['machine']}"
    )


def _slopes(comparison: Comparison, name: str) -> str:
    drawn = slopes.plate(comparison)
    if not isinstance(drawn, Plate):
        return ""
    svg = inline_svg(drawn, name, WIDE)
    caption = f"<figcaption>{escape(drawn.caption)}</figcaption>"
    return f'<figure class="plate" id="figure-{name}">{svg}{caption}</figure>'


def _about(comparison: Comparison) -> Iterator[str]:
    """The sessions, and what differs between them beside the engines."""
    sessions = {"A": comparison.before, "B": comparison.after}
    yield from (f"{name}: {_said(session)}" for name, session in sessions.items() if session)
    for fact, (before, after) in differences(comparison).items():
        yield f"other {fact.replace('_', ' ')}: {before} in A, {after} in B"


def _sorted(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: ORDER.index(row["verdict"]))
