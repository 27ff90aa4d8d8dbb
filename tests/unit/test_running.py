"""The locks of a killed study go; those of one that runs stay."""

import os
from pathlib import Path

from assay.pipeline import running


def test_locks_stay_while_a_study_runs_and_go_when_it_is_gone(tmp_path: Path) -> None:
    locks = tmp_path / "locks"
    locks.mkdir()
    study = running.begin(tmp_path)
    running.forget_killed(tmp_path)
    assert locks.exists()
    os.close(study)  # as its end does, whatever ends it
    running.forget_killed(tmp_path)
    assert not locks.exists()


def test_a_directory_in_which_nothing_ran_has_no_locks(tmp_path: Path) -> None:
    running.forget_killed(tmp_path / ".snakemake")
