"""From the raw data of sessions to tidy tables; each is checked when written and when read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, cast

import pandas as pd

from assay.analyse import agreement
from assay.inputs.variant import variant_string
from assay.raw import harness, layout, provenance, shotlog
from assay.raw.harness import Record
from assay.raw.records import Line, Metric, Plan, Planned, SessionFacts, Shot
from assay.system import excerpt, files
from assay.tables import io, schemas
from assay.tables.rows import Row, pick


def collect(session_dirs: list[Path], out: Path) -> None:
    """Write measurements and session.json of one subsystem to `out`, from its raw sessions.

    session.json tells of the first session; the others, if any, are in its `other_sessions`.
    """
    tables, about = zip(*map(session, session_dirs), strict=True)
    io.write("measurements", pd.concat(tables, ignore_index=True), out)
    files.write_json(out / "session.json", about[0] | {"other_sessions": [*about[1:]]})


def session(folder: Path) -> tuple[pd.DataFrame, SessionFacts]:
    """Table `measurements` of the raw session in `folder`, and what session.json tells of it.

    A shot whose output cannot be read becomes a failed one, with the reason.
    """
    plan = shotlog.plan(folder / layout.PLAN)
    shots = agreement.held(list(_shots(folder / layout.SHOTS, plan)), _roles(plan))
    table = _table(plan, shots, layout.place(folder).machine)
    return table, provenance.describe(folder, plan, shots)


def measurements(plan: Plan, lines: Iterable[Line], machine: str) -> pd.DataFrame:
    """Table `measurements` of lines of shots.jsonl."""
    return _table(plan, agreement.held(list(map(_read_output, lines)), _roles(plan)), machine)


def _table(plan: Plan, shots: Iterable[Shot], machine: str) -> pd.DataFrame:
    common = pick(plan, ["profile", "subsystem", "tier"])
    common |= {"machine": machine, "session": plan["key"]}
    roles = _roles(plan)
    rows = [common | row for shot in shots for row in _rows(shot, roles[shot["engine"]])]
    return schemas.table("measurements", rows)


def _roles(plan: Plan) -> dict[str, str]:
    return {name: engine["role"] for name, engine in plan["engines"].items()}


def _shots(path: Path, plan: Plan) -> Iterator[Shot]:
    """Every shot of the plan, in order and read; one without a whole line is a failed one."""
    planned = {shot["id"]: shot for shot in plan["shots"]}
    ended = shotlog.stopped(path.parent, plan)["reason"]
    shots: dict[str, Shot] = {}
    for number, line in enumerate(shotlog.read(path), start=1):
        where = f"{path}: line {number}"
        if line["id"] not in planned:
            raise ValueError(f"{where}: expected a shot of the plan, found {line['id']}")
        if line["id"] in shots:
            raise ValueError(f"{where}: expected shot {line['id']} only once")
        told: Mapping[str, object] = line
        for key, wanted in _told(plan, planned[line["id"]], layout.place(path.parent).machine):
            if key not in told or told[key] != wanted:
                other = excerpt.line(f"expected {wanted!r}, found {told.get(key)!r}")
                raise ValueError(f"{where}: {key}: as planned {other}; {shotlog.AGAIN}")
        shots[line["id"]] = _read_output(line)
    for shot in shotlog.wanted(path.parent, plan):
        missing = ended or f"shot {shot['id']}: no line in {path.name}"
        yield shots.get(shot["id"]) or _failed(shot, missing)


def _told(plan: Plan, planned: Planned, machine: str) -> Iterator[tuple[str, object]]:
    """What the line of a planned shot has from its plan, and from where it lies."""
    yield from ((key, value) for key, value in planned.items() if key not in shotlog.FILLED)
    yield "session", plan["key"]
    yield from pick(plan, ["subsystem", "tier", "profile"]).items()
    yield "engine_hash", plan["engines"][planned["engine"]]["source_hash"]
    yield "machine", machine


def _failed(shot: Planned, reason: str) -> Shot:
    return cast(Shot, {**shot, "status": "failed", "reason": excerpt.line(reason)})


def _read_output(line: Line) -> Shot:
    """The shot with `values`, one a column, in place of its native text; failed if unreadable."""
    shot = cast(Shot, {**line, "native": ""})
    if shot["status"] != "ok":
        return shot
    try:
        return shot | {"values": _values(shot, line["native"])}
    except ValueError as error:
        return _failed(shot, f"shot {shot['id']}: output of {shot['harness']}: {error}")


LARGEST = 1e100
"""Of what a metric may be, and one over it the smallest but 0: ratios and squares stay finite."""

COUNTED = 2.0**53
"""The largest exact counter: beyond it two whole numbers may be one and the same float."""


MAY_BE_ZERO = ("cpu_time", "timer_resolution")
"""How columns in seconds begin that may be 0, as what takes less than a tick of its clock."""


def _values(shot: Shot, native: str) -> dict[str, float]:
    """Median over the shot's iterations of each metric that was printed, in SI base units."""
    printed: dict[str, list[Record]] = {}
    for record in harness.parse(shot["harness"], native):
        printed.setdefault(record.metric, []).append(record)
    listed = shot["metrics"]
    if unknown := sorted(printed.keys() - listed.keys()):
        raise ValueError(f"metric {unknown[0]!r} is not in the manifest, which lists {[*listed]}")
    values = {}
    for name, metric in listed.items():
        records = printed.get(name, [])
        try:
            _check(metric, records, shot["wall_s"])
        except ValueError as error:
            raise ValueError(f"metric {name!r}: expected {error}") from None
        values[metric["column"]] = median(record.value for record in records) * metric["factor"]
    return values


