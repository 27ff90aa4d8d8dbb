"""The pipeline from end to end, on two small subsystems of fake engines that replay scripted times.

In subsystem `fake` a peer is planted that takes twice the time of the reference engine. The A/A arm
of each reference engine has a planted difference of zero.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import installed
import nbformat
import pandas as pd
import pytest
import yaml
from playwright.sync_api import Browser, Locator
from playwright.sync_api import TimeoutError as Late

ROOT = Path(__file__).parents[2]
REPLAY = ROOT / "tests" / "support" / "fakes" / "replay"

T = TypeVar("T")
Broken = tuple[Path, subprocess.CompletedProcess[str]]

NOTEBOOK = """
from pathlib import Path
import matplotlib.pyplot as plt
import pandas as pd
table = pd.read_parquet(Path(data) / "{subsystem}" / "estimates.parquet")
table.plot.scatter("scale", "median")
Path(figures).mkdir(parents=True, exist_ok=True)
plt.savefig(Path(figures) / "medians.svg")
"""


CLAIMS = """\
subsystem: fake
claims:
  - id: slower
    claim: The peer takes longer.
    source: {report: A report, section: A section}
    workload: replay
    cell: {engine: slower}
    base: {engine: reference}
    comparator: above
    value: 1
  - id: faster
    claim: The peer takes less time.
    source: {report: A report, section: A section}
    workload: replay
    cell: {engine: slower}
    base: {engine: reference}
    comparator: below
    value: 1
"""


def add_engine(folder: Path, **changes: object) -> None:
    """A replay engine in `folder`, whose manifest is changed at dotted keys."""
    shutil.copytree(REPLAY, folder)
    manifest = yaml.safe_load((folder / "engine.yaml").read_text())
    for name, value in changes.items():
        at = manifest
        *path, last = name.split(".")
        for key in path:
            at = at[int(key) if key.isdigit() else key]
        at[last] = value
    (folder / "engine.yaml").write_text(yaml.safe_dump(manifest))


def add_peer(home: Path, name: str, **changes: object) -> None:
    identity = {"name": name, "role": "peer", "version": "1.0", "weight": "light"}
    add_engine(
        home / "peers" / name, subsystem=home.name, title=f"Fake {name}", **identity, **changes
    )


def add_notebook(project: Path, name: str, code: str) -> None:
    parameters = nbformat.v4.new_code_cell('data = "../data/tidy"\nfigures = "../figures"')
    parameters.metadata["tags"] = ["parameters"]
    notebook = nbformat.v4.new_notebook(
        cells=[parameters, nbformat.v4.new_code_cell(code)],
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
    )
    nbformat.write(notebook, project / "notebooks" / f"{name}.ipynb")


def make_project(project: Path) -> Path:
    """The project with the subsystems `fake` and `other` in the place of the real ones."""
    shutil.copy(ROOT / "Snakefile", project)
    compiled = shutil.ignore_patterns("__pycache__")  # other tests write there at this time
    for name in ("assay", "workflow", "config", "profiles", "notebooks"):
        shutil.copytree(ROOT / name, project / name, ignore=compiled)
    (project / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "design.md", project / "docs")
    (project / "data" / "published").mkdir(parents=True)
    noise = project / "assay" / "measure" / "noise.py"
    patient = noise.read_text()
    hasty = patient.replace("PATIENCE_S = 60.0", "PATIENCE_S = 0.0")
    assert hasty != patient
    noise.write_text(hasty)  # replayed times do not need the quiet that other tests do not leave
    study = yaml.safe_load((project / "config" / "study.yaml").read_text())
    study["subsystems"] = ["fake", "other"]
    study["more_profiles"] = {tier: {} for tier in study["more_profiles"]}
    (project / "config" / "study.yaml").write_text(yaml.safe_dump(study))
    for subsystem in study["subsystems"]:
        add_engine(project / "engines" / subsystem, subsystem=subsystem)
    add_notebook(project, "fake", NOTEBOOK.format(subsystem="fake"))
    return project


def snakemake(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["snakemake", "--cores", "2", *arguments]
    return subprocess.run(
        command, cwd=project, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def jobs(project: Path, *arguments: str) -> dict[str, int]:
    """What the next run would do: rule to number of jobs."""
    listed = snakemake(project, "--dry-run", *arguments).stdout
    table = listed.split("Job stats:")[-1].split("\n\n")[0]
    counts = dict(re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE))
    return {rule: int(n) for rule, n in counts.items() if rule not in ("total", "all")}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that ran to its end, with a planted peer that is twice as slow."""
    project = make_project(tmp_path_factory.mktemp("study"))
    slower = yaml.safe_load((REPLAY / "engine.yaml").read_text())["benches"][0]["command"]
    slower = [word.replace("--factor=1", "--factor=2") for word in slower]
    add_peer(project / "engines" / "fake", "slower", **{"benches.0.command": slower})
    (project / "config" / "claims" / "fake.yaml").write_text(CLAIMS)
    result = snakemake(project)
    assert result.returncode == 0, result.stdout
    return project


