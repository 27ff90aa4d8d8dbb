"""The front page of the reports: what was measured, what came out, and what is missing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.pipeline.outcome import Hole
from assay.present.kit.evidence import Evidence, subsystems
from assay.present.pages import frame
from assay.present.sections import report
from assay.present.subsystems import headlines, load_all
from assay.system import files


def write(root: Path, data: Path, out: Path, holes: Sequence[Hole]) -> None:
    """Write the front page of the study below `root` to `out`; `holes` are shown with reasons.

    It links the reports that stand beside `out`, and tells of a subsystem what its tidy data below
    `data` holds. The tables that the reports link come with it.
    """
    for name in subsystems(data):
        files.copy_folder(data / name, out.parent / "data" / name)
    pages = sorted(path.stem for path in out.parent.glob("*.html") if path.name != out.name)
    files.write_text(
        out,
        frame.template(root, "front.html.j2").render(
            frame=frame.around(root, pages),
            parts=[_part(root, one) for one in load_all(data)],
            holes=holes,
        ),
    )


def _part(root: Path, evidence: Evidence) -> dict[str, Any]:
    session = evidence.session
    return {
        "title": frame.link(root, evidence.folder.name).title,
        "opening": report.opening(evidence).text,
        "findings": report.findings(headlines(evidence)).text,
        "facts": report.measured(evidence).text,
        "engines": session["plan"]["engines"],
    }
