"""The report on profiles shows what a planted limit costs, and hatches what was not enforced."""

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pandas as pd
import planted
import pytest
from report_text import named
from snakemake.cli import parse_config

from assay.analyse import estimates
from assay.present import subsystems
from assay.present.kit.canvas import NoData
from assay.present.pages import profiles, published_machines
from assay.present.sections import reproduced
from assay.tables import io, schemas

ROOT = Path(__file__).parents[2]
ENGINES = {"reference": {"role": "reference", "title": "reference engine"}}
ABOUT = {
    "key": "planted",
    "machine": "planted",
    "machine_facts": {},
    "profile_applied": {},
    "plan": {"workloads": {"work": {"title": "Work", "scale": "things"}}, "engines": ENGINES},
}


def study(folder: Path, slowdowns: dict[str, float], not_applied: dict[str, str]) -> Path:
    """Tidy data of one cell under several profiles; each takes its factor times 1 µs."""
    tables = []
    for seed, (profile, factor) in enumerate(slowdowns.items()):
        cell = planted.Simulated("work", "reference", "", 1000, {"time": factor * 1e-6}, 0.01)
        rows = planted.measurements([cell], 12, seed=seed).assign(profile=profile)
        tables.append(rows.assign(session=f"key-{profile}"))
    out = folder / "fake"
    out.mkdir()
    io.write("measurements", pd.concat(tables, ignore_index=True), out)
    estimates.estimate(out)
    of = [
        ABOUT | {"profile": name, "key": f"key-{name}", "profile_not_applied": {}}
        for name in slowdowns
    ]
    of[-1]["profile_not_applied"] = not_applied
    (out / "session.json").write_text(json.dumps(of[0] | {"other_sessions": of[1:]}))
    return folder


def test_a_planted_slowdown_is_found(tmp_path: Path) -> None:
    found = subsystems.load(study(tmp_path, {"native": 1, "edge": 3}, {}), "fake")
    assert set(found.estimates["profile"]) == {"native"}
    table = profiles.compared(found)
    schemas.check("quotients", table.drop(columns="enforced"), "the profiles")
    [row] = table.to_dict("records")
    assert row["profile"] == "edge"
    assert row["ratio"] == pytest.approx(3, rel=0.03)
    assert row["ci_low"] < 3 < row["ci_high"]
    assert row["enforced"]
    assert (
        "3." in profiles.slowdown_table(found).text or "2.9" in profiles.slowdown_table(found).text
    )


def test_a_profile_that_was_not_enforced_is_hatched(tmp_path: Path) -> None:
    lost = {"disk": "there is no FUSE"}
    found = subsystems.load(study(tmp_path, {"native": 1, "hdd": 1}, lost), "fake")
    assert not profiles.compared(found)["enforced"].any()
    plate = profiles.slowdown_plot(found)
    assert not isinstance(plate, NoData)
    [marks, *_] = plate.draw(7).axes[0].collections
    assert marks.get_hatch()
    assert "disk not enforced: there is no FUSE" in profiles.lines(found).text


def test_published_numbers_stand_beside_every_profile(tmp_path: Path) -> None:
    lost = {"disk": "there is no FUSE"}
    found = subsystems.load(study(tmp_path, {"native": 1, "container": 2, "hdd": 8}, lost), "fake")
    number = {"section": "1", "row": "a", "column": "time", "metric": "time", "workload": "work"}
    printed = pd.DataFrame([number | {"variant": "", "value": 4e-6, "unit": "s", "scale": 1000}])
    declared = reproduced.Printed("printed", [reproduced.Counterpart("ours", "reference")])
    page = reproduced.beside(found, printed, declared).text
    for title in ("ours", "ours, under container", "ours, under hdd (not wholly enforced)"):
        assert f">{title}<" in page
    shown = [float(text) for text in re.findall(r">([\d.]+)\sµs\s\[", page)]
    assert shown == pytest.approx([1, 2, 8], rel=0.03)


def test_one_session_says_how_to_have_more(tmp_path: Path) -> None:
    found = subsystems.load(study(tmp_path, {"native": 1}, {}), "fake")
    said = profiles.slowdowns_of([found], tmp_path / "figures").text
    assert "fake: only one profile was measured" in said
    assert "profiles=[native,container,server-hdd]" in said
    [costs] = named(profiles.costs([found]))
    assert costs["throttled, median"] == "–"


def test_the_command_for_more_profiles_is_one_that_snakemake_and_the_study_take() -> None:
    [*_, option, given] = shlex.split(profiles.COMMAND)
    assert option == "--config"
    wanted = parse_config([given])["profiles"]
    assert wanted == ["native", "container", "server-hdd"]
    assert all((ROOT / "config" / "hardware" / f"{name}.yaml").exists() for name in wanted)


def test_the_published_comparison_stands_without_any_session() -> None:
    assert "5.82×" in published_machines.comparison([]).text


def test_the_published_ratios_are_those_of_the_printed_times() -> None:
    rows = published_machines.ratios().set_index(["operation", "engine"])["ratio"]
    assert rows["PUT", "Fedora 4.7.5"] == pytest.approx(285 / 49)
    assert rows["GET", "Lakesuperior 1.0a17"] == pytest.approx(5.6 / 2.8)
    assert len(rows) == 5
    plate = published_machines.plot()
    assert "PUT takes 5.72× to 5.82×" in plate.caption
    assert (
        "SPARQL Query of Lakesuperior 1.0a17 is printed with one time for both machines"
        in plate.caption
    )
    assert "1 of 5 published reports" in plate.caption
    assert "that of transcode, which has no run outside" in plate.caption
    axes = plate.draw(7).axes[0]
    assert sum(len(marks.get_offsets()) for marks in axes.collections) == len(rows)


def test_the_published_machines_stand_beside_ours(tmp_path: Path) -> None:
    factors = {"native": 1.0, "laptop": 1.0, "server-hdd": 4.0}
    found = subsystems.load(study(tmp_path, factors, {}), "fake")
    page = published_machines.comparison([found]).text
    assert "5.82×" in page  # 285 ms over 49 ms
    assert "not measured with both profiles wholly enforced" in page
    folder = tmp_path / "fake"
    folder.rename(tmp_path / "ldp")
    ours = published_machines.comparison([replace(found, folder=tmp_path / "ldp")]).text
    assert "median of 1 cells" in ours
