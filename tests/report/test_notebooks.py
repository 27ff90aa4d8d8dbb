"""Notebooks as they are committed: clean sources that run by themselves, unchanged."""

import ast
from pathlib import Path

import nbformat
import planted
import pytest

from assay.present.kit import evidence
from assay.present.pages import notebook

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

HEAVIEST = 2_500_000
"""Bytes of a report; the pages of every estimate are heavier, and therefore pages of their own."""

pytestmark = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells(path: Path, kind: str) -> list[nbformat.NotebookNode]:
    return [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == kind]


def test_is_a_valid_notebook(path: Path) -> None:
    nbformat.validate(nbformat.read(path, 4))


def test_holds_no_outputs(path: Path) -> None:
    for cell in cells(path, "code"):
        assert cell.outputs == []
        assert cell.execution_count is None


def test_names_its_kernel_title_and_summary(path: Path) -> None:
    metadata = nbformat.read(path, 4).metadata
    assert metadata.kernelspec.name == "python3"
    assert metadata.language_info == {"name": "python"}
    assert metadata.title
    assert metadata.summary


def test_has_one_parameters_cell_with_defaults_that_stand_alone(path: Path) -> None:
    tagged = [cell for cell in cells(path, "code") if "parameters" in cell.metadata.get("tags", [])]
    assert len(tagged) == 1
    defaults = {
        target.id: ast.literal_eval(line.value)
        for line in ast.parse(tagged[0].source).body
        for target in line.targets
    }
    assert defaults == {"data": "../data/reference", "figures": f"../figures/{path.stem}"}


def test_cells_are_short_and_explained(path: Path) -> None:
    source = nbformat.read(path, 4).cells
    assert source[0].cell_type == "markdown"
    assert source[0].source.startswith("# ")
    assert all(len(cell.source.splitlines()) <= 10 for cell in cells(path, "code"))
    assert len(cells(path, "markdown")) >= len(cells(path, "code")) / 2


def test_a_report_of_a_subsystem_shows_residuals_and_the_machine_of_the_print(path: Path) -> None:
    if path.stem not in planted.SUBSYSTEMS:
        pytest.skip("not the notebook of a subsystem")
    source = "\n".join(cell.source for cell in cells(path, "code"))
    assert ', "growth", figures)' in source
    assert "hardware.beside(" in source


def test_runs_unchanged_on_the_reference_data(path: Path, tmp_path: Path) -> None:
    data = ROOT / "data" / "reference"
    assert evidence.subsystems(data), f"no session in {data}"
    if path.stem in planted.SUBSYSTEMS and path.stem not in evidence.subsystems(data):
        pytest.skip(f"the reference run has no session of {path.stem}")
    runs(path, data, tmp_path)
    page = tmp_path / "reports" / f"{path.stem}.html"
    known = [other.stem for other in NOTEBOOKS]
    notebook.render(ROOT, tmp_path / path.name, tmp_path / "figures", page, known)
    assert page.stat().st_size <= HEAVIEST


def test_runs_on_planted_data_with_holes(path: Path, tmp_path: Path) -> None:
    if path.stem not in planted.SUBSYSTEMS:
        pytest.skip("not the notebook of a subsystem")
    under = planted.profiles(path.stem)
    planted.study(tmp_path / "data" / path.stem, 3, 1, "smoke", path.stem, under)
    runs(path, tmp_path / "data", tmp_path)


def runs(path: Path, data: Path, tmp_path: Path) -> None:
    executed, outcome = tmp_path / path.name, tmp_path / "outcome.json"
    assert notebook.execute(path, executed, tmp_path / "figures", data, outcome), (
        outcome.read_text()
    )
    shown = [
        output.data["text/html"]
        for cell in cells(executed, "code")
        for output in cell.outputs
        if "text/html" in output.get("data", {})
    ]
    figures = [html for html in shown if "<svg" in html]
    assert figures
    assert all(html.count("<svg") == html.count('aria-label="') for html in figures)
    drawn = {file.suffix for file in (tmp_path / "figures").iterdir()}
    assert drawn == {".svg", ".png", ".csv"}