def test_every_report_arrives(study: Path) -> None:
    assert {page.name for page in (study / "reports").glob("*.html")} == {
        "index.html",
        "overview.html",
        "claims.html",
        "method.html",
        "profiles.html",
        "fake.html",
        "other.html",
    }
    assert (study / "figures" / "fake" / "medians.svg").exists()


def test_a_subsystem_without_a_notebook_has_the_page_of_the_template(study: Path) -> None:
    """Its name, what was found, its figure with its values, its engines."""
    page = (study / "reports" / "other.html").read_text()
    assert "<title>other · Assay</title>" in page and "<h1>other</h1>" in page
    assert "run twice under two labels in 2 cells" in page
    assert 'id="figure-noise"' in page and "Values of figure noise" in page
    assert "Engines of the plan of other" in page
    assert (study / "reports" / "figures" / "other" / "noise.svg").exists()


def test_a_planted_slowdown_is_found_and_a_planted_null_is_not(study: Path) -> None:
    ratios = pd.read_parquet(study / "data" / "tidy" / "fake" / "ratios.parquet")
    times = ratios[ratios["metric"] == "time"]
    planted = times[times["engine"] == "slower"]
    assert len(planted) == 2
    assert (planted["verdict"] == "slower").all()
    assert planted["ratio"].between(1.9, 2.1).all()
    assert (planted["ci_low"] > 1.8).all() and (planted["ci_high"] < 2.2).all()
    null = times[times["kind"] == "aa"]
    assert len(null) == 2  # both cells: fewer than six would say little of noise
    assert (null["verdict"] == "within noise").all()


def test_claims_about_the_planted_slowdown_are_judged(study: Path) -> None:
    verdicts = pd.read_parquet(study / "data" / "tidy" / "fake" / "verdicts.parquet")
    said = verdicts.groupby("claim")["verdict"].unique().map(list).to_dict()
    assert said == {"slower": ["supported"], "faster": ["contradicted"]}
    waiting = pd.read_parquet(study / "data" / "tidy" / "acp" / "verdicts.parquet")
    assert set(waiting["verdict"]) == {"inconclusive", "not testable here"}
    page = (study / "reports" / "claims.html").read_text()
    assert 'Contradicted:<ul><li><a href="#claim-fake-faster-' in page


def test_a_subsystem_is_built_after_the_session_of_the_one_before_it(study: Path) -> None:
    first = (study / "data" / "sessions" / "fake.native.json").stat().st_mtime
    second = (study / "build" / "other" / "reference" / "build.json").lstat().st_mtime
    assert first < second


