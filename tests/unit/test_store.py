"""Builds and gates are kept by content: what is done, and what is not done again."""

import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from assay.engines import build, store
from assay.system import files, machine

RECIPE = """\
echo built >> {log}
cp replay.py "$0"
ln -s replay.py "$0/link"
"""


class Project:
    """A checkout with one engine; `log` holds a word for each build and each gate that ran."""

    def __init__(self, root: Path, log: Path) -> None:
        self.engine = root / "engines" / "fake"
        self.outcomes = root / "build" / "fake" / "reference"
        self.log = log
        self.tools = {"python": "3.11", "cc": "12.2", "go": "1.26"}
        self.engine.mkdir(parents=True)
        (self.engine / "replay.py").write_text("print(1)\n")
        (self.engine / "cases.txt").write_text("one\n")
        self.write(RECIPE.format(log=log))

    def write(self, recipe: str) -> None:
        fakes = Path(__file__).parents[1] / "support" / "fakes"
        manifest = yaml.safe_load((fakes / "replay" / "engine.yaml").read_text())
        manifest["tools"] = ["cc"]
        manifest["build"]["command"] = ["sh", "-ec", recipe, "{build}"]
        manifest["verify"] = {
            "command": [
                "sh",
                "-ec",
                f"echo checked >> {self.log}; grep -q one cases.txt",
                "{build}",
            ],
            "inputs": ["cases.txt"],
            "timeout_s": 10,
        }
        (self.engine / "engine.yaml").write_text(yaml.safe_dump(manifest))

    def run(self) -> list[str]:
        """What ran when the engine was built and checked."""
        self.log.write_text("")
        found = self.outcomes.parents[1] / "tools.json"
        files.write_json(found, self.tools)
        built = self.outcomes / "build.json"
        build.build(self.engine / "engine.yaml", found, built)
        build.verify(self.engine / "engine.yaml", built, self.outcomes / "verify.json")
        return self.log.read_text().split()

    def statuses(self) -> list[str]:
        return [
            files.read_json(self.outcomes / f"{name}.json")["status"]
            for name in ("build", "verify")
        ]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "one", tmp_path / "log")


def test_what_was_built_and_checked_is_not_done_again(project: Project, tmp_path: Path) -> None:
    assert project.run() == ["built", "checked"]
    assert project.statuses() == ["ok", "ok"]
    assert project.run() == []
    assert Project(tmp_path / "clone", project.log).run() == []
    assert (tmp_path / "clone/build/fake/reference/made/link").read_text() == "print(1)\n"


def test_a_change_does_its_own_work_and_its_reversal_none(project: Project) -> None:
    first = project.run()
    (project.engine / "replay.py").write_text("print(2)\n")
    assert project.run() == first
    (project.engine / "cases.txt").write_text("one\ntwo\n")
    assert project.run() == ["checked"]
    project.tools["cc"] = "12.3"
    assert project.run() == first
    project.tools["cc"] = "12.2"
    project.tools["go"] = "1.27"  # no tool of this engine
    (project.engine / "cases.txt").write_text("one\n")
    (project.engine / "replay.py").write_text("print(1)\n")
    assert project.run() == []
    (project.engine / "README.md").write_text("Not an input.\n")
    assert project.run() == []


