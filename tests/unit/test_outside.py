"""What changed in the places that programs share is found by name."""

from pathlib import Path

from assay.raw import outside


def test_what_is_new_or_other_is_told_and_what_is_ours_is_not(tmp_path: Path) -> None:
    own = tmp_path / "study" / "scratch" / "00-0000"
    own.mkdir(parents=True)
    old, folder = tmp_path / "old", tmp_path / "folder"
    old.write_text("1")
    folder.mkdir()
    before = outside.seen([own], [tmp_path])
    assert [*before] == [str(old), str(folder)] or [*before] == [str(folder), str(old)]
    assert outside.changed(before, before) == []
    (own / "mine").write_text("1")
    (tmp_path / "study" / "log").write_text("1")
    old.unlink()
    (tmp_path / "another").write_text("2")
    (tmp_path / "new").write_text("1")
    (folder / "answer").write_text("1")
    after = outside.seen([own], [tmp_path])
    assert outside.changed(before, after) == [
        str(tmp_path / name) for name in ("another", "folder", "new")
    ]


def test_a_place_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert outside.seen([], [tmp_path / "none"]) == {}


def test_of_many_the_first_are_told() -> None:
    after = {f"/tmp/{i:03}": (i, 0) for i in range(1000)}
    assert outside.changed({}, after) == [f"/tmp/{i:03}" for i in range(outside.MOST)]
