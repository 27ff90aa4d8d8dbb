"""The text of Go benchmarks.

Format: https://go.googlesource.com/proposal/+/master/design/14313-benchmark-format.md
"""

import math
import re

from assay.raw.harness.base import ParseError, Record

# Configuration lines `key: value`, unit lines, and what `go test` prints about itself.
_IGNORED = re.compile(r"\s*$|[a-z][^\sA-Z:]*:(\s|$)|Unit\s|PASS$|ok\s")


def parse(text: str) -> list[Record]:
    """One record for each value of each result line; native names are the units (`ns/op`).

    A shot measures one cell, so a second benchmark name is an error.
    """
    records: list[Record] = []
    only = ""
    for i, line in enumerate(text.split("\n"), start=1):
        fields = line.split()
        if not line.startswith("Benchmark"):
            if not _IGNORED.match(line):
                raise ParseError(i, f"expected a benchmark result, found {line!r}")
            continue
        name, *rest = fields
        if not rest:
            continue  # with -test.v the name stands alone on a line before the result
        if name != (only := only or name):
            raise ParseError(i, f"expected one benchmark a shot, found {name} after {only}")
        count, *pairs = rest
        if not count.isdecimal() or not pairs or len(pairs) % 2:
            raise ParseError(i, f"expected name, count, pairs of value and unit, found {line!r}")
        iterations = _number(count, i, f"{name}: iterations")
        if iterations == 0:
            raise ParseError(i, f"{name}: expected at least one iteration, found 0")
        for value, unit in zip(pairs[::2], pairs[1::2], strict=True):
            repeats = iterations if unit == "ns/op" else 1.0
            records.append(Record(unit, _number(value, i, unit), repeats))
    return records


def _number(text: str, line: int, unit: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ParseError(line, f"{unit}: expected a finite number, found {text!r}")
    return value
