"""The report on profiles shows what a planted limit costs, and hatches what was not enforced."""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import planted
import pytest

from assay.analyse import estimates, tidy
from assay.present import evidence, profiles
from assay.present.plots import NoData

ABOUT = {"key": "planted", "machine": "planted", "machine_facts": {}, "profile_applied": {}}


def study(folder: Path, slowdowns: dict[str, float], not_applied: dict[str, str]) -> Path:
    """Tidy data of one cell under several profiles; each takes its factor times 1 µs."""
    tables = []
    for seed, (profile, factor) in enumerate(slowdowns.items()):
        cell = planted.Cell("work", "reference", "", 1000, {"time": factor * 1e-6}, 0.01)
        rows = planted.measurements([cell], 12, seed=seed).assign(profile=profile)
        tables.append(rows.assign(session=f"key-{profile}"))
    out = folder / "fake"
    out.mkdir()
    tidy.write("measurements", pd.concat(tables, ignore_index=True), out)
    estimates.estimate(out)
    of = [
        ABOUT | {"profile": name, "key": f"key-{name}", "profile_not_applied": {}}
        for name in slowdowns
    ]
    of[-1]["profile_not_applied"] = not_applied
    (out / "session.json").write_text(json.dumps(of[0] | {"other_sessions": of[1:]}))
    return folder


def test_a_planted_slowdown_is_found(tmp_path: Path) -> None:
    found = evidence.load(study(tmp_path, {"native": 1, "edge": 3}, {}), "fake")
    assert set(found.estimates["profile"]) == {"native"}
    [row] = profiles.compared(found).to_dict("records")
    assert row["profile"] == "edge"
    assert row["slowdown"] == pytest.approx(3, rel=0.03)
    assert row["ci_low"] < 3 < row["ci_high"]
    assert row["enforced"]
    assert (
        "3." in profiles.slowdown_table(found).text or "2.9" in profiles.slowdown_table(found).text
    )


def test_a_profile_that_was_not_enforced_is_hatched(tmp_path: Path) -> None:
    lost = {"disk": "there is no FUSE"}
    found = evidence.load(study(tmp_path, {"native": 1, "hdd": 1}, lost), "fake")
    assert not profiles.compared(found)["enforced"].any()
    plate = profiles.slowdown_plot(found)
    assert not isinstance(plate, NoData)
    [marks, *_] = plate.draw(7).axes[0].collections
    assert marks.get_hatch()
    assert "disk not enforced: there is no FUSE" in profiles.lines(found).text


def test_one_session_says_how_to_have_more(tmp_path: Path) -> None:
    found = evidence.load(study(tmp_path, {"native": 1}, {}), "fake")
    assert isinstance(profiles.slowdown_plot(found), NoData)
    assert "profiles: [native, container, server-hdd]" in profiles.slowdown_table(found).text
    assert "not recorded" in profiles.costs(found).text


def test_the_published_machines_stand_beside_ours(tmp_path: Path) -> None:
    factors = {"native": 1.0, "laptop": 1.0, "server-hdd": 4.0}
    found = evidence.load(study(tmp_path, factors, {}), "fake")
    page = profiles.published_comparison([found]).text
    assert "5.82×" in page  # 285 ms over 49 ms
    assert "not measured with both profiles wholly enforced" in page
    folder = tmp_path / "fake"
    folder.rename(tmp_path / "ldp")
    ours = profiles.published_comparison([replace(found, folder=tmp_path / "ldp")]).text
    assert "median of 1 cells" in ours
