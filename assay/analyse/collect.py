"""From the raw data of sessions to tidy tables; each is checked when written and when read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import pandas as pd

from assay.analyse import agreement
from assay.inputs.variant import variant_string
from assay.raw import parsers, provenance, shotlog
from assay.raw.parsers import Record
from assay.system import excerpt, files
from assay.tables import io, schemas
from assay.tables.rows import Row

Shot = dict[str, Any]


def collect(session_dirs: list[Path], out: Path) -> None:
    """Write measurements and session.json of one subsystem to `out`, from its raw sessions.

    A shot whose output cannot be read becomes a failed one, with the reason. session.json tells
    of the first session; the others, if any, are in its `other_sessions`.
    """
    tables, about = [], []
    for folder in session_dirs:
        plan = shotlog.plan(folder)
        shots = agreement.held(list(_shots(folder / "shots.jsonl", plan)), _roles(plan))
        tables.append(_table(plan, shots, provenance.machine(folder)))
        facts = files.read_json(folder / "machine.json")
        about.append(provenance.describe(folder, plan, facts, shots))
    io.write("measurements", pd.concat(tables, ignore_index=True), out)
    files.write_json(out / "session.json", about[0] | {"other_sessions": about[1:]})


def measurements(
    plan: Mapping[str, Any], shots: Iterable[Mapping[str, Any]], machine: str
) -> pd.DataFrame:
    """Table `measurements` of lines of shots.jsonl."""
    read = [_read_output(dict(shot)) for shot in shots]
    return _table(plan, agreement.held(read, _roles(plan)), machine)


def _table(plan: Mapping[str, Any], shots: Iterable[Shot], machine: str) -> pd.DataFrame:
    common = {key: plan[key] for key in ("profile", "subsystem", "tier")}
    common |= {"machine": machine, "session": plan["key"]}
    roles = _roles(plan)
    rows = [common | row for shot in shots for row in _rows(shot, roles[shot["engine"]])]
    return schemas.table("measurements", rows)


def _roles(plan: Mapping[str, Any]) -> dict[str, str]:
    return {name: engine["role"] for name, engine in plan["engines"].items()}


def _shots(path: Path, plan: dict[str, Any]) -> Iterator[Shot]:
    """Every shot of the plan, in order and read; one without a whole line is a failed one."""
    planned = {shot["id"]: shot for shot in plan["shots"]}
    found: dict[str, Shot] = {}
    for number, shot in enumerate(shotlog.read(path), start=1):
        where = f"{path}: line {number}"
        if shot["id"] not in planned:
            raise ValueError(f"{where}: expected a shot of the plan, found {shot['id']}")
        if shot["id"] in found:
            raise ValueError(f"{where}: expected shot {shot['id']} only once")
        for key, wanted in _told(plan, planned[shot["id"]], provenance.machine(path.parent)):
            if key not in shot or shot[key] != wanted:
                told = excerpt.line(f"expected {wanted!r}, found {shot.get(key)!r}")
                raise ValueError(f"{where}: {key}: as planned {told}; {shotlog.AGAIN}")
        found[shot["id"]] = _read_output(shot)
    for shot in shotlog.wanted(path.parent, plan):
        yield found.get(shot["id"]) or _failed(shot, f"shot {shot['id']}: no line in {path.name}")


def _told(plan: Mapping[str, Any], planned: Shot, machine: str) -> Iterator[tuple[str, Any]]:
    """What the line of a planned shot has from its plan, and from where it lies."""
    yield from ((key, value) for key, value in planned.items() if key not in shotlog.FILLED)
    yield "session", plan["key"]
    yield from ((key, plan[key]) for key in ("subsystem", "tier", "profile"))
    yield "engine_hash", plan["engines"][planned["engine"]]["source_hash"]
    yield "machine", machine


def _failed(shot: Shot, reason: str) -> Shot:
    return shot | {"status": "failed", "reason": excerpt.line(reason)}


def _read_output(shot: Shot) -> Shot:
    """The shot with `values`, one a column, in place of its native text; failed if unreadable."""
    native = shot.pop("native", "")
    if shot["status"] != "ok":
        return shot
    try:
        return shot | {"values": _values(shot, native)}
    except ValueError as error:
        return _failed(shot, f"shot {shot['id']}: output of {shot['harness']}: {error}")


LARGEST = 1e100
"""Of what a metric may be, and one over it the smallest but 0: ratios and squares stay finite."""

COUNTED = 2.0**53
"""The largest exact counter: beyond it two whole numbers may be one and the same float."""


def _values(shot: Shot, native: str) -> dict[str, float]:
    """Median over the shot's iterations of each metric that was printed, in SI base units."""
    printed: dict[str, list[Record]] = {}
    for record in parsers.parse(shot["harness"], native):
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


