"""From raw sessions to tidy tables: every shot is a row, and no table breaks its schema."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fakes
import pandas as pd
import planted
import pytest

from assay.analyse import collect, dictionary
from assay.raw import shotlog
from assay.tables import io, schemas

METRICS = {
    "ns/op": fakes.metric("time", unit="s", factor=1e-9),
    "syncs": fakes.metric("syncs", exact=True),
}
RAN = {
    "status": "ok",
    "reason": "",
    "exit_code": 0,
    "started_at": "2026-01-01T12:00:00.500+00:00",
    "wall_s": 1.5,
    "cpu_user_s": 1.0,
    "cpu_system_s": 0.25,
    "peak_rss_bytes": 1000,
    "engine_hash": "abc",
    "noisy": False,
    "profile_applied": {"threads": "GOMAXPROCS=2"},
    "profile_not_applied": {"cpus": "CPU 7 cannot be used"},
}


PLANNED = ["id", "block", "slot", "engine", "arm", "workload", "variant", "scale", "seed"]
PLANNED += ["harness", "metrics"]


def shot(
    number: int, native: str | None = "BenchmarkDraw-2 100 20 ns/op 3 syncs", **changes: Any
) -> dict[str, Any]:
    """A line of shots.jsonl; one without `native` is planned and did not run."""
    planned = {
        "id": f"00-{number:04}",
        "block": 0,
        "slot": number,
        "engine": "reference",
        "arm": "A",
        "workload": "draw",
        "variant": {"durability": "mmap", "commit": 1},
        "scale": 100,
        "seed": 7,
        "harness": "gobench",
        "metrics": METRICS,
    }
    return planned | ({} if native is None else RAN | {"native": native}) | changes


def session(
    root: Path,
    *shots: dict,
    lines: str = "",
    more: Sequence[dict] = (),
    machine: str = "machine-1",
) -> Path:
    """A raw session in which these shots were planned; those that did not run have no line.

    Behind the others come the lines `more`, and the text `lines`.
    """
    folder = root / "raw" / machine / "rewardpool" / "native" / "key-1"
    folder.mkdir(parents=True, exist_ok=True)
    plan = {
        "version": shotlog.VERSION,
        "subsystem": "rewardpool",
        "profile": "native",
        "tier": "standard",
        "seed": 1,
        "blocks": 1,
        "engines": {"reference": {"role": "reference", "source_hash": "abc"}},
        "workloads": {},
        "toolchain": {},
        "shots": [{key: shot[key] for key in PLANNED} for shot in shots],
    }
    plan["key"] = shotlog.key(plan)
    (folder / "plan.json").write_text(json.dumps(plan))
    (folder / "machine.json").write_text(json.dumps({"cpus": 2}))
    about = {key: plan[key] for key in ("subsystem", "profile", "tier")}
    about |= {"session": plan["key"], "machine": machine}
    link = shotlog.last(folder / "shots.jsonl")
    with (folder / "shots.jsonl").open("ab") as out:
        for line in [*(shot for shot in shots if "status" in shot), *more]:
            link = shotlog.append(out, about | line, link)
        out.write(lines.encode())
    return folder


def test_raw_data_of_another_version_is_refused(tmp_path: Path) -> None:
    path = session(tmp_path, shot(0)) / "plan.json"
    path.write_text(path.read_text().replace('"version": 3', '"version": 2'))
    with pytest.raises(ValueError, match=f"{path}: version: expected 3, found 2; read it by"):
        collect.collect([path.parent], tmp_path / "tidy")


def collected(root: Path, *shots: dict, **also: Any) -> pd.DataFrame:
    collect.collect([session(root, *shots, **also)], root / "tidy")
    return io.read(root / "tidy" / "measurements.parquet")


def test_a_shot_becomes_one_row_a_metric(tmp_path: Path) -> None:
    rows = collected(tmp_path, shot(0)).set_index("metric")
    assert rows["value"].to_dict() == {
        "time": pytest.approx(20e-9),
        "syncs": 3,
        "cpu_time": 1.25,
        "peak_rss": 1000,
    }
    assert rows["unit"].to_dict() == {"time": "s", "syncs": "1", "cpu_time": "s", "peak_rss": "B"}
    assert rows["exact"].to_dict()["syncs"]
    time = rows.loc["time"]
    assert time["machine"] == "machine-1"
    assert time["variant"] == "commit=1,durability=mmap"
    assert time["started_at"] == pd.Timestamp("2026-01-01T12:00:00.500Z")


def test_iterations_of_a_shot_give_their_median(tmp_path: Path) -> None:
    native = "\n".join(f"BenchmarkDraw-2 100 {ns} ns/op" for ns in (90, 10, 20))
    metrics = {"ns/op": METRICS["ns/op"] | {"repeated": True}}
    rows = collected(tmp_path, shot(0, native, metrics=metrics))
    assert rows.query("metric == 'time'")["value"].tolist() == [pytest.approx(20e-9)]


def test_an_unknown_metric_fails_its_shot_and_no_other(tmp_path: Path) -> None:
    unknown = "BenchmarkDraw-2 100 20 ns/op 5 furlongs"
    rows = collected(tmp_path, shot(0, unknown), shot(1)).query("metric == 'time'")
    assert rows["status"].tolist() == ["failed", "ok"]
    reason = rows["reason"].iloc[0]
    assert all(word in reason for word in ("00-0000", "furlongs", "ns/op", "syncs"))
    assert pd.isna(rows["value"].iloc[0])


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        ("panic: out of luck", "line 1"),
        ("", "line 1"),
        ("BenchmarkDraw-2 100 3 syncs", "metric 'ns/op': expected one value a shot, found 0"),
        ("BenchmarkDraw-2 100 20 ns/op", "metric 'syncs': expected one value a shot, found 0"),
        (
            "BenchmarkDraw-2 1 9 ns/op 3 syncs 3 syncs",
            "'syncs': expected one value a shot, found 2",
        ),
        ("BenchmarkDraw-2 100 0 ns/op 3 syncs", "metric 'ns/op': expected more than 0, found 0"),
        ("BenchmarkDraw-2 100 -2 ns/op 3 syncs", "metric 'ns/op': expected more than 0, found -2"),
        ("BenchmarkDraw-2 1 9 ns/op -1 syncs", "metric 'syncs': expected at least 0, found -1"),
        ("BenchmarkDraw-2 0 9 ns/op", "expected at least one iteration, found 0"),
        (
            "BenchmarkDraw-2 1 1600000000 ns/op 3 syncs",
            "no more than the 1.5 s that the whole shot took",
        ),
        ("BenchmarkDraw-2 1000 1600000 ns/op 3 syncs", "the whole shot took, found 1.6 s"),
        (f"BenchmarkDraw-2 1{'0' * 300} 9 ns/op 3 syncs", "the whole shot took, found 9e+291 s"),
        ("BenchmarkDraw-2 1 1e-320 ns/op 3 syncs", "metric 'ns/op': expected more than 0, found 0"),
        (
            "BenchmarkDraw-2 1 1e-200 ns/op 3 syncs",
            "metric 'ns/op': expected 0 or from 1e-100 to 1e+100",
        ),
        ("BenchmarkDraw-2 1 9 ns/op 1e200 syncs", "metric 'syncs': expected 0 or from 1e-100 to"),
        ("BenchmarkDraw-2 1 9 ns/op 9007199254740994 syncs", "expected at most 2^53 of an exact"),
    ],
)
def test_output_that_cannot_be_used_fails_its_shot(
    tmp_path: Path, native: str, expected: str
) -> None:
    row = collected(tmp_path, shot(0, native)).iloc[0]
    assert row["status"] == "failed"
    assert expected in row["reason"]


@pytest.mark.parametrize(
    ("harness", "native"),
    [
        ("googlebench", '{"benchmarks": [{"run_type": "iteration", "run_name": "a",'
         ' "iterations": 1000, "real_time": 1600, "cpu_time": 1, "time_unit": "us"}]}'),
        ("hyperfine", '{"results": [{"exit_codes": [0], "times": [1.6]}]}'),
        ("jsonlines", '{"metric": "real_time", "value": 1.6}'),
    ],
)  # fmt: skip
def test_what_was_timed_fits_into_its_shot_whoever_timed_it(
    tmp_path: Path, harness: str, native: str
) -> None:
    time = METRICS["ns/op"] | {"factor": 1.0}
    cpu = {"cpu_time": time | {"column": "cpu_time_per_op"}} if harness == "googlebench" else {}
    name = "time" if harness == "hyperfine" else "real_time"
    metrics = {name: time} | cpu
    row = collected(tmp_path, shot(0, native, harness=harness, metrics=metrics)).iloc[0]
    assert row["status"] == "failed"
    assert "no more than the 1.5 s that the whole shot took, found 1.6 s" in row["reason"]


@pytest.mark.parametrize(
    ("column", "unit", "least"),
    [
        ("latency_p99", "s", "more than 0"),
        ("time_first", "s", "more than 0"),
        ("cpu_time_per_op", "s", "at least 0"),
        ("timer_resolution", "s", "at least 0"),
        ("time_per_byte", "s/B", "at least 0"),
        ("draws_per_s", "1/s", "at least 0"),
    ],
)
def test_a_time_by_the_clock_is_more_than_0_and_a_rate_need_not_be(
    tmp_path: Path, column: str, unit: str, least: str
) -> None:
    metrics = METRICS | {"other": fakes.metric(column, unit=unit)}
    native = "BenchmarkDraw-2 100 20 ns/op 3 syncs"
    for value in (0, -1):
        given = shot(0, f"{native} {value} other", metrics=metrics)
        row = collected(tmp_path / str(value), given).iloc[0]
        if least == "at least 0" and value == 0:
            assert row["status"] == "ok"
        else:
            assert f"metric 'other': expected {least}, found {value}" in row["reason"]


def test_two_processors_give_more_cpu_time_than_the_shot_took(tmp_path: Path) -> None:
    metrics = METRICS | {"cpu_ns/op": METRICS["ns/op"] | {"column": "cpu_time_per_op"}}
    native = "BenchmarkDraw-2 1 9 ns/op 3 syncs 3e9 cpu_ns/op"
    assert set(collected(tmp_path, shot(0, native, metrics=metrics))["status"]) == {"ok"}


def test_each_value_of_a_metric_that_repeats_is_checked(tmp_path: Path) -> None:
    reasons = []
    for i, (ns, syncs) in enumerate([("-2", "3"), ("8e8", "3"), ("9", "4")]):
        native = f"BenchmarkDraw-2 1 8e8 ns/op 3 syncs\nBenchmarkDraw-2 1 {ns} ns/op {syncs} syncs"
        metrics = {name: metric | {"repeated": True} for name, metric in METRICS.items()}
        row = collected(tmp_path / str(i), shot(0, native, metrics=metrics)).iloc[0]
        reasons.append(row["reason"].partition(": expected ")[2])
    assert reasons == [
        "more than 0, found -2e-09",
        "no more than the 1.5 s that the whole shot took, found 1.6 s",
        "the same value again of an exact counter, found [3.0, 4.0]",
    ]


def test_a_planned_shot_without_a_line_is_a_failed_row(tmp_path: Path) -> None:
    rows = collected(tmp_path, shot(0), shot(1, None), lines='{"id": "00-0001", "sta')
    missing = rows[rows["shot"] == "00-0001"]
    assert missing["status"].tolist() == ["failed"]
    assert missing["reason"].tolist() == ["shot 00-0001: no line in shots.jsonl"]
    assert missing["wall_s"].isna().all()


def test_a_line_ends_with_a_line_feed_alone(tmp_path: Path) -> None:
    wrong = shot(0, status="failed", reason="one\u2028two\u0085three\rfour")
    planned = shot(0, None)
    rows = collected(tmp_path, planned, more=[wrong])
    assert rows["reason"].tolist() == ["one\u2028two\u0085three\rfour"]


def test_a_broken_line_in_the_middle_is_an_error(tmp_path: Path) -> None:
    lines = '{"id": "00-0\n' + json.dumps(shot(1)) + "\n"
    with pytest.raises(ValueError, match=r"shots\.jsonl: line 2: expected JSON"):
        collected(tmp_path, shot(0), shot(1, None), lines=lines)


@pytest.mark.parametrize("status", ["failed", "timeout", "oom"])
def test_a_shot_that_went_wrong_is_one_row_without_a_value(tmp_path: Path, status: str) -> None:
    rows = collected(tmp_path, shot(0, "nonsense", status=status, reason="why"))
    assert rows[["metric", "status", "reason"]].to_numpy().tolist() == [["time", status, "why"]]
    assert rows["wall_s"].tolist() == [1.5]


def test_a_refused_shot_has_no_times(tmp_path: Path) -> None:
    refused = {"status": "refused", "reason": "the gate failed", "exit_code": None, "wall_s": 0.0}
    row = collected(tmp_path, shot(0, "", **refused)).iloc[0]
    assert row["status"] == "refused"
    assert row[["started_at", "wall_s", "cpu_s", "peak_rss_bytes"]].isna().all()


def test_session_json_counts_and_dates_the_shots(tmp_path: Path) -> None:
    later = {"started_at": "2026-01-01T12:10:00.000+00:00", "wall_s": 0.5, "noisy": True}
    collected(tmp_path, shot(0), shot(1, **later), shot(2, "nonsense"), shot(3, None))
    about = json.loads((tmp_path / "tidy" / "session.json").read_text())
    assert (about["shots"], about["failed"], about["refused"], about["noisy"]) == (4, 2, 0, 1)
    assert about["started_at"] == "2026-01-01T12:00:00.500+00:00"
    assert about["ended_at"] == "2026-01-01T12:10:00.500+00:00"
    assert about["machine"] == "machine-1"
    assert about["machine_facts"] == {"cpus": 2}
    assert about["profile_applied"] == {"threads": "GOMAXPROCS=2"}
    assert about["profile_not_applied"] == {"cpus": "CPU 7 cannot be used"}
    assert about["other_sessions"] == []


def test_a_knob_that_failed_in_any_shot_is_not_enforced(tmp_path: Path) -> None:
    held = {"profile_applied": {"disk": "emulated"}, "profile_not_applied": {}}
    later = {"profile_applied": {}, "profile_not_applied": {"disk": "there is no FUSE"}}
    collected(tmp_path, shot(0, **held), shot(1, **later))
    about = json.loads((tmp_path / "tidy" / "session.json").read_text())
    assert about["profile_applied"] == {}
    assert about["profile_not_applied"] == {"disk": "there is no FUSE"}


def test_a_row_tells_what_the_kernel_accounted(tmp_path: Path) -> None:
    seen = {"group_peak_bytes": 4096, "throttled_s": 0.5, "before": {"calibration_fdatasync_s": 1}}
    rows = collected(tmp_path, shot(0, **seen), shot(1))
    assert set(rows["group_peak_bytes"].dropna()) == {4096}
    assert set(rows["throttled_s"].dropna()) == {0.5}
    assert set(rows["fsync_s"].dropna()) == {1}
    assert rows["throttled_s"].isna().any()


def test_session_json_tells_the_origin_of_the_session_and_not_of_the_tables(tmp_path: Path) -> None:
    known = {"commit": "c0ffee", "dirty": True, "command": "./run snakemake"}
    for name, origin in {"known": known, "unknown": {}}.items():
        path = tmp_path / name / "raw/machine-1/rewardpool/native/key-1/origin.json"
        path.parent.mkdir(parents=True)
        if origin:
            path.write_text(json.dumps(origin))
        folder = session(tmp_path / name, shot(0))
        collect.collect([folder], tmp_path / name / "tidy")
        about = json.loads((tmp_path / name / "tidy" / "session.json").read_text())
        told = {key: about[key] for key in known}
        assert told == origin or told == {"commit": "", "dirty": None, "command": ""}


def test_sessions_of_several_machines_merge(tmp_path: Path) -> None:
    folders = [session(tmp_path, shot(0), machine=name) for name in ("one", "two")]
    collect.collect(folders, tmp_path / "tidy")
    rows = io.read(tmp_path / "tidy" / "measurements.parquet")
    assert set(rows["machine"]) == {"one", "two"}
    about = json.loads((tmp_path / "tidy" / "session.json").read_text())
    assert [about["machine"]] + [other["machine"] for other in about["other_sessions"]] == [
        "one",
        "two",
    ]


def test_a_raw_file_that_contradicts_its_plan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"line 2: expected shot 00-0000 only once"):
        collected(tmp_path / "a", shot(0), more=[shot(0)])
    with pytest.raises(ValueError, match=r"line 2: expected a shot of the plan, found 00-0009"):
        collected(tmp_path / "b", shot(0), more=[shot(9)])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("engine", "other"),
        ("workload", "fill"),
        ("variant", {"commit": 2}),
        ("scale", 1000),
        ("seed", 8),
        ("arm", "B"),
        ("harness", "jsonlines"),
        ("metrics", METRICS | {"ns/op": METRICS["ns/op"] | {"factor": 1e-6}}),
        ("tier", "full"),
        ("session", "another"),
        ("subsystem", "acp"),
        ("profile", "container"),
        ("machine", "machine-2"),
        ("engine_hash", "def"),
    ],
)
def test_a_line_that_is_not_that_of_its_planned_shot_is_refused(
    tmp_path: Path, key: str, value: object
) -> None:
    with pytest.raises(ValueError, match=rf"shots\.jsonl: line 1: {key}: as planned expected "):
        collected(tmp_path, shot(0, None), more=[shot(0) | {key: value}])


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("shots.jsonl", "100 20 ns/op", "100 21 ns/op"),
        ("shots.jsonl", '"wall_s": 1.5', '"wall_s": 2.5'),
        ("shots.jsonl", '"factor": 1e-09', '"factor": 1e-06'),
        ("shots.jsonl", '"engine": "reference"', '"engine": "other"'),
        ("machine.json", '"cpus": 2', '"cpus": 4'),
        ("origin.json", "c0ffee", "decade"),
        ("plan.json", '"seed": 1', '"seed": 2'),
        ("plan.json", '"tier": "standard"', '"tier": "full"'),
        ("plan.json", '"key": "', '"key": "0'),
    ],
)
def test_a_raw_file_that_was_edited_is_refused(
    tmp_path: Path, name: str, old: str, new: str
) -> None:
    origin = tmp_path / "raw/machine-1/rewardpool/native/key-1/origin.json"
    origin.parent.mkdir(parents=True)
    origin.write_text('{"commit": "c0ffee", "dirty": false, "command": ""}')
    path = session(tmp_path, shot(0), shot(1)) / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(ValueError, match="move the folder away to measure again"):
        collect.collect([path.parent], tmp_path / "tidy")


def test_lines_that_were_taken_out_or_swapped_are_found(tmp_path: Path) -> None:
    log = session(tmp_path, *map(shot, range(3))) / "shots.jsonl"
    first, second, third = log.read_bytes().splitlines(keepends=True)
    for lines in ([second, third], [first, third], [second, first, third], [first, first]):
        log.write_bytes(b"".join(lines))
        with pytest.raises(ValueError, match="as they were written"):
            list(shotlog.read(log))
    log.write_bytes(first + second[:100])
    assert len(list(shotlog.read(log))) == 1


def table() -> pd.DataFrame:
    cell = planted.Simulated("draw", "reference", "commit=1", 10, {"time": 1e-6, "syncs": 3})
    return planted.measurements([cell], blocks=2)


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        ("status", "lost", "isin"),
        ("value", None, "value is null exactly when status is not ok"),
        ("reason", "why", "reason is empty exactly when ok"),
        ("variant", "commit", "str_matches"),
        ("block", -1, "greater_than_or_equal_to"),
        ("shot", "000-000", "unique"),
    ],
)
def test_a_table_that_breaks_its_schema_is_neither_written_nor_read(
    tmp_path: Path, column: str, value: object, expected: str
) -> None:
    broken = table().assign(**{column: value}).astype({"block": "int64", "value": "float64"})
    with pytest.raises(ValueError, match=expected):
        io.write("measurements", broken, tmp_path)
    assert list(tmp_path.iterdir()) == []
    path = tmp_path / "measurements.parquet"
    broken.to_parquet(path, index=False)
    with pytest.raises(ValueError, match=str(path)):
        io.read(path)


def test_missing_and_unknown_columns_are_named() -> None:
    with pytest.raises(ValueError, match="seed"):
        schemas.check("measurements", table().drop(columns="seed"), "here")
    with pytest.raises(ValueError, match="mood"):
        schemas.check("measurements", table().assign(mood="fine"), "here")


def test_a_table_survives_writing_and_reading(tmp_path: Path) -> None:
    io.write("measurements", table(), tmp_path)
    pd.testing.assert_frame_equal(io.read(tmp_path / "measurements.parquet"), table())
    assert len(pd.read_csv(tmp_path / "measurements.csv")) == len(table())


def test_the_data_dictionary_is_current() -> None:
    path = Path(__file__).parents[2] / "data" / "README.md"
    assert path.read_text() == dictionary.text(), "run: python -m assay dictionary data/README.md"


@pytest.mark.parametrize("value", ["[" * 200_000, "1" + "0" * 400, "1e-320", '"\\ud800"', "null"])
@pytest.mark.parametrize(
    ("harness", "text"),
    [
        ("gobench", "BenchmarkDraw-2 1 %s ns/op"),
        ("jsonlines", '{"metric": "time", "value": %s}'),
        ("hyperfine", '{"results": [{"exit_codes": [0], "times": [%s]}]}'),
        ("googlebench", '{"benchmarks": [{"run_type": "iteration", "run_name": "a", "time_unit":'
         ' "s", "real_time": %s, "cpu_time": 1, "error_message": "half \\ud800"}]}'),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_held_fails_its_shot_and_no_other(
    tmp_path: Path, harness: str, text: str, value: str
) -> None:
    wrong = shot(0, text % value, harness=harness)
    rows = collected(tmp_path, wrong, shot(1)).query("metric == 'time'")
    assert rows["status"].tolist() == ["failed", "ok"]
    assert len(rows["reason"].iloc[0]) < 600


@pytest.mark.parametrize("value", [-1.0, 0.0, float("inf"), float("-inf")])
def test_a_table_holds_no_time_that_cannot_be(tmp_path: Path, value: float) -> None:
    rows = collected(tmp_path, shot(0))
    rows.loc[rows["metric"] == "time", "value"] = value
    with pytest.raises(ValueError, match="value is finite and not negative, and of a time not 0"):
        io.write("measurements", rows, tmp_path)
