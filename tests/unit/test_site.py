"""A folder of reports, packed; and which notebooks a folder of data has something for."""

import os
import zipfile
from pathlib import Path

import pytest

from assay.present.pages import notebook, site
from assay.system import files

ROOT = Path(__file__).parents[2]


def test_an_archive_depends_on_what_is_in_it_alone(tmp_path: Path) -> None:
    packed = []
    for name, age in (("a", 1), ("b", 10**9)):
        folder = tmp_path / name / "reports"
        (folder / "figures").mkdir(parents=True)
        for file in ("index.html", "figures/one.svg"):
            (folder / file).write_text(file)
            os.utime(folder / file, (age, age))
        packed.append(site.archive(folder))
    assert packed[0] == tmp_path / "a" / "reports.zip"
    assert packed[0].read_bytes() == packed[1].read_bytes()
    with zipfile.ZipFile(packed[0]) as read:
        assert read.namelist() == ["assay-reports/figures/one.svg", "assay-reports/index.html"]


def test_a_subsystem_without_a_session_has_no_report(tmp_path: Path) -> None:
    assert {"acp", "claims"} <= site.notebooks(ROOT, ROOT / "data" / "reference").keys()
    assert "acp" not in site.notebooks(ROOT, tmp_path)


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b"[]", b"{}", b'{"cells": [1]}'])
def test_a_file_that_is_no_notebook_stops_no_other_report(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "broken.ipynb").write_bytes(text)
    assert site.notebooks(tmp_path, tmp_path) == {"broken": 1}
    outcome = tmp_path / "outcome.json"
    executed = tmp_path / "executed.ipynb"
    broken = tmp_path / "notebooks" / "broken.ipynb"
    assert not notebook.execute(broken, executed, tmp_path / "figures", tmp_path, outcome)
    assert files.read_json(outcome)["reason"] and files.read_json(executed)["cells"]


@pytest.mark.parametrize("command", [["report", "acpp"], ["report", "acp", "--data", "nowhere"]])
def test_a_report_that_cannot_be_is_named(
    command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay import __main__

    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sys.argv", ["assay", *command])
    with pytest.raises(SystemExit, match=rf"{command[1]}: expected one of .*claims"):
        __main__.main()


def test_one_figure_is_drawn_without_its_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "FIGURES", tmp_path)
    drawn = site.figure("rewardpool", "draws", ROOT / "data" / "reference")
    assert drawn == tmp_path / "rewardpool" / "draws.svg"
    assert {path.name for path in drawn.parent.iterdir()} == {"draws.svg", "draws.png", "draws.csv"}


@pytest.mark.parametrize(
    ("report", "figure", "message"),
    [
        ("rewardpool", "drawn", "figure: expected one that rewardpool has, nearest 'draws'"),
        ("claims", "draws", "report with single figures: expected one that .*reference has"),
    ],
)
def test_a_figure_that_cannot_be_is_named(report: str, figure: str, message: str) -> None:
    with pytest.raises(LookupError, match=message):
        site.figure(report, figure, ROOT / "data" / "reference")
