"""No page skips a level of headings: a reader of the screen finds its way by them."""

import re
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest

from assay.present.kit import tables

ROOT = Path(__file__).parents[2]
HEADING = re.compile(r"^(#{1,6}) |<h([1-6])", re.MULTILINE)


def levels(text: str) -> list[int]:
    """Those of the headings in a Markdown or HTML text."""
    found = (match.groups() for match in HEADING.finditer(text))
    return [len(marks) if marks else int(number) for marks, number in found]


@pytest.mark.parametrize("file", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda f: f.stem)
def test_a_notebook_skips_none(file: Path) -> None:
    notebook = nbformat.read(file, as_version=4)
    found = levels("\n".join(c.source for c in notebook.cells if c.cell_type == "markdown"))
    assert found[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(found)), found


@pytest.mark.parametrize("file", ["front", "compare"])
def test_a_template_skips_none(file: str) -> None:
    found = levels((ROOT / "notebooks/templates/assay" / f"{file}.html.j2").read_text())
    assert found[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(found)), found


def test_what_may_stand_anywhere_has_no_heading() -> None:
    assert levels(tables.facts({"key": "value"}, "Machine").text) == []
    made = [file for file in (ROOT / "assay").rglob("*.py") if "<h" in file.read_text()]
    # below the headings of level 2 in overview.ipynb
    assert [file.name for file in made if levels(file.read_text())] == ["overview.py"]
