"""Sessions: every shot is a line, a killed session goes on, one machine runs one session."""

import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import fakes
import installed
import psutil
import pytest

from assay.analyse import collect
from assay.measure import lock, noise, origin, profile, sandbox
from assay.measure.noise import Calibration, Counters
from assay.measure.progress import Progress
from assay.raw import harness, shotlog
from assay.system import files, machine

Row = dict[str, Any]

# Runs the session of the plan in a project, in a process that a test can kill. A shot leaves a mark
# there that the test waits for.
RUNNER = """
import sys
from contextlib import nullcontext
from pathlib import Path
from assay.measure import sandbox, session
sandbox.rules = lambda _: nullcontext()
root = Path(sys.argv[1])
session.run(root / "data/plan.json", root / "data/pointer.json", root, root / "lock", 0)
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))  # no store of an earlier run
    fakes.project(tmp_path, {"reference": 1, "slow": 2})
    return tmp_path


def rows(folder: Path) -> list[Row]:
    return [json.loads(line) for line in (folder / "shots.jsonl").read_text().splitlines()]


def rekeyed(made: Any) -> Any:
    return made | {"key": shotlog.key(made)}


def change(made: Row, engine: str, **changes: Any) -> Row:
    """A plan in which the shots of an engine are others."""
    shots = [s | changes if s["engine"] == engine else s for s in made["shots"]]
    return rekeyed(made | {"shots": shots})


def python(code: str) -> list[str]:
    return ["python3", "-S", "-E", "-c", code.replace("{", "{{").replace("}", "}}")]


def test_every_shot_of_the_plan_is_a_line(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = fakes.made_plan(root, fakes.study())
    folder = fakes.measured(root, made)
    lines = rows(folder)
    assert [line["id"] for line in lines] == [shot["id"] for shot in made["shots"]]
    assert Counter(line["status"] for line in lines) == {"ok": 6}
    for line, shot in zip(lines, made["shots"], strict=True):
        assert all(line[key] == shot[key] for key in shot.keys() - {"argv", "env"})
        assert line["argv"][3] == str(
            root.joinpath("build/fake", line["engine"], "made").resolve() / "replay.py"
        )
        assert line["env"]["GOMAXPROCS"] == str(len(os.sched_getaffinity(0)))
        assert line["profile_applied"].keys() == {"threads"}
        assert line["profile_not_applied"] == {}
        assert line["engine_hash"] == made["engines"][line["engine"]]["source_hash"]
        assert line["before"].keys() == line["after"].keys() >= {"load1", "calibration_cpu_s"}
        assert line["noisy"] == bool(line["noise"])
        assert line["cpu_user_s"] + line["cpu_system_s"] > 0
        assert line["peak_rss_bytes"] > 2**20
        factor = {"reference": 1, "slow": 2}[line["engine"]]
        time_ns = harness.parse("gobench", line["native"])[0].value
        assert time_ns == pytest.approx(100 * factor, rel=0.2)
    pointer = files.read_json(root / "data" / "pointer.json")
    assert root / pointer["session_dir"] == folder
    assert folder.parts[-3:] == ("fake", "native", made["key"])
    assert {k: pointer[k] for k in ("shots", "failed", "refused")} == {
        "shots": 6,
        "failed": 0,
        "refused": 0,
    }
    assert files.read_json(folder / "plan.json") == made
    assert not list(machine.scratch(root).iterdir())
    assert f"raw data is in {pointer['session_dir']}" in capsys.readouterr().out


def test_the_same_plan_gives_the_same_scripted_numbers(root: Path) -> None:
    made = fakes.made_plan(root, fakes.study(blocks=1))
    first = fakes.measured(root, made)
    native = [line["native"] for line in rows(first)]
    (first / "shots.jsonl").unlink()
    assert [line["native"] for line in rows(fakes.measured(root, made))] == native


def test_a_complete_session_is_not_run_again(root: Path) -> None:
    made = fakes.made_plan(root, fakes.study(blocks=1))
    before = (fakes.measured(root, made) / "shots.jsonl").stat()
    after = (fakes.measured(root, made) / "shots.jsonl").stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


def test_the_origin_is_that_of_the_beginning(root: Path) -> None:
    git = [installed.program("git", "git"), "-c", "user.name=A", "-c", "user.email=a@b"]
    git += ["-C", str(root)]
    (root / ".gitignore").write_text("/*\n!/config/\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    made = fakes.made_plan(root, fakes.study(blocks=1))
    log = fakes.measured(root, made) / "shots.jsonl"
    begun = files.read_json(log.with_name("origin.json"))
    assert (begun["commit"], begun["dirty"]) == (head.stdout.strip(), False)
    assert "tier=smoke" in begun["command"]
    log.write_bytes(b"")
    (root / "config" / "study.yaml").write_text("# changed since\n")
    fakes.measured(root, made)
    assert files.read_json(log.with_name("origin.json")) == begun


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ""),
        ({"tier": "full"}, " --config tier=full"),
        ({"peers": "all", "seed": 7}, " --config peers=all seed=7"),
        ({"exclude": ["a/b"]}, """ --config 'exclude=["a/b"]'"""),
        ({"blocks": {"full": 20}}, """  # config/study.yaml: blocks: {"full": 20}"""),
    ],
)
def test_the_command_holds_every_setting_that_is_not_usual(changes: Row, expected: str) -> None:
    usual = {"tier": "standard", "peers": "tier", "exclude": [], "seed": 1, "blocks": {"full": 12}}
    command = origin.command(usual | changes, usual)
    assert command == "./run snakemake --cores all" + expected


