"""What is kept of what was printed is bounded, and can be written."""

import io

import pytest

from assay.system import excerpt


def test_a_short_line_stays_as_it_is() -> None:
    assert excerpt.line("exit code 1: no räum") == "exit code 1: no räum"


def test_a_long_line_is_its_beginning_and_its_end() -> None:
    text = excerpt.line("a" * 3_000_000 + "b" * 3_000_000)
    assert text == "a" * 150 + " … 5,999,700 characters … " + "b" * 150


def test_half_of_a_pair_of_surrogates_can_be_written() -> None:
    assert excerpt.line("one \ud800 two").encode() == b"one ? two"


@pytest.mark.parametrize("text", ["", "a", "a\nb", "\n\na\nb\n\n"])
def test_few_lines_stay(text: str) -> None:
    assert excerpt.lines(text, 2) == text.strip()


def test_of_many_lines_the_last_are_left_each_of_them_short() -> None:
    found = excerpt.lines("\n".join([*"abc", "x" * 100_000]), 2)
    assert found.startswith("c\nxxx")
    assert len(found) < 400


def test_no_more_than_the_end_of_a_file_is_read() -> None:
    assert excerpt.end(io.BytesIO(b"abcdef"), 4) == "cdef"
    assert excerpt.end(io.BytesIO(b"abc"), 4) == "abc"
    assert excerpt.end(io.BytesIO("äb".encode()), 2) == "\ufffdb"