def test_a_build_for_the_processor_it_runs_on_is_for_no_other(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.run()
    monkeypatch.setattr(machine, "processor", lambda: {"cpu_model": "another"})
    assert project.run() == []
    (project.engine / "replay.py").write_text("# cc -march=native\n")
    project.run()
    monkeypatch.setattr(machine, "processor", lambda: {"cpu_model": "a third"})
    assert project.run() == ["built", "checked"]


def test_what_fails_is_not_kept(project: Project) -> None:
    project.write(f"echo built >> {project.log}; exit 1")
    assert project.run() == ["built"]
    assert project.statuses() == ["failed", "failed"]
    assert project.run() == ["built"]
    assert not (project.outcomes / "made").exists()
    project.write(RECIPE.format(log=project.log))
    (project.engine / "cases.txt").write_text("two\n")
    assert project.run() == ["built", "checked"]
    assert project.statuses() == ["ok", "failed"]
    assert project.run() == ["checked"]


def test_a_failed_build_takes_the_link_to_the_former_with_it(project: Project) -> None:
    project.run()
    project.write("exit 1")
    project.run()
    assert not (project.outcomes / "made").is_symlink()


def test_a_damaged_build_is_made_again(project: Project) -> None:
    def flip(path: Path) -> None:
        times = path.stat()
        path.chmod(0o600)
        path.write_bytes(path.read_bytes().replace(b"1", b"3"))
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    project.run()
    made = (project.outcomes / "made").resolve()
    flip(made / "replay.py")
    assert project.run() == ["built", "checked"]
    assert (made / "replay.py").read_text() == "print(1)\n"
    (made.parent / "build.json").write_text('{"status":')
    assert project.run() == ["built", "checked"]


def test_a_build_is_read_only_and_a_gate_that_changes_it_fails(project: Project) -> None:
    project.run()
    made = (project.outcomes / "made").resolve()
    assert not any(path.stat().st_mode & 0o222 for path in [made, made / "replay.py"])
    text = (project.engine / "engine.yaml").read_text()
    text = text.replace("grep -q", "chmod u+w $0; touch $0/left; grep -q")
    (project.engine / "engine.yaml").write_text(text)
    assert project.run() == ["checked"]
    assert (
        "the gate changed the build" in files.read_json(project.outcomes / "verify.json")["reason"]
    )


def started(project: Project, out: Path) -> subprocess.Popen[bytes]:
    """A process that builds, with its outcome in the folder `out`."""
    found = out.parent / "tools.json"
    files.write_json(found, project.tools)
    paths = [project.engine / "engine.yaml", found, out / "build.json"]
    # SIGINT as at a terminal: who starts the tests in the background has it ignored.
    command = ["env", "--default-signal=INT", sys.executable, "-m", "assay", "build"]
    return subprocess.Popen([*command, *map(str, paths)])


def test_a_killed_build_leaves_nothing_that_counts(project: Project, tmp_path: Path) -> None:
    project.write(f"cp replay.py $0; echo built >> {project.log}; sleep 60")
    runner = started(project, tmp_path / "out")
    while not project.log.exists():
        time.sleep(0.02)
    runner.send_signal(signal.SIGINT)
    runner.wait()
    assert list(store.home().glob("builds/fake/reference/*/made/replay.py"))
    assert not list(store.home().glob("builds/fake/reference/*/build.json"))
    assert not (tmp_path / "out").exists()
    project.write(RECIPE.format(log=project.log))
    assert project.run() == ["built", "checked"]


def test_of_two_processes_one_builds(project: Project, tmp_path: Path) -> None:
    project.write(f"echo built >> {project.log}; sleep 0.5; cp replay.py $0")
    runners = [started(project, tmp_path / name) for name in ("first", "second")]
    assert [runner.wait() for runner in runners] == [0, 0]
    assert project.log.read_text().split() == ["built"]
    assert (tmp_path / "first/made").resolve() == (tmp_path / "second/made").resolve()


def test_what_was_not_used_for_long_goes_first_and_what_is_in_use_stays(project: Project) -> None:
    for number in range(3):
        (project.engine / "replay.py").write_text(f"print({number})\n")
        project.run()
    oldest, middle, newest = [each for each in store.kept() if each.path.parts[-4] == "builds"]
    with store.using([oldest.path]):
        removed = store.bound(oldest.bytes + newest.bytes)
        assert middle.path in [each.path for each in removed]
        assert newest.path.exists()
        store.bound(0)
        assert [each.path for each in store.kept()] == [oldest.path]
    assert not (project.outcomes / "build.json").exists()  # so Snakemake makes it again
    assert project.run() == ["built", "checked"]


def test_what_shots_share_stays_while_it_is_in_use(project: Project) -> None:
    project.run()
    [build] = [each.path for each in store.kept() if each.path.parts[-4] == "builds"]
    shared = store.shared(build)
    assert platform.node() in shared.parts, "two nodes of a cluster never open the same one"
    shared.mkdir(parents=True)
    (shared / "1000").write_text("a thousand resources")
    with store.using([build]):
        store.bound(0)
        assert shared.exists()
    assert shared in [each.path for each in store.bound(0)]
    assert not shared.exists()


def test_what_a_build_removes_while_its_folder_is_measured_is_passed_over(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.run()
    (store.home() / "cargo" / "fake").mkdir(parents=True)
    walk = os.walk
    monkeypatch.setattr(
        os, "walk", lambda at: ((a, f, [*names, "gone.o"]) for a, f, names in walk(at))
    )
    assert store.home() / "cargo" / "fake" in [each.path for each in store.kept()]


@pytest.mark.parametrize("how", ["gone", "changed"])
def test_a_session_wants_its_builds_as_they_were_made(project: Project, how: str) -> None:
    project.run()
    made = (project.outcomes / "made").resolve()
    if how == "gone":
        store.bound(0)
    else:
        (made / "replay.py").chmod(0o600)
        (made / "replay.py").write_text("print(3)\n")
    with pytest.raises(ValueError, match="as it was made"), store.using([made.parent]):
        pass
    assert not (project.outcomes / "build.json").exists()  # so Snakemake makes it again
    assert project.run() == ["built", "checked"]


def test_the_place_of_the_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ASSAY_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert store.home() == tmp_path / "assay"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert store.home() == tmp_path / ".cache" / "assay"
    shutil.rmtree(store.home(), ignore_errors=True)
    assert store.kept() == []
