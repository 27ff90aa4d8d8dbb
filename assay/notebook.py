"""Execute a notebook by papermill; a notebook that fails is kept, with its traceback."""

import os
from pathlib import Path

import papermill
from papermill.exceptions import PapermillExecutionError

from assay import files


def execute(source: Path, executed: Path, figures: Path, data: Path, out: Path) -> bool:
    """Run `source` on the tidy data below `data`; write the outcome to `out`.

    The kernel starts in the folder of `source`, as JupyterLab does, so `data` and `figures` are
    handed over relative to it.
    """
    home = source.parent
    executed.parent.mkdir(parents=True, exist_ok=True)
    figures.mkdir(parents=True, exist_ok=True)
    reason = ""
    try:
        papermill.execute_notebook(
            source,
            executed,
            parameters={
                "data": _relative(data, home),
                "figures": _relative(figures, home),
            },
            cwd=home,
            progress_bar=False,
        )
    except PapermillExecutionError as error:
        reason = f"{error.ename}: {error.evalue}"
    files.write_json(out, {"status": "failed" if reason else "ok", "reason": reason})
    return not reason


def _relative(path: Path, home: Path) -> str:
    return os.path.relpath(path, home)
