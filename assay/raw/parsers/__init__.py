"""Parsers of what harnesses print: native text in, records out."""

from assay.raw.parsers import gobench, googlebench, hyperfine, jsonlines
from assay.raw.parsers.record import ParseError, Record

__all__ = ["ParseError", "Record", "parse"]

_PARSERS = {
    "gobench": gobench.parse,
    "googlebench": googlebench.parse,
    "hyperfine": hyperfine.parse,
    "jsonlines": jsonlines.parse,
}


def parse(harness: str, text: str) -> list[Record]:
    """The records in the native `text` of `harness`, in the order they were printed.

    Raises ParseError, with line and reason, for anything the parser does not understand, and for a
    text without a record.
    """
    records = _PARSERS[harness](text)
    if not records:
        raise ParseError(text.count("\n") + 1, "expected a result, found the end of the output")
    return records
