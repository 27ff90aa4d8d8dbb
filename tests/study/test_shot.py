"""A shot is limited, accounted for, and gone afterwards with all it started."""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from assay.measure import sandbox, shot

PYTHON = sys.executable


def run(code: str, tmp_path: Path, timeout_s: float = 60.0, **options: object) -> shot.Finished:
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    argv: Sequence[str] = [PYTHON, "-S", "-E", "-c", code]
    return shot.run(argv, scratch, {"A": "b"}, timeout_s, **options)


# Forks twice, so that the grandchild is nobody's child; writes its id; sleeps in its own session.
DAEMON = """
import os, time
if not os.fork():
    os.setsid()
    if not os.fork():
        open("daemon", "w").write(str(os.getpid()))
        time.sleep(1000)
    os._exit(0)
os.wait()
while not os.path.exists("daemon") or not open("daemon").read():
    time.sleep(0.01)
"""


def daemon(tmp_path: Path) -> int:
    return int((tmp_path / "scratch" / "daemon").read_text())


def test_output_and_exit_code_are_kept(tmp_path: Path) -> None:
    outcome = run("import sys; print('out'); print('err', file=sys.stderr)", tmp_path)
    assert (outcome.status, outcome.reason, outcome.exit_code) == ("ok", "", 0)
    assert (outcome.stdout, outcome.stderr) == ("out\n", "err\n")


def test_the_environment_is_exactly_what_is_given(tmp_path: Path) -> None:
    outcome = run("import os; print(sorted(set(os.environ) - {'LC_CTYPE'}))", tmp_path)
    assert outcome.stdout == "['A']\n"


def test_a_failure_has_a_reason(tmp_path: Path) -> None:
    outcome = run("import sys; sys.exit('the sum is wrong')", tmp_path)
    assert (outcome.status, outcome.reason) == ("failed", "exit code 1: the sum is wrong")
    assert outcome.exit_code == 1


def test_a_crash_names_the_signal(tmp_path: Path) -> None:
    outcome = run("import os; os.kill(os.getpid(), 11)", tmp_path)
    assert (outcome.status, outcome.reason) == ("failed", "killed by SIGSEGV")
    assert outcome.exit_code == -11


def test_a_missing_program_is_a_reason(tmp_path: Path) -> None:
    outcome = shot.run(["./absent"], tmp_path, {}, 10.0)
    assert outcome.status == "failed"
    assert outcome.reason == "cannot start ./absent: No such file or directory"
    assert outcome.exit_code is None


def test_a_time_out_kills_everything_also_what_forked_itself_away(tmp_path: Path) -> None:
    outcome = run(DAEMON + "\ntime.sleep(1000)", tmp_path, timeout_s=2.0)
    assert (outcome.status, outcome.reason) == ("timeout", "not finished after 2 s")
    assert not psutil.pid_exists(daemon(tmp_path))
    assert 2 <= outcome.wall_s < 60


def test_what_a_shot_leaves_running_is_killed_and_told(tmp_path: Path) -> None:
    outcome = run(DAEMON, tmp_path)
    assert outcome.status == "failed"
    assert outcome.reason.startswith("left 1 processes running: ")
    assert not psutil.pid_exists(daemon(tmp_path))


def test_a_child_that_ends_a_moment_later_is_no_failure(tmp_path: Path) -> None:
    code = "import os, time\nif not os.fork():\n    time.sleep(0.05)\n    os._exit(0)"
    assert run(code, tmp_path).status == "ok"


def test_other_children_of_this_process_are_left_alone(tmp_path: Path) -> None:
    other = psutil.Popen([PYTHON, "-S", "-E", "-c", "import time; time.sleep(1000)"])
    try:
        run(DAEMON + "\ntime.sleep(1000)", tmp_path, timeout_s=1.0)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_a_shot_that_prints_without_end_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shot, "MAX_OUTPUT", 2**20)
    outcome = run("while True: print('x' * 1000)", tmp_path)
    assert (outcome.status, outcome.reason) == ("failed", "printed more than 1 MiB")


def test_a_shot_that_printed_too_much_before_it_was_looked_at_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shot, "MAX_OUTPUT", 2**20)
    monkeypatch.setattr(shot, "FIRST_SAMPLE_S", 30.0)
    outcome = run("print('x' * 3_000_000)", tmp_path)
    assert (outcome.status, outcome.reason) == ("failed", "printed more than 1 MiB")


