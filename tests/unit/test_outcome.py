"""Each cause of a hole is told once, with its reason and the file that tells more."""

from pathlib import Path

import pandas as pd
import planted

from assay.pipeline import outcome
from assay.system import files
from assay.system.step import NOT_BUILT
from assay.tables import io


def test_what_went_well_is_no_hole(tmp_path: Path) -> None:
    built = tmp_path / "pool" / "reference" / "build.json"
    files.write_json(built, {"status": "ok", "reason": ""})
    assert outcome.holes([built]) == []


def test_a_failed_build_is_one_hole_and_its_gate_none(tmp_path: Path) -> None:
    folder = tmp_path / "pool" / "peer"
    files.write_json(
        folder / "build.json", {"status": "failed", "reason": "exit code 1\nno go.mod"}
    )
    files.write_json(folder / "verify.json", {"status": "failed", "reason": NOT_BUILT})
    [hole] = outcome.holes([folder / "build.json", folder / "verify.json"])
    assert str(hole) == f"build of pool/peer: exit code 1 (see {folder / 'build.json'})"


def test_a_hole_is_one_line_of_bounded_length() -> None:
    hole = outcome.Hole("build of pool/peer", "x" * 9000 + "\nmore", "build.json")
    assert str(hole) == f"build of pool/peer: {'x' * (outcome.WIDTH - 1)}… (see build.json)"


def test_failed_shots_are_counted_by_cause_and_refused_ones_left_to_their_gate(
    tmp_path: Path,
) -> None:
    wrong = ("failed", "wrong root")
    cells = [
        planted.Simulated("draw", "reference", "", 9, {"time": 1e-8}),
        planted.Simulated("draw", "peer", "", 9, {"time": 1e-8}, failed={0: wrong, 1: wrong}),
        planted.Simulated("draw", "other", "", 9, {"time": 1e-8}, failed={0: ("refused", "gate")}),
    ]
    io.write("measurements", planted.measurements(cells, blocks=2), tmp_path)
    [hole] = outcome.holes([tmp_path / "measurements.parquet"])
    assert hole.what == "2 shots of rewardpool/peer, workload draw"
    assert hole.reason == "failed: wrong root"


def test_an_engine_that_was_refused_for_what_it_counted_is_a_hole(tmp_path: Path) -> None:
    cells = [
        planted.Simulated("draw", "peer", "", 9, {"time": 1e-8}, failed={0: ("refused", "root")})
    ]
    rows = planted.measurements(cells, blocks=1)
    rows["started_at"] = pd.Timestamp("2026-01-01T00:00:00Z").as_unit("us")
    io.write("measurements", rows, tmp_path)
    [hole] = outcome.holes([tmp_path / "measurements.parquet"])
    assert hole.reason == "refused: root"


def test_many_causes_of_one_workload_are_counted(tmp_path: Path) -> None:
    failed = {block: ("failed", f"at {block:x}") for block in range(20)}
    cells = [planted.Simulated("draw", "peer", "", 9, {"time": 1e-8}, failed=failed)]
    io.write("measurements", planted.measurements(cells, blocks=20), tmp_path)
    told = outcome.holes([tmp_path / "measurements.parquet"])
    assert len(told) == outcome.CAUSES + 1
    assert (told[-1].what, told[-1].reason) == (
        "15 more of rewardpool/peer, workload draw",
        "15 more causes",
    )


def test_a_page_gets_no_more_than_an_excerpt_of_what_a_build_printed(tmp_path: Path) -> None:
    built = tmp_path / "pool" / "reference" / "build.json"
    files.write_json(built, {"status": "failed", "reason": "exit code 1\n" + "x" * 3_000_000})
    [hole] = outcome.holes([built])
    assert len(hole.reason) < 400


def test_a_notebook_that_failed_is_named(tmp_path: Path) -> None:
    path = tmp_path / "overview.json"
    files.write_json(path, {"status": "failed", "reason": "KeyError: 'time'"})
    [hole] = outcome.holes([path])
    assert hole.what == "notebook overview"


def test_a_peer_that_the_machine_cannot_have_is_told_and_no_hole(tmp_path: Path) -> None:
    built = tmp_path / "pool" / "old" / "build.json"
    files.write_json(built, {"status": "left out", "reason": "no python3.7"})
    assert outcome.holes([built]) == []
    assert outcome.left_out([built]) == ["pool/old: no python3.7"]
