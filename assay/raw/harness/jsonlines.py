"""JSON lines of our own, for load generators: `{"metric": "requests", "value": 12}` on each."""

from collections import Counter

from assay.raw.harness.base import ParseError, Record
from assay.raw.harness.document import read


def parse(text: str) -> list[Record]:
    """One record a line; the n-th line of a metric is its iteration n. Empty lines are skipped."""
    records: list[Record] = []
    seen: Counter[str] = Counter()
    for i, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        members = read(line, i)
        if set(members.keys()) != {"metric", "value"}:
            raise ParseError(i, f"expected an object with metric and value, found {line}")
        metric = members["metric"].text()
        records.append(Record(metric, seen[metric], members["value"].number()))
        seen[metric] += 1
    return records