def _check(metric: Mapping[str, Any], records: Sequence[Record], wall_s: float) -> None:
    """ValueError where a shot of `wall_s` seconds cannot have measured these values."""
    column, times = metric["column"], len(records)
    if times == 0 or (times > 1 and not metric["repeated"]):
        wanted = "one value or more" if metric["repeated"] else "one value"
        raise ValueError(f"{wanted} a shot, found {times}")
    values = [record.value * metric["factor"] for record in records]
    if min(values) < 0 or (column == "time" and min(values) == 0):
        raise ValueError(
            f"{'more than' if column == 'time' else 'at least'} 0, found {min(values):g}"
        )
    if max(values) > LARGEST or any(0 < value < 1 / LARGEST for value in values):
        raise ValueError(f"0 or from {1 / LARGEST:g} to {LARGEST:g}, found {[*values]}")
    if metric["exact"] and max(values) > COUNTED:
        raise ValueError(f"at most 2^53 of an exact counter, found {max(values):g}")
    if metric["exact"] and len(set(values)) > 1:
        raise ValueError(f"the same value again of an exact counter, found {[*values]}")
    timed_s = sum(v * record.repeats for v, record in zip(values, records, strict=True))
    if _is_clock(metric) and timed_s > wall_s:
        raise ValueError(
            f"no more than the {wall_s:g} s that the whole shot took, found {timed_s:g} s"
        )


def _is_clock(metric: Mapping[str, Any]) -> bool:
    """Whether the metric is a time by the clock; several CPUs may give more CPU time than that."""
    return metric["unit"] == "s" and not metric["column"].startswith("cpu_time")


_OWN = [
    {"column": "time", "unit": "s", "better": "lower", "exact": False},
    {"column": "cpu_time", "unit": "s", "better": "lower", "exact": False},
    {"column": "peak_rss", "unit": "B", "better": "lower", "exact": False},
]
"""Metrics that a row can have although no manifest lists them."""


def _rows(shot: Shot, role: str) -> Iterator[Row]:
    """The rows of a shot: one a metric, or one without a value when it is not ok."""
    ran = shot.get("exit_code") is not None
    facts = {
        **{key: shot[key] for key in ("workload", "engine", "arm", "scale", "block", "slot")},
        **{key: shot[key] for key in ("seed", "status", "reason")},
        "role": role,
        "variant": variant_string(shot["variant"]),
        "shot": shot["id"],
        "noisy": shot.get("noisy", False),
        "engine_hash": shot.get("engine_hash", ""),
        "started_at": shot["started_at"] if ran else None,
        "wall_s": shot["wall_s"] if ran else None,
        "cpu_s": shot["cpu_user_s"] + shot["cpu_system_s"] if ran else None,
        "peak_rss_bytes": shot["peak_rss_bytes"] if ran else None,
        **{key: shot.get(key) if ran else None for key in ("group_peak_bytes", "throttled_s")},
        "fsync_s": shot.get("before", {}).get("calibration_fdatasync_s") if ran else None,
    }
    values = {"time": None}
    if shot["status"] == "ok":
        process = {"cpu_time": facts["cpu_s"], "peak_rss": facts["peak_rss_bytes"]}
        values = process | shot["values"]
    metrics = {metric["column"]: metric for metric in [*_OWN, *shot["metrics"].values()]}
    for column, value in values.items():
        metric = metrics[column]
        yield facts | {
            "metric": column,
            "unit": metric["unit"],
            "better": metric["better"],
            "exact": metric["exact"],
            "value": value,
        }
