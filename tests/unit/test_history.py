"""The committed run is renewed whole, and every committed session stays in the history."""

import shutil
from pathlib import Path

import pandas as pd
import planted
import pytest

from assay.analyse import history, verdicts
from assay.engines import currency
from assay.inputs import claims
from assay.pipeline.renew import renew
from assay.present.pages import comparison
from assay.system import files


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tidy data of subsystem rewardpool, as a study of tier full leaves it."""
    folder = tmp_path_factory.mktemp("study") / "rewardpool"
    planted.study(folder, tier="full", profiles=("native", "container"))
    verdicts.write(claims.FOLDER / "rewardpool.yaml", planted.ROOT / "engines/rewardpool", folder)
    return folder.parent


@pytest.fixture
def tidy(study: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return shutil.copytree(study, tmp_path / "tidy")


def began(tidy: Path, commit: str, started_at: str) -> None:
    path = tidy / "rewardpool" / "session.json"
    session = files.read_json(path)
    facts = {"commit": commit, "started_at": started_at, "failed": 0, "refused": 0}
    others = [one | facts for one in session["other_sessions"]]
    files.write_json(path, session | facts | {"other_sessions": others})


def test_a_renewed_run_says_that_it_is_committed(tidy: Path, tmp_path: Path) -> None:
    """It tells nothing of what other programs wrote on the machine that measured it."""
    began(tidy, "a" * 40, "2026-01-02T03:04:05+00:00")
    path = tidy / "rewardpool" / "session.json"
    files.write_json(path, files.read_json(path) | {"outside": {"reference": ["/tmp/other"]}})
    written = list(renew(tmp_path, tidy, tmp_path / "figures"))
    folder = tmp_path / currency.COMMITTED / "rewardpool"
    assert folder in written
    session = files.read_json(folder / "session.json")
    every = [session, *session["other_sessions"]]
    assert all(one["committed"] and one["outside"] == {} for one in every)
    same = (folder / "ratios.parquet").read_bytes()
    assert same == (tidy / "rewardpool" / "ratios.parquet").read_bytes()


def test_a_figure_of_the_readme_is_renewed_and_no_other(tidy: Path, tmp_path: Path) -> None:
    began(tidy, "a" * 40, "2026-01-02T03:04:05+00:00")
    shown = tmp_path / currency.COMMITTED / "figures" / "rewardpool" / "draws.png"
    drawn = tmp_path / "figures" / "rewardpool"
    for folder in (shown.parent, drawn):
        folder.mkdir(parents=True)
    shown.write_text("old")
    (drawn / "draws.png").write_text("new")
    (drawn / "other.png").write_text("other")
    list(renew(tmp_path, tidy, tmp_path / "figures"))
    assert [path.read_text() for path in shown.parent.iterdir()] == ["new"]


def test_a_run_of_tier_published_has_a_place_of_its_own(tidy: Path, tmp_path: Path) -> None:
    """It takes the place of no table and no figure of tier full."""
    began(tidy, "a" * 40, "2026-01-02T03:04:05+00:00")
    shown = tmp_path / currency.FIGURES / "rewardpool" / "draws.png"
    drawn = tmp_path / "figures" / "rewardpool" / "draws.png"
    for path, text in ((shown, "of full"), (drawn, "of published")):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    path = tidy / "rewardpool" / "session.json"
    files.write_json(path, files.read_json(path) | {"tier": "published"})
    added = tmp_path / history.HISTORY / "rewardpool" / "2026-01-02-aaaaaaaaaaaa-published.parquet"
    folder = tmp_path / currency.REPRODUCTION / "rewardpool"
    assert list(renew(tmp_path, tidy, tmp_path / "figures")) == [folder, added]
    assert {path.name for path in folder.iterdir()} >= {"session.json", "verdicts.parquet"}
    assert not (tmp_path / currency.COMMITTED / "rewardpool").exists()
    assert shown.read_text() == "of full"


def test_each_renewal_adds_to_the_history(tidy: Path, tmp_path: Path) -> None:
    for commit, day in (("a" * 40, "02"), ("b" * 40, "03")):
        began(tidy, commit, f"2026-01-{day}T03:04:05+00:00")
        list(renew(tmp_path, tidy, tmp_path / "figures"))
    home = tmp_path / history.HISTORY
    assert sorted(path.name for path in (home / "rewardpool").iterdir()) == [
        "2026-01-02-aaaaaaaaaaaa.parquet",
        "2026-01-03-bbbbbbbbbbbb.parquet",
    ]
    table = history.read(home, "rewardpool")
    assert list(table["commit"].unique()) == ["a" * 40, "b" * 40]
    rows = list(history.changes(table, "reference"))
    assert rows
    assert {row["ratio"] for row in rows} == {1.0}
    assert not any(row["apart"] for row in rows)
    assert "intervals meet" in comparison.history(rows)


def test_two_machines_are_not_compared(tidy: Path, tmp_path: Path) -> None:
    began(tidy, "a" * 40, "2026-01-02T03:04:05+00:00")
    history.add(tidy / "rewardpool", tmp_path)
    table = history.read(tmp_path, "rewardpool")
    other = table.assign(machine="another")
    both = history.changes(pd.concat([table, other]), "reference")
    assert list(both) == []


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"tier": "smoke"}, "expected a tier with inference, found smoke"),
        ({"dirty": True}, "expected a clean tree, found changes beside commit"),
        ({"failed": 3}, "3 shots failed"),
        ({"left_out": {"old": {"reason": "no python3.7"}}}, "found old left out: no python3.7"),
    ],
)
def test_what_proves_nothing_is_refused_before_anything_is_written(
    tidy: Path, tmp_path: Path, changed: dict[str, object], message: str
) -> None:
    began(tidy, "a" * 40, "2026-01-02T03:04:05+00:00")
    path = tidy / "rewardpool" / "session.json"
    files.write_json(path, files.read_json(path) | changed)
    with pytest.raises(ValueError, match=message):
        list(renew(tmp_path, tidy, tmp_path / "figures"))
    assert not (tmp_path / "data").exists()


def test_a_history_of_nothing_is_an_error_that_names_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "smt").mkdir()
    with pytest.raises(ValueError, match="expected a history of smtt, found smt"):
        history.read(tmp_path, "smtt")
