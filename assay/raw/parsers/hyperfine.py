"""The JSON that `hyperfine --export-json` writes: one command, one time a run."""

from assay.raw.parsers.document import read
from assay.raw.parsers.record import ParseError, Record


def parse(text: str) -> list[Record]:
    """The metric `time` of each run, in seconds of wall clock of the whole command."""
    results = list(read(text)["results"])
    if len(results) != 1:
        raise ParseError(1, f"results: expected one command a shot, found {len(results)}")
    for code in results[0]["exit_codes"]:
        if code.number() != 0:
            raise ParseError(code.line, f"{code.name}: expected 0, found {code.number():g}")
    return [Record("time", i, t.number()) for i, t in enumerate(results[0]["times"])]