def test_a_session_that_is_asked_for_by_name_waits_for_no_other_subsystem(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    assert jobs(project, "data/sessions/other.native.json") == {
        "turn": 1,
        "engine": 1,
        "verification": 1,
        "plan": 1,
        "session": 1,
    }


def test_what_changed_in_two_subsystems_is_done_by_one_run(tmp_path: Path) -> None:
    """What is to be done of the second hides behind the turn that it waits for."""
    project = make_project(tmp_path)
    first = snakemake(project, "--until", "measurements")
    assert first.returncode == 0, first.stdout
    plans = [project / "data" / "plans" / f"{name}.native.json" for name in ("fake", "other")]
    before = [plan.read_text() for plan in plans]
    for name in ("fake", "other"):
        engine = project / "engines" / name / "replay.py"
        engine.write_text(engine.read_text() + "# changed\n")
    second = snakemake(project, "--until", "measurements")
    assert second.returncode == 0, second.stdout
    for plan, old in zip(plans, before, strict=True):
        assert plan.read_text() != old, second.stdout
    assert jobs(project, "--until", "measurements") == {}


def test_the_second_run_does_nothing(study: Path) -> None:
    assert "Nothing to be done" in snakemake(study).stdout


def test_a_part_of_the_study_is_a_study_of_its_own(study: Path) -> None:
    """Other tools are asked for then: that must not hide what is to be done."""
    done = jobs(study, "--config", "subsystems=[fake]")
    assert done["complete"] == 1
    assert "engine" not in done


def test_editing_a_notebook_renders_one_report_again(study: Path) -> None:
    path = study / "notebooks" / "fake.ipynb"
    before = path.read_text()
    path.write_text(before.replace("plt.savefig", "plt.grid(); plt.savefig"))
    assert jobs(study) == {"figures": 1, "report": 1, "index": 1, "complete": 1}
    path.write_text(before)
    assert jobs(study) == {}


OF_AN_ENGINE = {
    "engine": 1,
    "verification": 1,
    "plan": 1,
    "session": 1,
    "measurements": 1,
    "estimates": 1,
    "numbers": 1,
    "figures": 5,
    "report": 5,  # overview, claims, profiles and method read all
    "index": 1,
    "complete": 1,
}
"""The work that follows when one of a subsystem is built."""


def test_editing_an_engine_measures_its_subsystem_again(study: Path) -> None:
    path = study / "engines" / "other" / "replay.py"
    before = path.read_text()
    path.write_text(before + "# changed\n")
    assert jobs(study) == OF_AN_ENGINE
    path.write_text(before)
    assert jobs(study) == {}


PAGES = {"numbers": 2, "figures": 6, "report": 6, "index": 1, "complete": 1}
"""The work of rendering all: two subsystems, the overview, claims, method, profiles."""
OF_ALL = {"figures": 4, "report": 4, "index": 1, "complete": 1}
"""That of the pages of all subsystems."""


@pytest.mark.parametrize(
    ("part", "redone"),
    [
        ("present/subsystems/rewardpool/figures.py", {}),  # of a subsystem that is not in the study
        ("present/pages/claims.py", OF_ALL),
        ("present/pages/estimates.py", OF_ALL | {"numbers": 2}),
        ("present/kit/style.py", PAGES),
        ("published/slips.py", PAGES),
        ("calibration/simulation.py", OF_ALL),
        ("analyse/session.py", {"verdicts": 6} | PAGES),
        ("pipeline/outcome.py", {"index": 1, "complete": 1}),
        ("analyse/judge.py", {"verdicts": 6} | OF_ALL | {"figures": 5, "report": 5}),
        ("inputs/claims.py", {"estimates": 2, "verdicts": 6} | PAGES),
        ("analyse/scaling.py", {"estimates": 2, "verdicts": 6} | PAGES),
        ("raw/harness/jsonlines.py", {"measurements": 2, "estimates": 2, "verdicts": 1} | PAGES),
    ],
)
def test_editing_a_part_of_the_harness_does_its_work_again(
    study: Path, part: str, redone: dict[str, int]
) -> None:
    path = study / "assay" / part
    before = path.read_text()
    path.write_text(before + "# changed\n")
    assert jobs(study) == redone
    path.write_text(before)


@pytest.mark.parametrize(
    ("path", "made"),
    [
        ("reports/fake.html", {"report": 1, "index": 1, "complete": 1}),
        ("reports/figures/fake", {"report": 1, "index": 1, "complete": 1}),
        ("reports/estimates/fake.html", {"numbers": 1, "index": 1, "complete": 1}),
        ("build/other/reference/build.json", OF_AN_ENGINE),
    ],
)
def test_what_was_deleted_is_made_again(
    study: Path, tmp_path: Path, path: str, made: dict[str, int]
) -> None:
    kept = (study / path).rename(tmp_path / "kept")
    assert jobs(study) == made
    kept.rename(study / path)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (b"seed: 1\n", "seed: expected each key once, found it in line"),
        (b"# \xff\n", "expected UTF-8, found byte 0xff"),
    ],
)
def test_a_study_whose_file_is_not_read_as_it_is_written_stops_the_run(
    study: Path, wrong: bytes, problem: str
) -> None:
    """Snakemake, which reads it, takes the last of two keys."""
    path = study / "config" / "study.yaml"
    before = path.read_bytes()
    path.write_bytes(before + wrong)
    result = snakemake(study, "--dry-run")
    path.write_bytes(before)
    assert result.returncode != 0
    line = before.count(b"\n") + 1
    assert f"config/study.yaml:{line}: {problem}" in result.stdout


