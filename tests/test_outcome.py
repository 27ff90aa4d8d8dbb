"""Each cause of a hole is told once, with its reason and the file that tells more."""

import json

from assay import files, outcome
from assay.build import NOT_BUILT


def test_what_went_well_is_no_hole(tmp_path):
    built = tmp_path / "pool" / "reference" / "build.json"
    files.write_json(built, {"status": "ok", "reason": ""})
    assert outcome.holes([built]) == []


def test_a_failed_build_is_one_hole_and_its_gate_none(tmp_path):
    folder = tmp_path / "pool" / "peer"
    files.write_json(folder / "build.json", {"status": "failed", "reason": "exit code 1\nno go.mod"})
    files.write_json(folder / "verify.json", {"status": "failed", "reason": NOT_BUILT})
    [hole] = outcome.holes([folder / "build.json", folder / "verify.json"])
    assert str(hole) == f"build of pool/peer: exit code 1 (see {folder / 'build.json'})"


def test_failed_shots_are_counted_by_cause_and_refused_ones_left_to_their_gate(tmp_path):
    statuses = [("ok", ""), ("failed", "wrong root"), ("failed", "wrong root"), ("refused", "gate")]
    shots = tmp_path / "raw" / "shots.jsonl"
    shots.parent.mkdir()
    shots.write_text(
        "".join(
            json.dumps(
                {
                    "subsystem": "pool",
                    "engine": "peer",
                    "workload": "draw",
                    "status": status,
                    "reason": reason,
                }
            )
            + "\n"
            for status, reason in statuses
        )
    )
    pointer = tmp_path / "pool.native.json"
    files.write_json(pointer, {"session_dir": str(shots.parent)})
    [hole] = outcome.holes([pointer])
    assert hole.what == "2 shots of pool/peer, workload draw"
    assert hole.reason == "failed: wrong root"


def test_a_notebook_that_failed_is_named(tmp_path):
    path = tmp_path / "overview.json"
    files.write_json(path, {"status": "failed", "reason": "cell 3: KeyError: 'time'"})
    [hole] = outcome.holes([path])
    assert hole.what == "notebook overview"
