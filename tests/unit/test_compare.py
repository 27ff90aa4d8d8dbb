"""Two sessions: what is called a change, what cannot be compared, and exit codes."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import fakes
import installed
import pandas as pd
import planted
import pytest

from assay.__main__ import main
from assay.analyse import compare, sessions
from assay.analyse.session import TABLES, Session
from assay.present.kit.canvas import WIDE, NoData
from assay.present.kit.quantities import ratio
from assay.present.pages import comparison, slopes
from assay.raw import shotlog
from assay.system import files
from assay.tables import io

ROOT = Path(__file__).parents[2]
SCALES = range(1, 12)

Run = Callable[..., tuple[int, str, str]]


_made: dict[str, Session] = {}


def session(*given: Any, **more: Any) -> Session:
    """The same session for the same arguments of `make`: its intervals are drawn once."""
    name = repr((given, sorted(more.items())))
    if name not in _made:
        _made[name] = make(*given, **more)
    return _made[name]


def make(factor: float = 1.0, seed: int = 1, blocks: int = 8, **more: Any) -> Session:
    """A session whose cells at scales 1 and 2 take `factor` times as long; 11 cells in all."""
    scales = more.pop("scales", SCALES)
    cells = [
        planted.Simulated(
            "work", "reference", "", n,
            {"time": 1e-6 * n * (factor if n < 3 else 1), "syncs": more.get("syncs", 4)},
            cv=more.get("cv", 0.01), failed=more.get("failed", {}) if n == 3 else {},
        )
        for n in scales
    ]  # fmt: skip
    tier = more.get("tier", "standard")
    rows = planted.measurements(cells, blocks, seed, tier)
    facts = planted.SESSION | {"tier": tier} | more.get("facts", {})
    return planted.session(rows, facts)


def compared(
    one: Session, other: Session, metrics: Sequence[str] = ("time",)
) -> list[compare.Comparison]:
    a, b = ({("rewardpool", of.facts["profile"], of.facts["machine"]): of} for of in (one, other))
    return compare.compare(a, b, metrics)


def verdicts(found: list[compare.Comparison], metric: str = "time") -> dict[int, str]:
    return {
        row["scale"]: row["verdict"]
        for one in found
        for row in one.changes
        if row["metric"] == metric
    }


@pytest.mark.parametrize(
    ("factor", "called", "code"), [(1.2, "slower", 1), (1.0, "within noise", 0), (0.8, "faster", 0)]
)
def test_a_change_is_found_where_it_is(factor: float, called: str, code: int) -> None:
    found = compared(session(), session(factor, seed=2))
    assert verdicts(found) == {n: called if n < 3 else "within noise" for n in SCALES}
    assert set(verdicts(found, "syncs").values()) == {"unchanged"}
    assert compare.code(found) == code


def test_a_change_has_the_ratio_and_the_interval_of_the_truth() -> None:
    changes = compared(session(), session(1.2, seed=2))[0].changes
    row = next(row for row in changes if row["metric"] == "time")
    assert row["ratio"] == pytest.approx(1.2, rel=0.03)
    assert row["ci_low"] < row["ratio"] < row["ci_high"]
    assert row["p"] < 0.001
    assert row["margin"] >= 1.05
    assert (row["n_before"], row["n_after"]) == (8, 8)


def test_a_change_below_the_margin_is_noise_however_sure() -> None:
    assert set(verdicts(compared(session(cv=0.001), session(1.04, 2, cv=0.001))).values()) == {
        "within noise"
    }


@pytest.mark.parametrize(("syncs", "called", "code"), [(5, "worse", 1), (3, "better", 0)])
def test_an_exact_counter_changes_by_one(syncs: int, called: str, code: int) -> None:
    found = compared(session(), session(seed=2, syncs=syncs))
    assert set(verdicts(found, "syncs").values()) == {called}
    assert compare.code(found) == code


def by_input(one: Session, counts: list[int], first: int = 0) -> Session:
    """The same, with a seed of its own in each block, and what exact counters count there."""
    rows = one.measurements
    exact = rows["exact"]
    seeds = rows["block"] + first
    values = rows["value"].mask(exact, rows["block"].map(dict(enumerate(counts))))
    return replace(one, measurements=rows.assign(seed=seeds, value=values))


@pytest.mark.parametrize(
    ("first", "called"), [([], "unchanged"), ([5], "worse"), ([3], "better"), ([3, 5], "worse")]
)
def test_exact_counters_are_compared_input_by_input(first: list[int], called: str) -> None:
    counts = [*first, *[4] * (8 - len(first))]
    found = compared(by_input(session(), [4] * 8), by_input(session(seed=2), counts))
    assert set(verdicts(found, "syncs").values()) == {called}
    same = compared(by_input(session(), counts), by_input(session(seed=2), counts))
    assert set(verdicts(same, "syncs").values()) == {"unchanged"}


def test_an_exact_counter_that_varies_with_one_input_is_none() -> None:
    one = by_input(session(), [4] * 7 + [5])
    same_seed = replace(one, measurements=one.measurements.assign(seed=1))
    found = compared(same_seed, session(seed=2))
    assert "the exact counter varies in A" in {gap.why for gap in found[0].gaps}
    assert compare.code(found) == compare.LOST


def test_other_inputs_cannot_be_compared() -> None:
    found = compared(by_input(session(), [4] * 8), by_input(session(seed=2), [4] * 8, first=8))
    assert not found[0].changes
    assert {gap.why for gap in found[0].gaps if gap.lost} == {
        "other inputs: no shot of A has the seed of one of B"
    }


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"machine": "other"}, "measured only in A"),
        ({"seed": 2}, "other seeds, so other inputs: 1 and 2"),
        ({"profile": "pinned"}, "measured only in A"),
    ],
)
def test_other_conditions_cannot_be_compared(facts: dict[str, object], why: str) -> None:
    found = compared(session(), session(seed=2, facts=facts))
    assert [row for one in found for row in one.changes] == []
    assert why in [gap.why for one in found for gap in one.gaps]
    assert compare.code(found) == compare.LOST


def test_a_missing_cell_is_named_and_does_not_pass() -> None:
    found = compared(session(), session(seed=2, scales=range(2, 12)))
    [lost] = [gap for gap in found[0].gaps if "time" in gap.what]
    assert (lost.what, lost.why) == ("work, reference, 1, time", "not in B")
    assert compare.code(found) == compare.LOST
    assert compare.code(compared(session(scales=range(2, 12)), session())) == 0, "a new cell passes"


def renamed(one: Session, metric: str) -> Session:
    rows = one.measurements.assign(
        metric=one.measurements["metric"].astype(str).replace("time", metric)
    )
    return replace(one, measurements=rows)


@pytest.mark.parametrize(
    ("metrics", "a", "b", "absent"),
    [
        (("tiem",), "time", "time", "no metric tiem in A, expected of syncs, time"),
        (("time", "rss"), "time", "time", "no metric rss in A"),
        (("time",), "time", "other", "no metric time in B, expected of other, syncs"),
        (("other",), "time", "other", "no metric other in A, expected of syncs, time"),
    ],
)
def test_a_metric_that_a_session_lacks_is_refused(
    metrics: list[str], a: float, b: float, absent: str
) -> None:
    with pytest.raises(ValueError, match=absent):
        compared(renamed(session(), a), renamed(session(), b), metrics)


def test_the_command_never_passes_on_a_metric_that_nothing_has(tmp_path: Path, run: Run) -> None:
    folders = [save(session(), tmp_path / name) for name in "AB"]
    ended, printed, errors = run(*folders, "--metric", "tiem")
    assert (ended, printed) == (compare.LOST, "")
    assert "no metric tiem in A" in errors


def test_a_failed_cell_is_named_with_its_reason() -> None:
    failed = dict.fromkeys(range(8), ("timeout", "not finished after 60 s"))
    found = compared(session(), session(seed=2, failed=failed))
    whys = {gap.what: gap.why for gap in found[0].gaps}
    assert whys["work, reference, 3, time"] == "no value in B: timeout: not finished after 60 s"
    assert compare.code(found) == compare.LOST


@pytest.mark.parametrize("few", [{"tier": "smoke"}, {"blocks": 5}])
def test_too_little_data_is_no_pass(few: dict[str, object]) -> None:
    found = compared(session(), session(1.5, seed=2, **few))
    assert set(verdicts(found).values()) == {"no inference"}
    assert compare.code(found) == compare.LOST


def test_markdown_shows_changes_and_counts_the_rest() -> None:
    found = compared(session(), session(1.2, seed=2, scales=range(1, 11)))
    text = comparison.markdown(found, ("old", "new"))
    assert text.startswith("# old → new\n")
    assert "2 slower, 8 within noise and 10 unchanged; 2 cannot be compared." in text
    assert sum(line.startswith("| slower | work |") for line in text.splitlines()) == 2
    assert "- not in B: work, reference, 11, syncs; work, reference, 11, time" in text


def test_the_page_holds_every_cell_and_needs_no_network() -> None:
    found = compared(session(), session(1.2, seed=2))
    page = comparison.page(ROOT, found, ("<old>", "new"))
    assert "&lt;old&gt; → new" in page
    assert page.count("reference engine") >= 22  # as reports name it
    assert page.count('<tr><th scope="row" class="key"><span') == 22
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")


def test_the_slopes_name_what_changed() -> None:
    [one] = compared(session(), session(1.2, seed=2))
    drawn = slopes.plate(one)
    texts = [text.get_text() for text in drawn.draw(WIDE).axes[0].texts]
    slower = [row for row in one.changes if row["verdict"] == "slower"]
    assert len(texts) == len(slower) > 0
    assert all(ratio(row["ratio"]) in "".join(texts) for row in slower)
    assert len(drawn.data) == 2 * sum(row["metric"] == "time" for row in one.changes)
    assert isinstance(slopes.plate(replace(one, changes=[])), NoData)


def save(one: Session, folder: Path) -> Path:
    folder.mkdir()
    for name in TABLES:
        io.write(name, getattr(one, name), folder)
    own = {"key": "planted", "machine": "planted"}
    files.write_json(folder / "session.json", one.facts | own)
    return folder


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `assay compare`; gives its exit code, and what it printed on stdout and stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["assay", "compare", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return ended.value.code, *capsys.readouterr()

    return run


def several(folder: Path, *sessions: tuple[dict[str, str], float]) -> Path:
    """A folder of tidy data of several sessions: facts of each, and a factor on all its times."""
    made = [
        (session(seed=seed), planted.SESSION | {"machine": "planted"} | facts, factor)
        for seed, (facts, factor) in enumerate(sessions)
    ]
    named = ("session", "key"), ("profile", "profile"), ("machine", "machine")
    for table in TABLES:
        rows = [
            getattr(one, table).assign(**{column: facts[fact] for column, fact in named})
            for one, facts, _ in made
        ]
        if table == "measurements":
            for of, (_, _, factor) in zip(rows, made, strict=True):
                of.loc[of["metric"] == "time", "value"] *= factor
        io.write(table, pd.concat(rows, ignore_index=True), folder)
    first, *others = (facts for _, facts, _ in made)
    files.write_json(folder / "session.json", first | {"other_sessions": others})
    return folder


NATIVE = {"key": "a", "profile": "native"}
CONTAINER = {"key": "b", "profile": "container"}
ELSEWHERE = {"key": "a", "profile": "native", "machine": "other"}


@pytest.mark.parametrize("second", [CONTAINER, ELSEWHERE], ids=["profile", "machine"])
def test_every_session_of_a_folder_is_compared(
    tmp_path: Path, run: Run, second: dict[str, str]
) -> None:
    one = several(tmp_path / "a", (NATIVE, 1), (second, 1))
    other = several(tmp_path / "b", (NATIVE, 1), (second, 10))
    code, out, _ = run(one, other)
    assert code == compare.CHANGED
    of_the_second = out.partition(
        f"profile {second['profile']}, machine {second.get('machine', 'planted')}\n"
    )[2]
    assert "\n11 slower" in of_the_second
    code, out, _ = run(one, several(tmp_path / "c", (NATIVE, 1)))
    assert code == compare.LOST
    assert "measured only in A" in out


def test_a_folder_whose_files_tell_of_different_sessions_is_refused(tmp_path: Path) -> None:
    one = several(tmp_path / "a", (NATIVE, 1), (CONTAINER, 1))
    facts = files.read_json(one / "session.json")
    for others in ([], [*facts["other_sessions"], planted.SESSION | {"key": "c"}]):
        files.write_json(one / "session.json", facts | {"other_sessions": others})
        with pytest.raises(ValueError, match="expected the sessions of measurements"):
            sessions.find(str(one), tmp_path)


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_of_several_sessions_of_a_folder_the_latest_counts(tmp_path: Path, names: str) -> None:
    for name, factor, day in zip(names, (1, 10), (1, 2), strict=True):
        began = {"started_at": f"2026-01-0{day}T00:00:00Z"}
        several(tmp_path / "all" / name, (NATIVE | began, factor))
    [found] = sessions.find(str(tmp_path / "all"), tmp_path).values()
    assert found.facts["started_at"] == "2026-01-02T00:00:00Z"


def test_what_differs_beside_the_code_is_said(tmp_path: Path) -> None:
    facts = {
        "machine_facts": {"governor": "powersave", "file_system": "ext4"},
        "plan": {"toolchain": {"go": "1.27", "rust": "1.95"}},
    }
    found = compared(session(), session(seed=2, facts=facts))
    assert compare.differences(found[0]) == {
        "governor": ("performance", "powersave"),
        "go": ("1.26.8", "1.27"),
        "rust": ("unknown", "1.95"),
    }
    line = "other governor: performance in A, powersave in B"
    assert line in comparison.markdown(found, ("a", "b"))
    assert line in comparison.page(ROOT, found, ("a", "b"))


def _spoil(folder: Path) -> None:
    for path in [*folder.glob("*.parquet")]:
        path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "measurements.parquet").unlink(),
        lambda folder: (folder / "noise.parquet").unlink(),
        lambda folder: (folder / "session.json").write_text("{}"),
        lambda folder: (folder / "session.json").write_text("{"),
        lambda folder: (folder / "session.json").write_bytes(b"\xff"),
        lambda folder: shutil.rmtree(folder),
        _spoil,
    ],
)
def test_what_cannot_be_read_never_looks_like_a_regression(
    tmp_path: Path, run: Run, spoil: Callable[[Path], object]
) -> None:
    one, other = save(session(), tmp_path / "a"), save(session(seed=2), tmp_path / "b")
    spoil(other)
    code, _, said = run(one, other)
    assert code == compare.LOST
    assert said


def test_a_page_that_cannot_be_written_never_looks_like_a_regression(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = save(session(), tmp_path / "a"), save(session(seed=2), tmp_path / "b")
    monkeypatch.chdir(tmp_path)  # which has no templates
    assert run(one, other, "--html", "c.html")[0] == compare.LOST


def test_the_command_prints_markdown_in_any_encoding_and_exits_with_the_code(
    tmp_path: Path,
) -> None:
    one, other = save(session(), tmp_path / "a"), save(session(1.2, seed=2), tmp_path / "b")
    command = [sys.executable, "-m", "assay", "compare", one, other, "--html", tmp_path / "c.html"]
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=ascii_only)
    assert done.returncode == compare.CHANGED, done.stderr
    assert "\\u2192" in done.stdout
    assert "2 slower, 9 within noise and 11 unchanged." in done.stdout
    assert (tmp_path / "c.html").read_text().startswith("<!DOCTYPE html>")


def test_a_name_that_nothing_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a folder of tidy data, the key of a session"):
        sessions.find("nothing-of-that-name", tmp_path)
    with pytest.raises(ValueError, match=r"expected session\.json and tables beside it"):
        sessions.find(str(tmp_path), tmp_path)


def test_sessions_are_found_by_key_and_by_commit(tmp_path: Path) -> None:
    git = [installed.program("git", "git"), "-c", "user.name=A", "-c", "user.email=a@b"]
    git += ["-C", str(tmp_path)]
    commits = []
    for word in ("first", "second"):
        for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", word]):
            subprocess.run([*git, *words], check=True)
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True)
        commits.append(head.stdout.strip())
    for key, commit, value in (("a" * 16, commits[0], 10), ("b" * 16, commits[1], 20)):
        raw(tmp_path, key, commit, value)
    assert only_time(sessions.find("a" * 16, tmp_path)) == pytest.approx(10e-9)
    for name in ("HEAD", commits[1], commits[1][:12]):
        assert only_time(sessions.find(name, tmp_path)) == pytest.approx(20e-9)


def only_time(found: sessions.Sessions) -> float:
    rows = found[("fake", "native", "m")].measurements
    return rows.loc[rows["metric"] == "time", "value"].item()


def raw(root: Path, key: str, commit: str, value: float) -> None:
    """A raw session of one shot."""
    folder = root / "data" / "raw" / "m" / "fake" / "native" / key
    metric = fakes.metric("time", unit="s", factor=1e-9)
    shot = {
        "id": "00-0000",
        "block": 0,
        "slot": 0,
        "engine": "reference",
        "arm": "A",
        "seed": 1,
        "workload": "w",
        "variant": {},
        "scale": 1,
        "harness": "gobench",
        "metrics": {"ns/op": metric},
    }
    ran = {
        "status": "ok",
        "reason": "",
        "exit_code": 0,
        "wall_s": 1.0,
        "cpu_user_s": 1.0,
        "cpu_system_s": 0.0,
        "peak_rss_bytes": 1,
        "started_at": "2026-01-01T00:00:00+00:00",
        "native": f"BenchmarkA 1 {value} ns/op",
    }
    plan = {
        "version": shotlog.VERSION,
        "subsystem": "fake",
        "profile": "native",
        "tier": "standard",
        "seed": 1,
        "blocks": 1,
        "engines": {"reference": {"role": "reference", "source_hash": "abc"}},
        "workloads": {},
        "toolchain": {},
        "shots": [shot],
    }
    plan["key"] = shotlog.key(plan)
    about = {name: plan[name] for name in ("subsystem", "profile", "tier")}
    about |= {"session": plan["key"], "machine": "m", "engine_hash": "abc"}
    files.write_json(folder / "plan.json", plan)
    files.write_json(folder / "machine.json", {})
    files.write_json(folder / "origin.json", {"commit": commit, "dirty": False, "command": ""})
    log = folder / "shots.jsonl"
    with log.open("ab") as out:
        shotlog.append(out, about | shot | ran, shotlog.last(log))
