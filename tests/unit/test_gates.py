"""engines/gates: its arguments, and what it says and does when a step fails."""

import shutil
import subprocess
import sys
from pathlib import Path

import fakes
import pytest

from assay.system import files

GATES = Path(__file__).parents[2] / "engines" / "gates"


@pytest.fixture
def engines(tmp_path: Path) -> Path:
    """A folder of one engine."""
    folder = tmp_path / "engines"
    fakes.project(tmp_path, {"reference": 1})
    (folder / "fake").rename(folder / "toy")
    shutil.copy2(GATES, folder)
    (folder / "toy" / "gates.sh").write_text(
        "also=cc\n"
        "also_fuzz=g++\n"
        "campaign_suite() { # every test\n"
        "\tstep good test -e gates.sh\n"
        "}\n"
        "campaign_fuzz() { # random input, TIME long\n"
        "\tstep long echo $seconds seconds\n"
        "\tstep bad sh -c 'echo why; exit 3'\n"
        "\tstep good true\n"
        "}\n"
    )
    return folder


def run(engines: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [engines / "gates", *arguments],
        env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "TMPDIR": str(engines.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


def test_the_suite_is_what_runs_when_no_campaign_is_named(engines: Path) -> None:
    code, said = run(engines, "toy")
    assert code == 0
    assert "good ... passed, " in said
    assert "1 of 1 steps passed" in said


def test_its_tools_are_asked_for_before_the_first_step(engines: Path) -> None:
    """Those of its manifest, and those that its tests need; what is missing is installed then."""
    _, said = run(engines, "toy")
    logs = Path(said.splitlines()[0].removeprefix("logs in "))
    assert files.read_json(logs / "tools.json").keys() == {"python", "cc"}
    _, said = run(engines, "toy", "fuzz")
    logs = Path(said.splitlines()[0].removeprefix("logs in "))
    assert files.read_json(logs / "tools.json").keys() == {"python", "cc", "g++"}
    (engines / "toy" / "gates.sh").write_text(
        "also=no-such-tool\ncampaign_suite() { # none\n:\n}\n"
    )
    code, said = run(engines, "toy")
    assert code == 1
    assert "KeyError: 'no-such-tool'" in said


def test_a_failed_step_shows_its_end_and_the_others_run(engines: Path) -> None:
    code, said = run(engines, "toy", "fuzz", "2m")
    assert code == 1
    assert "bad ... FAILED, " in said and "\nwhy\n" in said
    assert "2 of 3 steps passed" in said
    logs = Path(said.splitlines()[0].removeprefix("logs in "))
    assert (logs / "long.log").read_text() == "120 seconds\n"


def test_all_is_every_campaign(engines: Path) -> None:
    code, said = run(engines, "toy", "all")
    assert code == 1
    assert "3 of 4 steps passed" in said


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "  toy\n"),
        (["tory"], 'no engine "tory"'),
        (["toy/peer"], 'no engine "toy/peer"'),
        (["toy", "fuss"], 'toy has no campaign "fuss", but\n  suite: every test\n  fuzz: '),
        (["toy", "fuzz", "5"], 'TIME is "5", expected a number with s, m or h'),
        (["toy", "fuzz", "5ms"], 'TIME is "5ms"'),
        (["toy", "fuzz", "5s", "more"], "usage: engines/gates ENGINE [CAMPAIGN] [TIME]"),
    ],
)
def test_wrong_arguments(engines: Path, arguments: list[str], told: str) -> None:
    code, said = run(engines, *arguments)
    assert code == 2
    assert told in said


def test_what_its_python_imports_is_there() -> None:
    imports = [line for line in GATES.read_text().splitlines() if line.startswith("from assay")]
    assert imports
    exec("\n".join(imports), {})
