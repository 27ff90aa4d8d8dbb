"""Execute a notebook by papermill, and render it as a page.

A notebook that fails is kept, with its traceback.
"""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import nbconvert
import nbformat
import papermill
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config

from assay.present.pages import frame
from assay.present.sections import absent
from assay.system import excerpt, files
from assay.system.step import TAIL_LINES

TEMPLATES = Path("notebooks/templates")


def execute(source: Path, executed: Path, figures: Path, data: Path, out: Path) -> bool:
    """Run `source` on the tidy data below `data`; write the outcome to `out`.

    The kernel starts in the folder of `source`, as JupyterLab does, so `data` and `figures` are
    handed over relative to it. Whatever fails is the outcome, and `executed` shows it. What was in
    `figures` before goes.
    """
    executed.parent.mkdir(parents=True, exist_ok=True)
    executed.unlink(missing_ok=True)
    shutil.rmtree(figures, ignore_errors=True)
    figures.mkdir(parents=True)
    reason = ""
    try:
        _execute(source, executed, figures, data)
    except PapermillExecutionError as error:
        reason = excerpt.lines(f"{error.ename}: {error.evalue}", TAIL_LINES)
    except Exception as error:  # a kernel that does not start or dies, a file that is no notebook
        reason = excerpt.lines(f"{type(error).__name__}: {error}", TAIL_LINES)
        _show(executed, source.stem, reason)
    files.write_json(out, {"status": "failed" if reason else "ok", "reason": reason})
    return not reason


def render(root: Path, executed: Path, figures: Path, page: Path, reports: Iterable[str]) -> None:
    """Write an executed notebook of the study below `root` as one page, with links to `reports`.

    What its session was not meant to fill is left out: `sections/absent.py`. The figures that the
    page links come with it, so that the folder of `page` stands alone.
    """
    exporter = nbconvert.HTMLExporter(  # type: ignore[no-untyped-call]
        config=Config(
            TemplateExporter={
                "extra_template_basedirs": [str(root / TEMPLATES)],
                "exclude_input": True,
                "exclude_input_prompt": True,
                "exclude_output_prompt": True,
            }
        ),
        template_name="assay",
        embed_images=True,
    )
    made = nbformat.read(executed, as_version=4)  # type: ignore[no-untyped-call]
    made.cells = absent.gather(made.cells)
    about = {"metadata": {"name": executed.stem}, "frame": frame.around(root, reports)}
    html, _ = exporter.from_notebook_node(made, about)
    files.write_text(page, html)
    files.copy_folder(figures, page.parent / "figures" / figures.name)


def _execute(source: Path, executed: Path, figures: Path, data: Path) -> None:
    tagged = [
        cell
        for cell in files.read_json(source)["cells"]
        if "parameters" in cell["metadata"].get("tags", [])
    ]
    if len(tagged) != 1:  # without one the defaults of the notebook would win
        raise ValueError(f"{source}: expected one cell tagged parameters, found {len(tagged)}")
    papermill.execute_notebook(
        source,
        executed,
        parameters={
            "data": _relative(data, source.parent),
            "figures": _relative(figures, source.parent),
        },
        kernel_name="python3",  # an editor may have written the name of one of its own
        language="python",
        cwd=source.parent,
        progress_bar=False,
        # Its manager interrupts it at the end, which it tells as an error. Those of cells stay.
        extra_arguments=["--IPKernelApp.log_level=CRITICAL"],
    )


def _show(executed: Path, title: str, reason: str) -> None:
    """Add `reason` to what there is of the executed notebook, as an error of its last cell."""
    if executed.exists():
        made = files.read_json(executed)
    else:
        made = {"cells": [], "metadata": {"title": title}, "nbformat": 4, "nbformat_minor": 5}
    name, _, said = reason.partition(": ")
    made["cells"].append(
        {
            "cell_type": "code",
            "execution_count": len(made["cells"]),
            "id": "failure",
            "metadata": {},
            "outputs": [
                {"output_type": "error", "ename": name, "evalue": said, "traceback": [reason]}
            ],
            "source": "",
        }
    )
    files.write_json(executed, made)


def _relative(path: Path, home: Path) -> str:
    return Path(os.path.relpath(path, home)).as_posix()