def test_of_three_megabytes_of_errors_the_end_is_read(tmp_path: Path) -> None:
    outcome = run("import sys; sys.stderr.write('x' * 3_000_000 + 'end'); sys.exit(1)", tmp_path)
    assert outcome.stderr == ("x" * 3_000_000 + "end")[-shot.MAX_ERRORS :]
    assert len(outcome.reason) < 400 and outcome.reason.endswith("xend")


def test_a_kill_by_the_kernel_for_want_of_memory_is_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill = "import os; os.kill(os.getpid(), 9)"
    assert run(kill, tmp_path).reason == "killed by SIGKILL"
    counts = iter([3, 4])
    monkeypatch.setattr(shot, "oom_kills", lambda: next(counts))
    outcome = run(kill, tmp_path)
    assert outcome.status == "oom"
    assert outcome.reason.startswith("out of memory: ")


def test_memory_of_the_tree_is_summed(tmp_path: Path) -> None:
    code = """
import os, time
held = bytearray(60 * 2**20)
if not os.fork():
    more = bytearray(90 * 2**20)
    time.sleep(0.6)
    os._exit(0)
time.sleep(0.6)
os.wait()
"""
    # The child shares the parent's 60 MiB, and both have them resident: 60 + (60 + 90).
    peak = run(code, tmp_path).peak_rss_bytes
    assert 205 * 2**20 < peak < 300 * 2**20


def test_a_small_shot_is_not_charged_for_the_memory_of_the_runner(tmp_path: Path) -> None:
    ballast = bytearray(200 * 2**20)
    ballast[:: os.sysconf("SC_PAGE_SIZE")] = b"x" * len(ballast[:: os.sysconf("SC_PAGE_SIZE")])
    assert 0 < run("import time; time.sleep(0.1)", tmp_path).peak_rss_bytes < 50 * 2**20


def test_cpu_time_of_the_tree_is_summed(tmp_path: Path) -> None:
    code = """
import os, time
def burn():
    end = time.process_time() + 0.2
    while time.process_time() < end: pass
if not os.fork():
    if not os.fork():
        burn()
    os._exit(0)
os.wait()
burn()
time.sleep(0.3)
"""
    # The grandchild is reaped by the runner, or killed by it after the grace on a busy machine.
    outcome = run(code, tmp_path)
    assert outcome.cpu_user_s + outcome.cpu_system_s > 0.25


def test_a_shot_can_be_bound_to_cpus(tmp_path: Path) -> None:
    cpu = min(os.sched_getaffinity(0))
    outcome = run("import os; print(os.sched_getaffinity(0))", tmp_path, cpus={cpu})
    assert outcome.stdout == f"{{{cpu}}}\n"


@pytest.mark.skipif(not sandbox.version(), reason="this kernel has no Landlock")
@pytest.mark.parametrize(
    "code",
    [
        "open('{place}/new', 'w')",
        "open('{place}/old', 'a')",
        "os.truncate('{place}/old', 0)",
        "os.unlink('{place}/old')",
        "os.mkdir('{place}/folder')",
        "os.link('{place}/old', '{place}/new')",
        "os.rename('{place}/old', '{place}/new')",
        "os.rename('mine', '{place}/new')",
        "os.symlink('mine', '{place}/new')",
        "os.execvp('touch', ['touch', '{place}/new'])",
    ],
)
def test_what_is_not_writable_stays_as_it_is(tmp_path: Path, code: str) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "old").write_text("1")
    said = "import os; open('mine', 'w').close(); " + code.format(place=place)
    outcome = run(said, tmp_path, writable=[tmp_path / "scratch"])
    assert outcome.status == "failed"
    assert {path.name: path.read_text() for path in place.iterdir()} == {"old": "1"}


def test_in_its_own_folder_a_shot_does_what_it_likes(tmp_path: Path) -> None:
    code = """
import os
os.makedirs("a/b")
open("a/file", "w").write("1")
os.rename("a/file", "a/b/other")
os.link("a/b/other", "same")
os.truncate("same", 0)
os.symlink("same", "link")
os.mkfifo("pipe")
os.unlink("a/b/other")
os.rmdir("a/b")
open("/dev/null", "w").write("1")
open("/proc/self/comm", "w").write("shot")
"""
    assert run(code, tmp_path, writable=[tmp_path / "scratch"]).reason == ""


def test_an_interruption_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> str:
        deadline = time.monotonic() + 60
        while not (tmp_path / "scratch" / "daemon").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(shot._Tree, "watch", interrupt)
    before = set(psutil.Process().children(recursive=True))
    with pytest.raises(KeyboardInterrupt):
        run(DAEMON + "\ntime.sleep(1000)", tmp_path)
    assert not set(psutil.Process().children(recursive=True)) - before
