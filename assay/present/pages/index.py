"""The front page of the reports: what was measured, what came out, and what is missing."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from assay.pipeline.outcome import Hole
from assay.present.kit.evidence import Evidence, subsystems
from assay.present.kit.tables import Column, Html, table, text
from assay.present.pages import frame, overview, reproduction, scorecard
from assay.present.sections import first_screen, report
from assay.present.subsystems import load_all
from assay.system import files
from assay.tables.rows import Row


def write(root: Path, data: Path, out: Path, holes: Sequence[Hole]) -> None:
    """Write the front page of the study below `root` to `out`; `holes` are shown with reasons.

    It links the reports that stand beside `out`, and tells of a subsystem what its tidy data below
    `data` holds. The tables that the reports link come with it.
    """
    for name in subsystems(data):
        files.copy_folder(data / name, out.parent / "data" / name)
    pages = sorted(path.stem for path in out.parent.glob("*.html") if path.name != out.name)
    sessions = load_all(data)
    files.write_text(
        out,
        frame.template(root, "front.html.j2").render(
            frame=frame.around(root, pages),
            stamp=" ".join(report.stamps(sessions)),
            line=overview.line(sessions),
            reproduction=reproduction.shown(sessions).text,
            parts=[_part(root, session) for session in sessions],
            holes=holes,
            missing=table(list(map(vars, holes)), _HOLE, "Holes, with the reason of each").text,
        ),
    )


def _reason(hole: Row) -> Html:
    """The first line of it; what was printed last unfolds."""
    first, *more = hole["reason"].splitlines()
    printed = escape("\n".join(more))
    last = f"<details><summary>What it printed last</summary><pre>{printed}</pre></details>"
    return Html(escape(first) + (last if more else ""))


_HOLE = [
    text("what", "what"),
    Column("reason", _reason, long=True),
    Column("more in", lambda hole: Html(f"<code>{escape(hole['where'])}</code>")),
]


def _part(root: Path, evidence: Evidence) -> dict[str, Any]:
    said = first_screen.answer(evidence)
    return {
        "title": frame.link(root, evidence.folder.name).title,
        "name": evidence.folder.name,
        "answer": said.sentence,
        "caveat": said.caveat,
        "scores": scorecard.shown(evidence).text,
        "facts": report.measured(evidence).text,
    }
