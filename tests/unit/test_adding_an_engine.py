"""The engines that docs/adding-an-engine.md adds work as it says."""

import ast
import json
import re
from pathlib import Path

import fakes
import pytest

from assay.analyse import collect, estimates
from assay.inputs import manifest
from assay.inputs.validation import ConfigurationError
from assay.inputs.variant import variant_string
from assay.present import subsystems
from assay.raw import harness

DOCUMENT = (fakes.ROOT / "docs" / "adding-an-engine.md").read_text()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    fakes.project(folder, {})
    files = re.findall(r"^`([\w./]+)`\n\n```\w+\n(.*?)^```$", DOCUMENT, re.M | re.S)
    assert len(files) == 5
    for name, content in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


@pytest.fixture(scope="module")
def measured(project: Path) -> Path:
    """The folder of a session of its engines."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_CACHE", str(project / "cache"))
        planned = fakes.made_plan(project, fakes.study(subsystems=["sorting"], tier="full"))
        return fakes.measured(project, planned)


def test_the_engines_of_the_document_are_measured(measured: Path) -> None:
    shots = list(map(json.loads, (measured / "shots.jsonl").read_text().splitlines()))
    assert {shot["reason"] for shot in shots} == {""}
    cells = {(shot["engine"], variant_string(shot["variant"])) for shot in shots}
    assert cells == {
        ("reference", "algorithm=merge"),
        ("reference", "algorithm=insertion"),
        ("heap", "algorithm=merge"),
    }
    for shot in shots:
        printed = {r.metric: r.value for r in harness.parse(shot["harness"], shot["native"])}
        assert printed.keys() == shot["metrics"].keys()
        assert printed["sorted"] == shot["scale"]
        assert 0 < printed["seconds"] < shot["wall_s"]


def test_the_figure_of_the_document_is_drawn(
    project: Path, measured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tidy = project / "data" / "tidy" / "sorting"
    collect.collect([measured], tidy)
    estimates.estimate(tidy)
    beside = project / "assay" / "present" / "subsystems"
    monkeypatch.setattr(subsystems, "__path__", [*subsystems.__path__, str(beside)])
    session = subsystems.load(tidy.parent, "sorting")
    cells: dict[str, object] = {"data": str(tidy.parent), "figures": str(project / "sorting")}
    shown = [shown_by(cell, cells) for cell in template()[1:]]
    assert any('id="figure-sort"' in html and "heap sort" in html for html in shown)
    assert (project / "sorting" / "sort.svg").exists()
    assert session.subsystem.showing("sort") == "sort"


def template() -> list[str]:
    """The code of the report of a subsystem that has no notebook, cell by cell."""
    notebook = json.loads((fakes.ROOT / "notebooks/templates/subsystem.ipynb").read_text())
    return ["".join(one["source"]) for one in notebook["cells"] if one["cell_type"] == "code"]


def shown_by(cell: str, names: dict[str, object]) -> str:
    """What a cell of a notebook displays: the HTML of its last expression."""
    *lines, last = ast.parse(cell).body
    exec(compile(ast.Module(lines, []), "cell", "exec"), names)
    assert isinstance(last, ast.Expr)
    return str(eval(compile(ast.Expression(last.value), "cell", "eval"), names).text)  # noqa: S307


def test_the_errors_of_the_document_are_those_of_the_loader(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last test of this project: its manifest stays wrong."""
    shown = re.search(r"```text\n(.*?)```", DOCUMENT, re.S)
    assert shown
    monkeypatch.chdir(project)
    path = Path("engines/sorting/engine.yaml")
    text = re.sub(r"scales: .*", "scales: {smoke: many}", path.read_text(), count=1)
    path.write_text(re.sub(r"harness: .*", "harness: stopwatch", text, count=1))
    with pytest.raises(ConfigurationError) as error:
        manifest.load(path)
    assert sorted(error.value.problems) == sorted(shown[1].splitlines())


def test_the_document_names_every_key_and_harness() -> None:
    schema = json.loads((fakes.ROOT / "workflow/schemas/engine.schema.json").read_text())
    bench = schema["$defs"]["bench"]["properties"]
    metric = schema["$defs"]["metric"]["properties"]
    for name in [*schema["properties"], *bench, *metric]:
        assert re.search(rf"\b{name}\b", DOCUMENT), name
    assert bench["harness"]["enum"] == sorted(harness.HARNESSES)
    for name in harness.HARNESSES:
        assert f"| `{name}` |" in DOCUMENT