def test_the_dry_run_tells_in_sentences_what_will_be_done(study: Path) -> None:
    path = study / "notebooks" / "fake.ipynb"
    before = path.read_text()
    path.write_text(before.replace("plt.savefig", "plt.grid(); plt.savefig"))
    listed = snakemake(study, "--dry-run").stdout
    path.write_text(before)
    assert "Run notebook fake and draw its figures" in listed


def test_an_analyst_edits_a_cell_in_jupyterlab_and_renders_the_report(
    study: Path, lab: str, browser: Browser
) -> None:
    """The last test of this study: what was edited stays."""
    path = study / "notebooks" / "fake.ipynb"
    page = browser.new_page()
    page.set_default_timeout(300_000)  # ms: only what hangs takes so long
    page.goto(f"{lab}/lab/tree/fake.ipynb?token=analyst")
    parameters, cell = (page.locator(".jp-Notebook .jp-CodeCell").nth(nth) for nth in (0, 1))
    # A cell that has run takes the keys back to its notebook: who typed before has typed in vain.
    run_cell(parameters, parameters.locator(".jp-InputPrompt", has_text=re.compile(r"\[\d+\]:")))
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type('\nprint("seen by an", "analyst")')
    cell.locator(".cm-content", has_text='"analyst")').wait_for()
    run_cell(cell, cell.locator(".jp-OutputArea", has_text="seen by an analyst"))
    cell.locator(".jp-OutputArea img").wait_for()  # the figure shows itself
    page.keyboard.press("Control+s")
    wait_for(lambda: "seen by an analyst" in path.read_text())
    page.close()
    assert jobs(study) == {"figures": 1, "report": 1, "index": 1, "complete": 1}
    assert snakemake(study).returncode == 0
    assert "seen by an analyst" in (study / "reports" / "fake.html").read_text()
    changed = git(study, "status", "--porcelain").stdout
    assert changed == " M notebooks/fake.ipynb\n"


def run_cell(cell: Locator, shown: Locator) -> None:
    """Press the keys that run a cell until it shows what comes of it.

    JupyterLab has its keys some time after its notebook; what is pressed before is the editor's.
    """
    for _ in range(30):
        cell.locator(".cm-content").click()
        cell.page.keyboard.press("Control+Enter")
        with suppress(Late):
            return shown.wait_for(timeout=10_000)
    raise AssertionError("the cell did not run")


