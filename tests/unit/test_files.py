"""A file is replaced whole or not at all."""

from pathlib import Path
from typing import Never

import pytest

from assay.system import files


def test_json_round_trip_makes_the_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.json"
    files.write_json(path, {"law": "class", "draws": 3})
    assert files.read_json(path) == {"law": "class", "draws": 3}
    assert [p.name for p in path.parent.iterdir()] == ["b.json"]


def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    files.write_text(path, "old")

    def fail(temporary: Path) -> Never:
        temporary.write_text("half")
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError):
        files.replace(path, fail)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_broken_json_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text('{"a": 1,\n "b": }')
    with pytest.raises(ValueError, match=r"plan\.json: expected JSON, found .* at line 2"):
        files.read_json(path)


def test_what_is_not_utf_8_is_named_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(b'{"a": 1,\n "b": "\xff"}')
    with pytest.raises(ValueError, match=r"plan\.json:2: expected UTF-8, found byte 0xff$"):
        files.read_json(path)
