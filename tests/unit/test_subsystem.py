"""What a subsystem's own module tells the common pages, and what they do without one."""

import planted
import pytest

from assay.present import subsystems as subsystem
from assay.present.kit import evidence
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import SPACE
from assay.present.pages import claims


@pytest.fixture(scope="module")
def unknown(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """A session of a subsystem that no module of the package is about."""
    data = tmp_path_factory.mktemp("data")
    planted.study(data / "nothing", blocks=6)
    return evidence.load(data, "nothing")


def test_a_subsystem_without_a_module_has_peers_and_noise_for_headlines(unknown: Evidence):
    questions = [one.question for one in subsystem.headlines(unknown)]
    assert len(questions) == len(unknown.session["plan"]["workloads"]) + 1
    assert questions[-1] == "What this machine cannot tell apart"
    assert subsystem.figure("nothing", "draw") == ""


def test_a_module_tells_figures_and_the_order_of_colours():
    assert subsystem.figure("rewardpool", "recover") == "whole-process"
    assert subsystem.engines()["reference"] == 0
    assert subsystem.engines()["channel-text"] == subsystem.engines()["pokt-smt-v0-10"] == 1


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
):
    row |= {"ci_low": 1.0, "ci_high": 1.02, "n": 8, "unit": "1"}
    said = claims._said(row)
    assert said.replace(SPACE, " ") == f"claimed {claimed}; measured {measured}"
