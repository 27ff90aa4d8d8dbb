"""hyperfine: it times a command as a whole, and writes JSON to a file of its own."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from assay.raw.harness.base import MOST, Ended, ParseError, Record
from assay.raw.harness.document import read
from assay.system import excerpt


def command(argv: Sequence[str], exported: Path) -> list[str]:
    """One run without a shell. Output is shown so that a failure's reason can be kept."""
    options = ["--runs", "1", "-N", "--show-output", "--export-json", str(exported)]
    return ["hyperfine", *options, shlex.join(argv)]


def output(ended: Ended, exported: Path) -> Ended:
    """The exported JSON is the output, and the command's own last words are the reason.

    The last line on hyperfine's standard error says how the command ended, with a colon before the
    code up to 1.15; what is before it, and after the heading on its standard output, is the
    command's.
    """
    native = ""
    if exported.exists():
        with exported.open("rb") as file:
            native = excerpt.end(file, MOST + 1)
    words = [line for line in ended.stderr.splitlines() if line.strip()]
    if ended.exit_code != 1 or not words:
        return ended._replace(stdout=native)
    *said, end = [*ended.stdout.splitlines()[1:], *words]
    end = re.sub(r"^Error: |( in the first benchmark run)?\. Use .*", "", end)
    end = end.replace("exit code: ", "exit code ")
    return ended._replace(stdout=native, reason=": ".join([end, *said[-1:]]))


def parse(text: str) -> list[Record]:
    """The metric `time` of each run, in seconds of wall clock of the whole command."""
    results = list(read(text)["results"])
    if len(results) != 1:
        raise ParseError(1, f"results: expected one command a shot, found {len(results)}")
    for code in results[0]["exit_codes"]:
        if code.number() != 0:
            raise ParseError(code.line, f"{code.name}: expected 0, found {code.number():g}")
    return [Record("time", time.number()) for time in results[0]["times"]]
