"""Raw data of several machines, copied together, is compared and never mixed."""

import shutil
from pathlib import Path
from typing import Any

import fakes
import pytest

from assay.analyse import collect, estimates
from assay.present import subsystems
from assay.raw import merge, shotlog
from assay.system import files
from assay.tables import io


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A session of this machine."""
    fakes.project(tmp_path, {"reference": 1})
    return fakes.measured(tmp_path, fakes.made_plan(tmp_path, fakes.study(blocks=1)))


def copied(session: Path, machine: str, plan: str, began: str = "2026-01-01") -> Path:
    """The session as if another machine had run it, under another plan key."""
    folder = session.parents[3] / machine / Path(*session.parts[-3:-1]) / plan
    shutil.copytree(session, folder)
    lines = list(shotlog.read(folder / "shots.jsonl"))
    wrote(
        folder,
        [{**line, "machine": machine, "started_at": f"{began}T00:00:00+00:00"} for line in lines],
    )
    return folder


def wrote(folder: Path, lines: list[dict[str, Any]]) -> None:
    """Let the session in `folder` have these lines."""
    log = folder / "shots.jsonl"
    log.unlink()
    link = shotlog.last(log)
    with log.open("ab") as out:
        for line in lines:
            link = shotlog.append(out, line, link)


def test_alone_there_is_nothing_to_merge(session: Path) -> None:
    assert merge.others(session) == []


def test_the_same_plan_goes_first_then_the_latest(session: Path) -> None:
    copied(session, "one", "aaaa", "2026-01-01")
    late = copied(session, "one", "bbbb", "2026-01-02")
    copied(session, "two", "cccc", "2026-01-03")
    same = copied(session, "two", session.name, "2026-01-01")
    assert merge.others(session) == [late, same]


def test_what_is_not_complete_or_of_another_kind_is_left_out(session: Path) -> None:
    part = copied(session, "one", "aaaa") / "shots.jsonl"
    part.write_text(part.read_text().splitlines(keepends=True)[0])
    tier = copied(session, "two", "bbbb") / "plan.json"
    files.write_json(tier, files.read_json(tier) | {"tier": "full"})
    version = copied(session, "three", "cccc") / "plan.json"
    files.write_json(version, files.read_json(version) | {"version": 0})
    assert merge.others(session) == []


def test_no_estimate_mixes_machines(session: Path, tmp_path: Path) -> None:
    other = copied(session, "other", session.name)
    out = tmp_path / "tidy" / "fake"
    collect.collect([session, other], out)
    estimates.estimate(out)
    table = io.read(out / "estimates.parquet")
    assert table.groupby("machine")["n"].sum().nunique() == 1
    assert set(table["machine"]) == {session.parents[2].name, "other"}
    chosen = subsystems.load(tmp_path / "tidy", "fake")
    for rows in (chosen.measurements, chosen.estimates, chosen.noise):
        assert set(rows["machine"]) == {session.parents[2].name}