@pytest.fixture
def lab(study: Path, tmp_path: Path) -> Iterator[str]:
    """JupyterLab on the notebooks of the study, committed to git; its address."""
    shutil.copy(ROOT / ".gitignore", study)
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "Begin"]):
        git(study, *arguments)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        *(sys.executable, "-m", "jupyter", "lab", "--no-browser"),  # root's right is in .venv/etc
        *(f"--ServerApp.port={port}", "--IdentityProvider.token=analyst"),
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "notebooks",
    ]
    own = {f"JUPYTER_{what}_DIR": str(tmp_path / what) for what in ("CONFIG", "DATA", "RUNTIME")}
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(
            command, cwd=study, env=os.environ | own, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        wait_for(lambda: "is running at" in (tmp_path / "log").read_text())
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def git(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    who = ("-c", "user.name=Analyst", "-c", "user.email=analyst@example.org")
    return subprocess.run(
        [installed.program("git", "git"), *who, *arguments],
        cwd=project,
        text=True,
        capture_output=True,
        check=True,
    )


def test_a_killed_run_goes_on_with_the_first_missing_shot(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    wanted = "data/sessions/fake.native.json"
    running = subprocess.Popen(
        ["snakemake", "--cores", "2", wanted],
        cwd=project,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    log = wait_for(lambda: next(project.glob("data/raw/*/fake/native/*/shots.jsonl"), None))
    wait_for(lambda: log.read_bytes().count(b"\n") >= 2)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    done = log.read_bytes()
    done = done[: done.rfind(b"\n") + 1]
    planned = json.loads((log.parent / "plan.json").read_text())["shots"]
    assert 2 <= done.count(b"\n") < len(planned)

    result = snakemake(project, wanted)
    assert result.returncode == 0, result.stdout
    assert log.read_bytes().startswith(done)
    shots = [json.loads(line)["id"] for line in log.read_text().splitlines()]
    assert shots == [shot["id"] for shot in planned]


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Broken:
    """A study in which a build, a gate, a bench and a notebook fail."""
    project = make_project(tmp_path_factory.mktemp("broken"))
    home = project / "engines" / "fake"
    add_peer(home, "unbuilt", **{"build.command": ["sh", "-c", "echo no compiler; exit 1"]})
    add_peer(home, "wrong", **{"verify.command": ["sh", "-c", "echo 2 of 3 vectors; exit 1"]})
    crash = ["sh", "-c", "echo root differs >&2; exit 7"]
    add_peer(home, "crashing", **{"benches.0.command": crash})
    add_notebook(project, "other", "raise ValueError('no such column')")
    for name in ("method", "profiles"):  # the whole study runs them; they tell nothing of holes
        add_notebook(project, name, "pass")
    return project, snakemake(project, "--config", "tier=smoke")


def test_a_study_with_holes_fails_and_names_them(broken: Broken) -> None:
    _, result = broken
    assert result.returncode != 0
    assert "build of fake/unbuilt: exit code 1" in result.stdout
    assert "correctness gate of fake/wrong: exit code 1" in result.stdout
    assert "1 shot of fake/crashing, workload replay: failed: exit code 7: root differs" in (
        result.stdout
    )
    assert "notebook other: ValueError: no such column" in result.stdout
    error, told = map(result.stdout.rindex, ("Error in rule complete", "The study has"))
    assert 0 < told - error < 4000  # letters: an error does not list every step


def test_a_run_tells_what_is_done_what_comes_and_how_long_it_takes(broken: Broken) -> None:
    told = re.findall(r"^assay: (\d+) of (\d+) steps; .* next; about", broken[1].stdout, re.M)
    assert told[0][0] == "0"
    [expected] = re.findall(r"^session of fake/native +\d+ s$", broken[1].stdout, re.M)
    assert broken[1].stdout.index(expected) < broken[1].stdout.index("assay: 0 of")
    assert len({steps for _, steps in told}) == 1


def test_holes_are_shown_and_the_rest_arrives(broken: Broken) -> None:
    project, _ = broken
    front = (project / "reports" / "index.html").read_text()
    for reason in ("no compiler", "2 of 3 vectors", "root differs", "no such column"):
        assert reason in front
    assert "no such column" in (project / "reports" / "other.html").read_text()
    estimates = pd.read_parquet(project / "data" / "tidy" / "fake" / "estimates.parquet")
    assert estimates["median"].notna().any()


def test_holes_are_rows(broken: Broken) -> None:
    project, _ = broken
    rows = pd.read_parquet(project / "data" / "tidy" / "fake" / "measurements.parquet")
    statuses = rows.groupby("engine")["status"].unique().map(set).to_dict()
    assert statuses == {
        "reference": {"ok"},
        "unbuilt": {"refused"},
        "wrong": {"refused"},
        "crashing": {"failed"},
    }
    assert rows.loc[rows["engine"] == "wrong", "reason"].str.contains("2 of 3 vectors").all()


def test_a_broken_manifest_stops_the_run_before_anything_is_built(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    add_peer(project / "engines" / "fake", "typo", **{"benches.0.harness": "gobensch"})
    result = snakemake(project)
    assert result.returncode != 0
    assert re.search(r"peers/typo/engine.yaml:\d+: benches\[0\].harness: expected", result.stdout)
    assert not (project / "build").exists()


def test_a_claim_about_an_unknown_workload_stops_the_run_before_anything_is_built(
    tmp_path: Path,
) -> None:
    project = make_project(tmp_path)
    add_peer(project / "engines" / "fake", "slower")
    wrong = CLAIMS.replace("workload: replay", "workload: relay")
    (project / "config" / "claims" / "fake.yaml").write_text(wrong)
    result = snakemake(project)
    assert result.returncode != 0
    expected = "config/claims/fake.yaml:3: slower: cell.workload: expected one that a manifest"
    assert f"{expected} has, nearest 'replay', found 'relay'" in result.stdout
    assert not (project / "build").exists()


def wait_for(look: Callable[[], T], seconds: float = 300) -> T:
    deadline = time.monotonic() + seconds
    while not (seen := look()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing came in {seconds} s")
        time.sleep(0.02)
    return seen