def _check(metric: Metric, records: Sequence[Record], wall_s: float) -> None:
    """ValueError where a shot of `wall_s` seconds cannot have measured these values."""
    column, times = metric["column"], len(records)
    if times == 0 or (times > 1 and not metric["repeated"]):
        wanted = "one value or more" if metric["repeated"] else "one value"
        raise ValueError(f"{wanted} a shot, found {times}")
    values = [record.value * metric["factor"] for record in records]
    took = column == "time" or (metric["unit"] == "s" and not column.startswith(MAY_BE_ZERO))
    if min(values) < 0 or (took and min(values) == 0):
        raise ValueError(f"{'more than' if took else 'at least'} 0, found {min(values):g}")
    if max(values) > LARGEST or any(0 < value < 1 / LARGEST for value in values):
        raise ValueError(f"0 or from {1 / LARGEST:g} to {LARGEST:g}, found {[*values]}")
    if metric["exact"] and max(values) > COUNTED:
        raise ValueError(f"at most 2^53 of an exact counter, found {max(values):g}")
    if metric["exact"] and len(set(values)) > 1:
        raise ValueError(f"the same value again of an exact counter, found {[*values]}")
    timed_s = sum(v * record.repeats for v, record in zip(values, records, strict=True))
    # Several CPUs may give more CPU time than the clock tells.
    by_clock = metric["unit"] == "s" and not column.startswith("cpu_time")
    if by_clock and timed_s > wall_s:
        raise ValueError(
            f"no more than the {wall_s:g} s that the whole shot took, found {timed_s:g} s"
        )


_OWN: list[dict[str, Any]] = [
    {"column": "time", "unit": "s", "better": "lower", "exact": False},
    {"column": "cpu_time", "unit": "s", "better": "lower", "exact": False},
    {"column": "peak_rss", "unit": "B", "better": "lower", "exact": False},
]
"""Metrics that a row can have although no manifest lists them."""


def _rows(shot: Shot, role: str) -> Iterator[Row]:
    """The rows of a shot: one a metric, or one without a value when it is not ok."""
    ran = shot.get("exit_code") is not None
    facts = {
        **pick(shot, ["workload", "engine", "arm", "scale", "block", "slot"]),
        **pick(shot, ["seed", "status", "reason"]),
        "role": role,
        "variant": variant_string(shot["variant"]),
        "shot": shot["id"],
        "noisy": shot.get("noisy", False),
        "engine_hash": shot.get("engine_hash", ""),
        "started_at": shot["started_at"] if ran else None,
        "wall_s": shot["wall_s"] if ran else None,
        "cpu_s": shot["cpu_user_s"] + shot["cpu_system_s"] if ran else None,
        "peak_rss_bytes": shot["peak_rss_bytes"] if ran else None,
        "group_peak_bytes": shot.get("group_peak_bytes") if ran else None,
        "throttled_s": shot.get("throttled_s") if ran else None,
        "fsync_s": shot.get("before", {}).get("calibration_fdatasync_s") if ran else None,
    }
    values: dict[str, float | None] = {"time": None}
    if shot["status"] == "ok":
        process = {"cpu_time": facts["cpu_s"], "peak_rss": facts["peak_rss_bytes"]}
        values = {**process, **shot["values"]}
    listed: list[Mapping[str, Any]] = [*_OWN, *shot["metrics"].values()]
    metrics = {metric["column"]: metric for metric in listed}
    for column, value in values.items():
        about = pick(metrics[column], ["unit", "better", "exact"])
        yield facts | {"metric": column, **about, "value": value}
