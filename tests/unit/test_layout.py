"""Where raw data lies: paths are put together and taken apart in one place."""

from pathlib import Path

from assay.raw import layout

PLACE = layout.Place("here", "fake", "native", "abc")


def laid(root: Path, place: layout.Place) -> Path:
    """A session that has a plan."""
    folder = layout.folder(root, place)
    folder.mkdir(parents=True)
    (folder / layout.PLAN).touch()
    return folder


def test_a_path_tells_the_place_that_it_was_made_of(tmp_path: Path) -> None:
    folder = layout.folder(tmp_path, PLACE)
    assert folder == tmp_path / "data/raw/here/fake/native/abc"
    assert layout.place(folder) == PLACE


def test_sessions_are_found_by_their_plans(tmp_path: Path) -> None:
    known = [laid(tmp_path, PLACE._replace(key=key)) for key in ("abc", "abd")]
    other = laid(tmp_path, PLACE._replace(subsystem="other"))
    layout.folder(tmp_path, PLACE._replace(key="begun")).mkdir()
    assert [*layout.sessions(tmp_path / layout.RAW)] == [*known, other]
    assert [*layout.sessions(tmp_path / layout.RAW, "fake")] == known


def test_elsewhere_are_the_same_subsystem_and_profile_of_other_machines(tmp_path: Path) -> None:
    own = laid(tmp_path, PLACE)
    laid(tmp_path, PLACE._replace(machine="there", profile="container"))
    laid(tmp_path, PLACE._replace(machine="there", subsystem="other"))
    two = [laid(tmp_path, PLACE._replace(machine="there", key=key)) for key in ("abc", "abd")]
    assert layout.elsewhere(own) == {"there": two}
