"""A notebook that fails, in whatever way, is a hole with its reason and leaves a page."""

import json
from collections.abc import Sequence
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter

from assay.pipeline import outcome
from assay.present.pages import index, notebook

ROOT = Path(__file__).parents[2]


def source(
    kernel: str = "python3", tags: Sequence[str] = ("parameters",), code: str = "data"
) -> nbformat.NotebookNode:
    """The text of a notebook that reads its parameter `data` and then runs `code`."""
    parameters = nbformat.v4.new_code_cell("data = 'default'", metadata={"tags": list(tags)})
    cells = [parameters, nbformat.v4.new_code_cell(code)]
    spec = {"name": kernel, "display_name": kernel}
    return nbformat.writes(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": spec}))


def execute(tmp_path: Path, text: str) -> tuple[str, str]:
    """The reason of the outcome, and the text of the page."""
    for folder in ("notebooks", "logs"):
        (tmp_path / folder).mkdir()
    (tmp_path / "notebooks" / "report.ipynb").write_text(text)
    executed, out = tmp_path / "logs" / "report.ipynb", tmp_path / "logs" / "report.json"
    executed.write_text("of another day")
    places = tmp_path / "figures", tmp_path / "data", out
    complete = notebook.execute(tmp_path / "notebooks" / "report.ipynb", executed, *places)
    facts = json.loads(out.read_text())
    assert complete == (facts["status"] == "ok") == (not facts["reason"])
    assert [hole.reason for hole in outcome.holes([out])] == [facts["reason"]] * (not complete)
    templates = [str(ROOT / "notebooks" / "templates")]
    exporter = HTMLExporter(template_name="assay", extra_template_basedirs=templates)
    page, _ = exporter.from_filename(str(executed))
    assert ("This report is incomplete." in page) == (not complete)
    return facts["reason"], page


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (source(tags=[]), "ValueError: "),
        (source(code="("), "SyntaxError: "),
        (source(code="import sys; sys.exit(1)"), "SystemExit: 1"),
        (source(code="import os; os._exit(1)"), "DeadKernelError: "),
        ("no notebook", "ValueError: "),
        ("{}", "KeyError: "),
        ("", "ValueError: "),
    ],
    ids=["no parameters", "syntax", "exit", "killed", "no notebook", "no cells", "empty"],
)
def test_whatever_fails_is_a_hole(tmp_path: Path, text: str, reason: str) -> None:
    found, _ = execute(tmp_path, text)
    assert found
    assert found.startswith(reason)


@pytest.mark.parametrize("kernel", ["python3", "myenv"])
def test_the_kernel_is_ours_whatever_an_editor_wrote(tmp_path: Path, kernel: str) -> None:
    reason, page = execute(tmp_path, source(kernel))
    assert reason == ""
    assert "../data" in page, "the parameters win over the defaults"


@pytest.mark.parametrize("text", ["no notebook", "{}", "[]", '{"metadata": 3}'])
def test_the_front_page_appears_beside_a_broken_notebook(tmp_path: Path, text: str) -> None:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "report.ipynb").write_text(text)
    (tmp_path / "notebooks" / "templates").symlink_to(ROOT / "notebooks" / "templates")
    (tmp_path / "data" / "tidy").mkdir(parents=True)
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "report.html").write_text("page")
    index.write(tmp_path, tmp_path / "data" / "tidy", tmp_path / "reports" / "index.html", [])
    assert 'href="report.html"' in (tmp_path / "reports" / "index.html").read_text()
