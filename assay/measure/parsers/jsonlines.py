"""JSON lines of our own, for load generators: `{"metric": "requests", "value": 12}` on each."""

import json
from collections import Counter

from assay.measure.parsers.record import ParseError, Record, number


def parse(text: str) -> list[Record]:
    """One record a line; the n-th line of a metric is its iteration n. Empty lines are skipped."""
    records: list[Record] = []
    seen: Counter[str] = Counter()
    for i, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except json.JSONDecodeError as error:
            raise ParseError(i, f"expected a JSON object, found {line!r} ({error.msg})") from error
        if not isinstance(found, dict) or set(found) != {"metric", "value"}:
            raise ParseError(i, f"expected an object with metric and value, found {line}")
        metric, value = found["metric"], found["value"]
        if not isinstance(metric, str) or isinstance(value, str):
            raise ParseError(i, f"expected metric as text and value as a number, found {line}")
        records.append(Record(metric, seen[metric], number(value, i, metric)))
        seen[metric] += 1
    return records
