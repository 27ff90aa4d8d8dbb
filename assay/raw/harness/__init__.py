"""Harnesses, one a file: how each runs a command, and what it prints as records."""

from assay.raw.harness import gobench, googlebench, hyperfine, jsonlines
from assay.raw.harness.base import MOST, Ended, Harness, ParseError, Record

__all__ = ["HARNESSES", "MOST", "Ended", "Harness", "ParseError", "Record", "parse"]

HARNESSES = {
    "gobench": Harness(gobench.parse),
    "googlebench": Harness(googlebench.parse),
    "hyperfine": Harness(hyperfine.parse, hyperfine.command, hyperfine.output),
    "jsonlines": Harness(jsonlines.parse),
}


def parse(harness: str, text: str) -> list[Record]:
    """The records in the native `text` of `harness`, in the order they were printed.

    Raises ParseError, with line and reason, for anything the parser does not understand, and for a
    text without a record.
    """
    records = HARNESSES[harness].parse(text)
    if not records:
        raise ParseError(text.count("\n") + 1, "expected a result, found the end of the output")
    return records
