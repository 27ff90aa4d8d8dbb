"""The reports of a run as a folder that any static host serves; nothing is built or measured."""

import os
import sys
import tempfile
import time
import zipfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import datetime
from multiprocessing import get_context
from pathlib import Path

from assay.system import files

REPORTS, FIGURES = Path("reports"), Path("figures")


def write(root: Path, data: Path, out: Path) -> list[str]:
    """Every report on the tidy data below `data`, and the front page, into `out`.

    The notebooks run beside each other, one a core. Returns a line for each that failed.
    """
    from assay.pipeline.outcome import holes
    from assay.present.pages import index

    cells = notebooks(root, data)
    print(f"{len(cells)} reports on {data}", flush=True)
    began, done, failed = time.monotonic(), 0, []
    with tempfile.TemporaryDirectory() as place:
        logs = Path(place)
        with ProcessPoolExecutor(_cores(len(cells)), get_context("spawn")) as pool:
            running = {pool.submit(report, root, name, data, out, logs): name for name in cells}
            for number, task in enumerate(as_completed(running), start=1):
                name = running[task]
                done += cells[name]
                left = (time.monotonic() - began) * (sum(cells.values()) / done - 1)
                ends = f"; about {left:.0f} s left" if number < len(cells) else ""
                print(f"{number} of {len(cells)}: {name}{ends}", flush=True)
                if reason := task.result():
                    failed.append(f"{name}: {reason}")
        outcomes = [*logs.glob("*.json"), *data.glob("*/measurements.parquet")]
        index.write(root, data, out / "index.html", holes(outcomes))
    _date(data, out / "index.html", out / "data")
    return failed


def source(root: Path, name: str) -> Path:
    """The notebook of a report; a template for a subsystem that has none of its own."""
    own = root / "notebooks" / f"{name}.ipynb"
    return own if own.exists() else root / "notebooks" / "templates" / "subsystem.ipynb"


def notebooks(root: Path, data: Path) -> dict[str, int]:
    """The notebooks that `data` has something for, with their cells of code, the longest first."""
    measured = {path.parent.name for path in data.glob("*/session.json")}
    written = {path.stem for path in (root / "notebooks").glob("*.ipynb")}
    cells = {}
    for name in sorted(
        measured | {each for each in written if not (root / "engines" / each).exists()}
    ):
        cells[name] = _cells(source(root, name))
    return dict(sorted(cells.items(), key=lambda item: -item[1]))


def _cells(path: Path) -> int:
    """How many cells of code a notebook has; 1 of a file that is none: its report will say so."""
    try:
        return sum(cell["cell_type"] == "code" for cell in files.read_json(path)["cells"])
    except (OSError, ValueError, LookupError, TypeError):
        return 1


def report(root: Path, name: str, data: Path, out: Path, logs: Path) -> str:
    """One report into `out`; why it is incomplete, if it is. `logs` takes what its notebook leaves.

    Its figures are drawn into `figures/`; those of a report that goes elsewhere, beside it. That of
    a subsystem brings the page of all its estimates.
    """
    from assay.present.kit import evidence
    from assay.present.pages import estimates, notebook

    executed, outcome = (logs / f"{name}.{form}" for form in ("ipynb", "json"))
    drawn, page = (FIGURES if out == REPORTS else out / FIGURES) / name, out / f"{name}.html"
    notebook.execute(source(root, name), executed, drawn, data, outcome)
    reports = {*notebooks(root, data), name}
    notebook.render(root, executed, drawn, page, reports)
    made = [drawn, page, page.parent / FIGURES / name]
    if name in evidence.subsystems(data):
        made.append(out / estimates.FOLDER / page.name)
        estimates.write(root, data, name, made[-1], reports)
    _date(data, *made)
    return str(files.read_json(outcome)["reason"])


def figure(name: str, figure: str, data: Path) -> Path:
    """Draw one figure of a subsystem's report into `figures/`.

    LookupError when the subsystem has no such figure, or the data nothing for it.
    """
    from assay.inputs.validation import one_of
    from assay.present import subsystems
    from assay.present.kit import evidence
    from assay.present.sections import report

    one_of("report with single figures", name, evidence.subsystems(data), str(data))
    drawn = FIGURES / name / f"{figure}.svg"
    drawn.unlink(missing_ok=True)
    report.figure(subsystems.load(data, name), figure, drawn.parent)
    if not drawn.exists():
        raise LookupError(f"{data}: expected data for figure {figure} of {name}, found none")
    return drawn


def archive(folder: Path) -> Path:
    """The folder as one file beside it, the same byte by byte whenever its files are the same."""
    packed = folder.with_name(f"{folder.name}.zip")

    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
            for file in sorted(folder.rglob("*")):
                if file.is_file():
                    inside = f"assay-reports/{file.relative_to(folder).as_posix()}"
                    made.writestr(zipfile.ZipInfo(inside), file.read_bytes(), zipfile.ZIP_DEFLATED)

    files.replace(packed, write)
    return packed


def _date(data: Path, *paths: Path) -> None:
    """Make what was written as old as the run that it shows.

    Snakemake would take newer pages in `reports/` for those of a later run of the study.
    """
    sessions = [files.read_json(path) for path in data.glob("*/session.json")]
    ended = max(datetime.fromisoformat(session["ended_at"]).timestamp() for session in sessions)
    for path in paths:
        for written in (path, *path.rglob("*")):
            os.utime(written, (ended, ended))


def _cores(most: int) -> int:
    usable = os.sched_getaffinity(0) if sys.platform == "linux" else range(os.cpu_count() or 1)
    return min(most, len(usable))
