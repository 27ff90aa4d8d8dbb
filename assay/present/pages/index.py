"""The front page of the reports: what was measured, what came out, and what is missing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from assay.pipeline.outcome import Hole
from assay.present.kit.evidence import Evidence, subsystems
from assay.present.sections import report
from assay.present.subsystems import headlines, load_all
from assay.system import files

TEMPLATES = Path("notebooks/templates/assay")


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
        template(root, "front.html.j2").render(
            reports=[_link(root, page) for page in pages],
            parts=[_part(root, one) for one in load_all(data)],
            holes=holes,
        ),
    )


def template(root: Path, name: str) -> jinja2.Template:
    """A template of a whole page, with the style and the script of every report at hand."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(root / TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template(name)


def _link(root: Path, page: str) -> dict[str, str]:
    """Address, title and summary of a report, the latter two from its notebook's metadata."""
    try:
        metadata = files.read_json(root / "notebooks" / f"{page}.ipynb")["metadata"]
        return {
            "href": f"{page}.html",
            "title": metadata.get("title", page),
            "summary": metadata.get("summary", ""),
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {"href": f"{page}.html", "title": page, "summary": ""}  # its notebook is a hole


def _part(root: Path, evidence: Evidence) -> dict[str, Any]:
    session = evidence.session
    return {
        "title": _link(root, evidence.folder.name)["title"],
        "opening": report.opening(evidence).text,
        "findings": report.findings(headlines(evidence)).text,
        "facts": report.measured(evidence).text,
        "engines": session["plan"]["engines"],
    }
