"""The smoke study from a clean copy of this checkout, as a new user runs it first.

It builds every engine and peer, and ends with an error when one fails its correctness gate, so
these gates have no test of their own.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import installed
import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.timeout(5400)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("copy")
    listed = subprocess.run(
        [installed.program("git", "git"), "ls-files", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        # Not its time: cargo would take what it compiled from a newer file of that name.
        shutil.copy(ROOT / name, folder / name, follow_symlinks=False)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def study(copy: Path) -> str:
    """Run the smoke study and show its output as it comes; returns it."""
    command = [copy / "run", "snakemake", "--cores", "all", "--config", "tier=smoke"]
    lines = []
    with subprocess.Popen(
        command, cwd=copy, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as running:
        assert running.stdout
        for line in running.stdout:
            lines.append(line)
            print(line, end="", flush=True)
    assert running.returncode == 0, "".join(lines[-100:])
    return "".join(lines)


def test_the_study_runs_once_and_then_has_nothing_to_do(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        study(copy)
        assert "Nothing to be done" in study(copy)


def test_the_profile_of_the_report_is_measured_first(copy: Path) -> None:
    sessions = copy.glob("data/sessions/rewardpool.*.json")
    ended = sorted(sessions, key=lambda path: path.stat().st_mtime)
    assert [path.stem.partition(".")[2] for path in ended] == ["native", "container", "server-hdd"]


def test_its_first_page_waits_for_one_profile(copy: Path) -> None:
    told = copy / "logs/preview/rewardpool.log"
    assert "Open reports/rewardpool.html" in told.read_text(encoding="utf-8")
    written = told.stat().st_mtime
    sessions = [copy / f"data/sessions/rewardpool.{name}.json" for name in ("native", "container")]
    ended = [session.stat().st_mtime for session in sessions]
    assert ended[0] < written < ended[1]


def test_its_reports_are_good_in_a_browser(copy: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pytest", "tests/report/test_reports.py"],
        cwd=ROOT,
        check=True,
        env={**os.environ, "ASSAY_REPORTS": str(copy / "reports")},
    )