def test_a_torn_line_is_cut_and_its_shot_repeated(root: Path) -> None:
    made = fakes.made_plan(root, fakes.study())
    log = fakes.measured(root, made) / "shots.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:4]) + lines[4][:50])
    fakes.measured(root, made)
    assert log.read_bytes().splitlines(keepends=True)[:4] == lines[:4]
    assert [line["id"] for line in rows(log.parent)] == [shot["id"] for shot in made["shots"]]


def test_a_broken_line_in_the_middle_is_an_error(root: Path) -> None:
    made = fakes.made_plan(root, fakes.study(blocks=1))
    log = fakes.measured(root, made) / "shots.jsonl"
    log.write_bytes(b"{}}\n" + log.read_bytes())
    with pytest.raises(ValueError, match=r"shots\.jsonl: line 1: expected JSON"):
        fakes.measured(root, made)


def test_an_edited_plan_is_refused(root: Path) -> None:
    made = fakes.made_plan(root, fakes.study(blocks=1))
    with pytest.raises(ValueError, match=r"plan\.json: key: expected \w{16} of such a plan, found"):
        fakes.measured(root, made | {"seed": 3})


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_session_goes_on_with_the_first_missing_shot(root: Path, how: int) -> None:
    made = fakes.made_plan(root, fakes.study())
    # The fifth shot waits until it is killed; when it is run again it finds that it was here.
    waits = f"""
import os, pathlib, time
here = pathlib.Path({str(root)!r}, "here")
if not here.exists():
    here.write_text(str(os.getpid()))
    time.sleep(1000)
print("BenchmarkA 1 1 ns/op")
"""
    made["shots"][4] = made["shots"][4] | {"argv": python(waits), "timeout_s": 1000}
    made = rekeyed(made)
    files.write_json(root / "data" / "plan.json", made)
    runner = subprocess.Popen(
        [sys.executable, "-c", RUNNER, root], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    here = root / "here"
    while not (here.exists() and here.read_text()):
        assert runner.poll() is None
        time.sleep(0.02)
    runner.send_signal(how)
    _, printed = runner.communicate()
    if how != signal.SIGKILL:
        assert b"Stopped after 4 of 6 shots; the same command goes on" in printed
        assert runner.returncode == 128 + how
    psutil.wait_procs([p for p in [_process(int(here.read_text()))] if p], timeout=60)
    assert not psutil.pid_exists(int(here.read_text()))
    assert not (root / "data" / "pointer.json").exists()
    log = next((root / "data" / "raw").rglob("shots.jsonl"))
    first = log.read_bytes()
    assert first.count(b"\n") == 4
    fakes.measured(root, made)
    assert log.read_bytes().startswith(first)
    assert [line["id"] for line in rows(log.parent)] == [shot["id"] for shot in made["shots"]]


def _process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None


def test_a_refused_engine_gives_rows_with_the_reason(root: Path) -> None:
    path = root / "engines/fake/peers/slow/engine.yaml"
    path.write_text(path.read_text().replace("- 'true'", "- 'false'"))
    made = fakes.made_plan(root, fakes.study(blocks=1))
    lines = {line["engine"]: line for line in rows(fakes.measured(root, made))}
    assert lines["slow"]["status"] == "refused"
    assert lines["slow"]["reason"].startswith("the correctness gate failed: exit code 1")
    assert lines["reference"]["status"] == "ok"
    assert files.read_json(root / "data" / "pointer.json")["refused"] == 1


@pytest.mark.parametrize(
    ("changes", "status", "reason"),
    [
        ({"argv": ["absent-program"]}, "failed", "cannot start absent-program: No such file"),
        ({"argv": python("raise SystemExit('wrong sum')")}, "failed", "exit code 1: wrong sum"),
        ({"argv": python("import os; os.abort()")}, "failed", "killed by SIGABRT"),
        (
            {"argv": python("import time; time.sleep(1000)"), "timeout_s": 0.5},
            "timeout",
            "not finished after 0.5 s",
        ),
        ({"setup": python("raise SystemExit('full')")}, "failed", "setup: exit code 1: full"),
        (
            {"harness": "hyperfine", "argv": python("import sys; print('no file'); sys.exit(3)")},
            "failed",
            "Command terminated with non-zero exit code 3: no file",
        ),
    ],
)
def test_a_failure_is_a_line_and_not_the_end(
    root: Path, changes: Row, status: str, reason: str
) -> None:
    made = change(fakes.made_plan(root, fakes.study(blocks=1)), "slow", **changes)
    lines = rows(fakes.measured(root, made))
    assert Counter(line["status"] for line in lines) == {"ok": 2, status: 1}
    [failed] = [line for line in lines if line["status"] != "ok"]
    assert failed["reason"].startswith(reason)
    assert files.read_json(root / "data" / "pointer.json")["failed"] == 1
    assert not list(machine.scratch(root).iterdir())


def test_what_ends_a_session_is_the_reason_of_its_missing_shots_until_it_goes_on(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = fakes.made_plan(root, fakes.study())
    append, room = shotlog.append, iter([True, True])

    def full_after_two(*arguments: Any) -> str:
        if next(room, False):
            return append(*arguments)
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(shotlog, "append", full_after_two)
        folder = fakes.measured(root, made)
    pointer = files.read_json(root / "data" / "pointer.json")
    assert (pointer["shots"], pointer["failed"]) == (6, 4)
    table, about = collect.session(folder)
    ended = "the session ended early: OSError: [Errno 28] No space left on device"
    assert table.groupby("shot")["reason"].first().value_counts().to_dict() == {"": 2, ended: 4}
    assert about["stopped"] == ended

    table, about = collect.session(fakes.measured(root, made))
    assert (set(table["status"]), about["stopped"]) == ({"ok"}, "")


def test_hyperfine_is_called_once_on_what_the_setup_left(root: Path) -> None:
    made = change(
        fakes.made_plan(root, fakes.study(blocks=1)),
        "slow",
        harness="hyperfine",
        setup=python("open('a file', 'w').write('{1}')"),
        argv=python("assert open('a file').read() == '{1}'; open('runs', 'x')"),
    )
    [line] = [line for line in rows(fakes.measured(root, made)) if line["engine"] == "slow"]
    assert line["reason"] == ""
    [record] = harness.parse("hyperfine", line["native"])
    assert 0 < record.value < line["wall_s"]


def test_the_environment_is_built_and_not_inherited(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "77")
    monkeypatch.setenv("SNAKEMAKE_THING", "x")
    code = "import json, os; print(json.dumps({**os.environ, 'cwd': os.getcwd()}))"
    made = change(fakes.made_plan(root, fakes.study(blocks=1)), "slow", argv=python(code))
    [line] = [line for line in rows(fakes.measured(root, made)) if line["engine"] == "slow"]
    seen = json.loads(line["native"])
    assert seen["OMP_NUM_THREADS"] == str(len(os.sched_getaffinity(0)))
    assert len(seen.pop("ASSAY_PADDING")) == line["padding"]
    scratch = machine.scratch(root) / line["id"]
    assert seen.pop("cwd") == seen["TMPDIR"] == seen["HOME"] == line["cwd"] == str(scratch)
    seen.pop("LC_CTYPE", None)  # Python sets it for itself
    assert seen == line["env"]


@pytest.mark.skipif(not sandbox.version(), reason="this kernel has no Landlock")
def test_a_shot_writes_to_its_own_folders_only(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("shared")
    leaves = python(f"open('{place}/answer', 'w')")
    made = change(fakes.made_plan(root, fakes.study(blocks=1)), "slow", argv=leaves)
    [line] = [line for line in rows(fakes.measured(root, made)) if line["engine"] == "slow"]
    assert line["status"] == "failed" and "Permission denied" in line["reason"]
    assert list(place.iterdir()) == []


def test_what_shots_share_they_make_in_the_stores_of_their_engine(root: Path) -> None:
    code = "import sys; open(f'{sys.argv[1]}/made', 'w'); print('BenchmarkA 1 1 ns/op')"
    made = change(fakes.made_plan(root, fakes.study()), "slow", argv=[*python(code), "{stores}"])
    assert {line["reason"] for line in rows(fakes.measured(root, made))} == {""}


def test_the_time_in_which_a_store_is_made_is_told(root: Path) -> None:
    makes = "import pathlib, sys; pathlib.Path(sys.argv[1]).mkdir(exist_ok=True)"
    setup = [*python(makes), "{stores}/10"]
    made = change(fakes.made_plan(root, fakes.study()), "slow", setup=setup)
    first, *others = [line for line in rows(fakes.measured(root, made)) if line["setup"]]
    assert 0 < first["store_s"] < first["took_s"]
    assert others and not any("store_s" in line for line in others)


def test_what_a_shot_leaves_outside_of_its_folders_is_told_where_the_kernel_does_not_refuse_it(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.measure.sandbox.rules", lambda _: nullcontext())
    place = tmp_path_factory.mktemp("shared")
    monkeypatch.setattr("assay.raw.outside.places", lambda: [place])
    leaves = f"import os; open('{place}/answer', 'a').write('1'); print('BenchmarkA 1 1 ns/op')"
    made = change(fakes.made_plan(root, fakes.study()), "slow", argv=python(leaves))
    folder = fakes.measured(root, made)
    told = {line["engine"]: line["outside"] for line in rows(folder)}
    assert told == {"reference": [], "slow": [f"{place}/answer"]}
    collect.collect([folder], root / "tidy")
    about = files.read_json(root / "tidy" / "session.json")
    assert about["outside"] == {"slow": [f"{place}/answer"]}


def test_a_session_waits_for_the_machine_and_says_who_has_it(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = fakes.made_plan(root, fakes.study(blocks=1))
    holder = lock.held("a test", root / "lock")
    holder.__enter__()

    def release(_: float) -> None:
        monkeypatch.undo()
        holder.__exit__(None, None, None)

    monkeypatch.setattr("assay.measure.lock.time.sleep", release)
    fakes.measured(root, made)
    expected = f"Waiting for the machine: a test, process {os.getpid()} holds {root / 'lock'}"
    assert expected in capsys.readouterr().out


def test_what_a_killed_runner_left_behind_keeps_the_machine(tmp_path: Path) -> None:
    with lock.held("a test", tmp_path / "lock") as held:
        left = subprocess.Popen(["sleep", "1000"], pass_fds=[held])
    try:
        second = os.open(tmp_path / "lock", os.O_RDWR)
        assert not lock._taken(second)
    finally:
        left.kill()
        left.wait()
    assert lock._taken(second)
    os.close(second)


def readings(*values: tuple[float, float, float, float]) -> Any:
    return iter([Counters(*value) for value in values]).__next__


def test_the_gate_waits_for_quiet_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("assay.measure.noise.time.sleep", slept.append)
    busy, quiet = [(0, 0, 0, 0), (1, 0.5, 0.1, 0.2)], [(0, 0, 0, 0), (1, 0.01, 0, 0)]
    monkeypatch.setattr(Counters, "read", readings(*busy, *busy, *quiet))
    assert noise.Gate(patience_s=10).wait() == []
    assert len(slept) == 3
    monkeypatch.setattr(Counters, "read", readings(*busy))
    assert noise.Gate(patience_s=0).wait() == [
        "before the block, other processes used 0.50 CPUs",
        "before the block, the host took 0.10 CPUs",
        "before the block, processes waited for a CPU in 20% of the time",
    ]


def test_only_the_work_of_others_is_noise() -> None:
    before, after = Counters(0, 0, 0, 0), Counters(2, 2.0, 0, 2)
    assert noise.disturbances(before, after, own_s=1.9) == []
    assert noise.disturbances(before, after, own_s=1.0) == ["other processes used 0.50 CPUs"]


def test_a_change_of_speed_is_noise() -> None:
    assert noise.drift(Calibration(1.0, 0), Calibration(1.05, 0)) == []
    assert noise.drift(Calibration(1.0, 0), Calibration(1.2, 0)) == [
        "the calibration loop took +20% after the shot"
    ]


def test_a_profile_says_what_it_could_not_apply() -> None:
    usable = os.sched_getaffinity(0)
    done = profile.apply({"threads": 3, "cpus": [min(usable)]})
    assert (done.threads, done.cpus) == (3, frozenset({min(usable)}))
    assert not done.not_applied
    assert profile.apply({"threads": "all", "cpus": [min(usable)]}).threads == 1
    missed = profile.apply({"threads": "all", "cpus": [4095]})
    assert (missed.threads, missed.cpus) == (len(usable), frozenset())
    assert missed.not_applied == {"cpus": "CPU 4095 cannot be used by this process"}


def test_progress_stays_in_place_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shots = [
        {"id": f"{i}", "block": i, "workload": "w", "engine": "e", "variant": {"a": i}}
        for i in range(2)
    ]
    expected = {"0": 60.0, "1": 60.0}
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setattr("assay.measure.progress.time.monotonic", iter([0.0, 0.0, 100.0]).__next__)
    progress = Progress({"subsystem": "s", "profile": "p", "blocks": 2, "shots": shots}, expected)
    progress.begin(shots[0])
    progress.end(shots[0])
    progress.begin(shots[1])
    progress.close()
    assert terminal.getvalue() == (
        "\r\033[Ks/p: block 1/2, shot 1/2, about 2 min left; w e a=0"
        "\r\033[Ks/p: block 2/2, shot 2/2, about 80 s left; w e a=1\n"
    )


def test_progress_is_a_line_now_and_then(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = fakes.made_plan(root, fakes.study(blocks=2))
    fakes.measured(root, made)
    first, *_ = capsys.readouterr().out.splitlines()
    shot = made["shots"][0]
    assert first == (
        f"fake/native: block 1/2, shot 1/6, about 1 s left; {shot['workload']} {shot['engine']}"
    )
