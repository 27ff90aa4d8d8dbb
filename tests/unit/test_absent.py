"""A page leaves out what its session was not meant to fill, and names it in one line."""

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from assay.present.kit.evidence import MORE
from assay.present.kit.tables import absent, note
from assay.present.sections.absent import gather


def cell(line: str) -> NotebookNode:
    """A cell by one line: "# prose", "+ what it shows", "- what is absent", "." for nothing."""
    sort, _, words = line.partition(" ")
    shown = {"+": note(words), "-": absent(words, f"is {MORE}", f"figure-{words}")}
    if sort == ".":
        return new_code_cell("import this")
    if sort not in shown:
        return new_markdown_cell(line)
    output = new_output("execute_result", {"text/html": shown[sort].text})
    return new_code_cell("show()", outputs=[output])


def lines(cells: list[NotebookNode]) -> list[str]:
    """What `cell` made them of, but for the last one of `gather`."""
    texts = []
    for one in cells:
        if one["cell_type"] == "markdown":
            texts.append(one["source"])
        else:
            texts += [o["data"]["text/html"].split(">")[1].split("<")[0] for o in one["outputs"]]
    return texts


@pytest.mark.parametrize(
    ("notebook", "page"),
    [
        (["# T", "+ a"], ["# T", "a"]),
        (["# T", "## S", "- a", "## U", "+ b"], ["# T", "## U", "b"]),
        (["# T", "## S", "- a", "- b"], ["# T"]),
        (["# T", "## S", "- a", "more", "+ b"], ["# T", "## S", "more", "b"]),
        (["# T", "## S", "+ a", "more", "- b"], ["# T", "## S", "a"]),
        (["# T", "## S", "+ a", "- b"], ["# T", "## S", "a"]),
        (["# T", "## S", "words", "- a", "more", "- b"], ["# T"]),
        (["# T", "## S", "words", "more", "- b", "## U"], ["# T", "## U"]),
        ([".", "# T", ".", "## S", ".", "- a"], ["# T"]),
    ],
)
def test_what_is_absent_goes_with_its_prose(notebook: list[str], page: list[str]) -> None:
    gone = [line[2:] for line in notebook if line.startswith("- ")]
    *made, last = gather([*map(cell, notebook)]) if gone else [*map(cell, notebook), None]
    assert lines(made) == page
    if gone:
        names = ", ".join(f'<span id="figure-{name}">{name}</span>' for name in gone)
        assert last["source"] == f"Left out above: {names}. These are {MORE}."


def test_a_page_on_which_nothing_is_absent_is_as_it_was() -> None:
    cells = [*map(cell, ["# T", "+ a", ".", "## S", "+ b"])]
    assert gather(cells) is cells


def test_a_cell_that_shows_something_else_beside_or_failed_stays() -> None:
    both = new_output("display_data", {"text/html": absent("a", "is not").text + note("b").text})
    failed = new_output("error", ename="KeyError", evalue="'a'", traceback=[])
    cells = [new_code_cell("x", outputs=[both]), new_code_cell("y", outputs=[failed])]
    assert gather(cells) is cells
