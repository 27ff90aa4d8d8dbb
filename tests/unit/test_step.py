"""A step turns whatever its command does into an outcome."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from assay.system import step


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_success_has_no_reason(tmp_path: Path) -> None:
    outcome = step.run(python("print('checked 3 vectors')"), tmp_path, timeout_s=30)
    assert outcome.ok and outcome.reason == ""
    assert outcome.printed == "checked 3 vectors\n"


def test_failure_gives_the_exit_code_and_the_last_lines(tmp_path: Path) -> None:
    code = "import sys; print('\\n'.join(map(str, range(99)))); sys.exit(3)"
    outcome = step.run(python(code), tmp_path, timeout_s=30)
    assert not outcome.ok
    lines = outcome.reason.splitlines()
    assert lines[0] == "exit code 3"
    assert lines[-1] == "98"
    assert len(lines) == 1 + step.TAIL_LINES


def test_a_command_that_does_not_exist_is_named(tmp_path: Path) -> None:
    outcome = step.run(["no-such-tool"], tmp_path, timeout_s=30)
    assert outcome.reason == "cannot start no-such-tool: No such file or directory"


def test_a_step_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    marker = tmp_path / "survivor"
    script = '(sleep 2; touch "$0") & echo started; exec sleep 60'
    outcome = step.run(["sh", "-c", script, str(marker)], tmp_path, timeout_s=1)
    assert outcome.reason.splitlines() == ["not finished after 1 s", "started"]
    time.sleep(2)
    assert not marker.exists()


@pytest.mark.parametrize("last", ["", "exec sleep 60"])
def test_a_descendant_that_left_the_group_and_holds_the_output_is_not_waited_for(
    tmp_path: Path, last: str
) -> None:
    pid = tmp_path / "pid"
    script = f'setsid sleep 60 & echo $! > "$0"; echo left; {last}'
    outcome = step.run(["sh", "-c", script, str(pid)], tmp_path, timeout_s=2)
    os.kill(int(pid.read_text()), signal.SIGKILL)  # it is still there: it was not waited for
    assert outcome.printed == "left\n"
    assert outcome.ok == (last == "")
