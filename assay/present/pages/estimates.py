"""Every estimate of a subsystem, on a page of its own: a report would be too heavy with them."""

from collections.abc import Iterable
from pathlib import Path

from assay.present import subsystems
from assay.present.kit import tables
from assay.present.pages import frame
from assay.present.sections import growth, report
from assay.system import files

FOLDER = "estimates"
"""Where these pages stand, in the folder of the reports."""


def write(root: Path, data: Path, name: str, page: Path, reports: Iterable[str]) -> None:
    """Write those of the subsystem `name` of the study in `data` to `page`, linking `reports`."""
    evidence = subsystems.load(data, name)
    all_tables = [
        tables.estimates(evidence, evidence.estimates, "Estimates: median and 95 % interval"),
        tables.ratios(evidence, evidence.ratios, "Ratios: peers, variants and the A/A arm"),
        growth.steps(evidence),
    ]
    made = frame.template(root, "estimates.html.j2").render(
        report=frame.link(root, name),
        frame=frame.around(root, reports),
        opening=report.opening(evidence).text,
        tables=[table.text for table in all_tables],
    )
    files.write_text(page, made)
