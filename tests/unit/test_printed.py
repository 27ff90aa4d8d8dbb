"""What a shot printed is bounded before it is written to shots.jsonl."""

import pytest

from assay.measure import session, shot
from assay.raw import harness


def outcome(status: str, stdout: str, stderr: str = "", reason: str = "") -> shot.Finished:
    return shot.Finished(status, reason, 0, "", 1.0, 1.0, 0.0, 1, 0, 0, stdout, stderr)


def test_a_result_is_kept_as_it_was_printed() -> None:
    line = session._result(outcome("ok", "x" * harness.MOST))
    assert (line["status"], len(line["native"])) == ("ok", harness.MOST)


def test_a_result_that_is_too_long_fails_its_shot() -> None:
    line = session._result(outcome("ok", "x" * (harness.MOST + 1)))
    assert line["status"] == "failed"
    assert line["reason"] == "printed 1,048,577 characters, expected at most 1,048,576 of a harness"
    assert len(line["native"]) < 5_000


def test_what_failed_without_a_word_has_a_reason() -> None:
    assert session._result(outcome("failed", "", "", " \n"))["reason"] != ""
    assert session._result(outcome("ok", ""))["reason"] == ""


@pytest.mark.parametrize("status", ["failed", "timeout", "oom", "refused"])
def test_of_what_failed_the_end_is_kept(status: str) -> None:
    much = "x" * 3_000_000
    line = session._result(outcome(status, much, much, much), during="setup: ")
    assert sum(len(line[key]) for key in ("native", "stderr_tail", "reason")) < 9_000
