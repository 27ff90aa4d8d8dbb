"""Findings as a compact table: each is a line, and its sentence unfolds."""

from collections.abc import Iterable, Mapping
from html import escape

from assay.present.kit.quantities import ratio
from assay.present.kit.spark import bar, reach
from assay.present.kit.tables import INTERVAL, Html, badge, whole
from assay.present.sections.findings import Finding

HEADS = ("question", "ahead", f"ratio {INTERVAL}", "at", "verdict")


def listed(
    findings: Iterable[Finding], caption: str, more: Mapping[Finding, str] | None = None
) -> Html:
    """A row a finding, all ratios on one logarithmic axis, 1 in its middle.

    `more` is said beside the question of a finding.
    """
    findings = list(findings)
    end = reach(finding.effect for finding in findings if finding.effect)
    head = "".join(f'<th scope="col">{name}</th>' for name in HEADS)
    rows = "\n".join(_row(finding, end, (more or {}).get(finding, "")) for finding in findings)
    return Html(
        f'<table class="findings"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>"
    )


def _row(finding: Finding, end: float, more: str) -> str:
    beside = f'<span class="more">{escape(more)}</span>' if more else ""
    said = (
        f"<details><summary>{escape(finding.question)}</summary>"
        f"<p>{escape(finding.answer)}</p></details>{beside}"
    )
    drawn = ""
    if finding.effect:
        text = ratio(finding.effect.median, finding.effect.low, finding.effect.high)
        drawn = f"{bar(finding.effect, end, text)}{text}"
    cells = [whole(finding.ahead), drawn, whole(finding.at), badge(finding.label).text]
    line = "".join(f"<td>{c}</td>" if c else '<td class="nothing">–</td>' for c in cells)
    return f'<tr><th scope="row">{said}</th>{line}</tr>'
