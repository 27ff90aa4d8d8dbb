"""What a subsystem declares agrees with its engines, and what there is without a declaration."""

import re
from pathlib import Path

import planted
import pytest

from assay.inputs import manifest
from assay.inputs.manifest import Manifest
from assay.present import subsystems
from assay.present.kit import style
from assay.present.kit.canvas import NoData
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import SPACE
from assay.present.kit.subsystem import Figure, Subsystem
from assay.present.pages import claims
from assay.present.sections import report

NAMES = sorted(path.parent.name for path in (planted.ROOT / "engines").glob("*/engine.yaml"))
subsystem = pytest.mark.parametrize("name", NAMES)


def engines(name: str) -> list[Manifest]:
    folder = planted.ROOT / "engines" / name
    paths = [folder / "engine.yaml", *sorted(folder.glob("peers/*/engine.yaml"))]
    return [manifest.load(path) for path in paths]


@subsystem
def test_every_engine_has_a_name_and_a_look_of_its_own(name: str) -> None:
    declared = subsystems.named(name)
    assert sorted(declared.engines) == sorted(one.name for one in engines(name))
    assert declared.look("reference") == style.PALETTE[0]
    assert len(set(declared.engines.values())) == len(declared.engines)
    assert len({declared.look(one) for one in declared.engines}) == len(declared.engines)


@subsystem
def test_figures_have_names_and_show_what_is_measured(name: str) -> None:
    figures = subsystems.named(name).figures
    assert len({one.name for one in figures} | {one.name for one in report.USUAL}) == len(
        figures
    ) + len(report.USUAL)
    measured = {bench.workload for one in engines(name) for bench in one.benches}
    assert {workload for one in figures for workload in one.workloads} <= measured


@subsystem
def test_the_notebook_shows_every_figure(name: str) -> None:
    """Each by a line of its own, or by that of the figure that it stands after."""
    notebook = (planted.ROOT / f"notebooks/{name}.ipynb").read_text()
    lines = re.findall(r'report\.figures\(\w+, \\"([\w-]+)\\", figures\)', notebook)
    assert sorted(lines) == sorted(
        figure.name for figure in subsystems.named(name).figures if not figure.after
    )


def test_a_figure_stands_after_one_with_a_line_of_its_own() -> None:
    def nothing(_: Evidence) -> NoData:
        return NoData("nothing was measured")

    first, second = Figure("first", nothing, []), Figure("second", nothing, [], after="first")
    assert Subsystem({}, figures=[first, second]).figures
    for wrong in ("frist", "second"):
        third = Figure("third", nothing, [], after=wrong)
        with pytest.raises(ValueError, match=f"third stands after '{wrong}': .*: first$"):
            Subsystem({}, figures=[first, second, third])


def test_a_claim_leads_to_the_first_figure_that_shows_its_workload() -> None:
    assert subsystems.named("rewardpool").showing("recover") == "whole-process"
    assert subsystems.named("ldp").showing("binary_put") == "others"
    assert subsystems.named("ldp").showing("floor") == ""


def test_more_engines_than_looks_are_an_error() -> None:
    with pytest.raises(ValueError, match="at most 12 engines, each with a look of its own"):
        Subsystem({str(i): str(i) for i in range(13)})


@pytest.fixture(scope="module")
def unknown(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """A session of a subsystem that has no package."""
    data = tmp_path_factory.mktemp("data")
    planted.study(data / "report", blocks=6)
    return subsystems.load(data, "report")


def test_without_a_package_peers_and_noise_are_the_headlines(unknown: Evidence) -> None:
    questions = [one.question for one in subsystems.headlines(unknown)]
    assert len(questions) == len(unknown.facts["plan"]["workloads"]) + 1
    assert questions[-1] == "What this machine cannot tell apart"
    assert unknown.subsystem.showing("draw") == ""


def test_without_a_package_engines_are_those_of_the_plan(unknown: Evidence) -> None:
    plan = unknown.facts["plan"]["engines"]
    assert unknown.subsystem.engines == {name: plan[name]["title"] for name in plan}
    assert unknown.subsystem.look("reference") == style.PALETTE[0]


def test_a_figure_that_is_not_declared_is_an_error(unknown: Evidence, tmp_path: Path) -> None:
    with pytest.raises(LookupError, match=r"figure: .*report has, nearest 'noise', found 'nose'"):
        report.figure(unknown, "nose", tmp_path)


@pytest.mark.parametrize(
    ("row", "claimed", "measured"),
    [
        (
            {"statistic": "exponent", "low": 0.95, "high": 1.05, "effect": 1.01},
            "exponent 0.950 to 1.05",
            "exponent 1.01 [1.00, 1.02]",
        ),
        (
            {"statistic": "exponent", "low": -float("inf"), "high": 0.1, "effect": -0.02},
            "below exponent 0.100",
            "exponent -0.0200 [1.00, 1.02]",
        ),
    ],
)
def test_a_claim_of_an_exponent_is_shown_as_one(
    row: dict[str, object], claimed: str, measured: str
) -> None:
    row |= {"ci_low": 1.0, "ci_high": 1.02, "n": 8, "unit": "1"}
    said = claims._said(row)
    assert said.replace(SPACE, " ") == f"claimed {claimed}; measured {measured}"
