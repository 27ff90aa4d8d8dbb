"""JSON lines of our own, for load generators: `{"metric": "requests", "value": 12}` on each."""

from assay.raw.harness.base import ParseError, Record
from assay.raw.harness.document import read


def parse(text: str) -> list[Record]:
    """One record a line; each of a metric is an iteration of it. Empty lines are skipped."""
    records: list[Record] = []
    for i, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        members = read(line, i)
        if set(members.keys()) != {"metric", "value"}:
            raise ParseError(i, f"expected an object with metric and value, found {line}")
        records.append(Record(members["metric"].text(), members["value"].number()))
    return records
