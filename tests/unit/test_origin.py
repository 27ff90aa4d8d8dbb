"""Where a session comes from, also where git does not say it."""

import subprocess
from pathlib import Path

import pytest

from assay.analyse import sessions
from assay.measure import origin
from assay.present.sections import report
from assay.system import files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "study.yaml").write_text("{}")
    return tmp_path


def git(root: Path, *arguments: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@b"]
    subprocess.run(["git", *who, "-C", root, *arguments], check=True, capture_output=True)


def test_a_commit_and_whether_the_tree_differs_are_told(root: Path) -> None:
    for arguments in (["init"], ["add", "."], ["commit", "-m", "first"]):
        git(root, *arguments)
    clean = origin.of({}, root)
    assert (len(clean["commit"]), clean["dirty"]) == (40, False)
    assert report.commit(clean) == clean["commit"]
    (root / "new").touch()
    assert report.commit(origin.of({}, root)) == f"{clean['commit']} with uncommitted changes"


def test_no_repository_is_not_a_clean_one(root: Path) -> None:
    told = origin.of({}, root)
    assert (told["commit"], told["dirty"]) == ("", None)
    assert report.commit(told) == "not known"


def test_a_tree_that_git_cannot_compare_is_not_a_clean_one(root: Path) -> None:
    for arguments in (["init"], ["add", "."], ["commit", "-m", "first"]):
        git(root, *arguments)
    (root / ".git" / "index").write_bytes(b"broken")
    told = origin.of({}, root)
    assert (len(told["commit"]), told["dirty"]) == (40, None)
    assert report.commit(told) == f"{told['commit']}, not known whether with changes"
    files.write_json(root / "raw" / "origin.json", told)
    assert sessions._began_at(root / "raw") == "", "no session is found by such a commit"
