"""The JSON that Google Benchmark prints with `--benchmark_format=json`.

Format: https://github.com/google/benchmark/blob/main/docs/user_guide.md#output-formats
"""

import re

from assay.raw.harness.base import ParseError, Record
from assay.raw.harness.document import Value, read

_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}

# Numbers that describe a run and are not measured by it.
_ABOUT = {
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
}


def parse(text: str) -> list[Record]:
    """`real_time` and `cpu_time` in seconds an iteration, and every user counter as printed.

    Repetitions are iterations of the shot. Aggregates repeat what the repetitions say, and are
    passed over, but for percentiles: `real_time_p99` and `cpu_time_p99` come from an aggregate p99,
    `_p999` from one named p999. A shot measures one cell, so a second benchmark name is an error.
    """
    records: list[Record] = []
    only = ""
    for run in read(text)["benchmarks"]:
        kind, suffix = run["run_type"].text(), ""
        if kind == "aggregate":
            aggregate = run["aggregate_name"].text()
            if not re.fullmatch(r"p\d+", aggregate):
                continue
            suffix = f"_{aggregate}"
        elif kind != "iteration":
            raise ParseError(run["run_type"].line, f"run_type: expected iteration, found {kind}")
        names, name = run.keys(), run["run_name"].text()
        if name != (only := only or name):
            raise ParseError(run.line, f"expected one benchmark a shot, found {name} after {only}")
        for message, said in (("error_message", "failed"), ("skip_message", "was skipped")):
            if message in names:
                raise ParseError(run.line, f"{name} {said}: {run[message].text()}")
        repeats = 1.0
        if "iterations" in names and kind == "iteration":
            repeats = run["iterations"].number()
            if repeats < 1:
                raise ParseError(run["iterations"].line, f"{name}: expected at least one iteration")
        for metric in ("real_time", "cpu_time"):
            value = run[metric].number() * _unit(run)
            records.append(Record(metric + suffix, value, repeats))
        for counter in () if suffix else names:
            if counter not in {"real_time", "cpu_time", *_ABOUT} and run[counter].is_number():
                records.append(Record(counter, run[counter].number()))
    return records


def _unit(run: Value) -> float:
    unit = run["time_unit"]
    if unit.text() not in _SECONDS:
        wanted = ", ".join(_SECONDS)
        raise ParseError(unit.line, f"time_unit: expected one of {wanted}, found {unit.text()}")
    return _SECONDS[unit.text()]
