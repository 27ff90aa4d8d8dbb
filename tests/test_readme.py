"""What the README says of speed is a claim, and the committed run supports it."""

import re
from pathlib import Path

import pandas as pd
import pytest

from assay import claims
from assay.analyse import tidy
from assay.analyse.judge import overall

ROOT = Path(__file__).parents[1]
SECTION = "README"
"""The section of the claims that the README makes; their report is this study."""

SPEED = re.compile(
    r"""\b( \d[\d.,]*\s* (?: [nµum]?s | seconds? | minutes? | min | hours? | times | fold
          | [kMGT]?B/s | (?: \w+ \s+ )? (?: a | per ) \s+ second | [kMG]?(?:/s|ops) )\b
      | \d[\d.,]*\s* [×%] | twice | half \s+ the )""",
    re.VERBOSE,
)
"""A number with a unit of time, of a rate, or of a ratio."""


def speeds(text: str) -> list[str]:
    """The numbers in `text` that say how fast something is; blocks of code say nothing."""
    prose = "\n".join(line for line in text.splitlines() if not line.startswith("    "))
    return [" ".join(found[0].split()) for found in SPEED.finditer(prose)]


def test_the_readme_says_what_the_committed_run_supports():
    said = set(speeds((ROOT / "README.md").read_text(encoding="utf-8")))
    homes = ROOT / "engines"
    made = [
        claim
        for of_file in claims.load_all(claims.FOLDER, homes).values()
        for claim in of_file
        if claim.section == SECTION
    ]
    claimed = {number for claim in made for number in speeds(claim.text)}
    assert said == claimed, "numbers of the README and of its claims in config/claims"
    paths = (ROOT / "data" / "reference").glob("*/verdicts.parquet")
    judged = overall(pd.concat(map(tidy.read, paths)))
    verdicts = {claim.id: judged[claim.subsystem, claim.id] for claim in made}
    assert set(verdicts.values()) <= {"supported", "equivalent"}, verdicts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("takes at least\n8 times as long", ["8 times"]),
        ("a draw costs 21.5 ns, and 2.1× that with a log", ["21.5 ns", "2.1×"]),
        ("1,000 draws a second; 12 % less", ["1,000 draws a second", "12 %"]),
        ("twice as fast", ["twice"]),
        ("set up in 3 minutes", ["3 minutes"]),
        ("Debian 12 as root, 8 blocks, 10,000 draws, python3", []),
        ("prose\n\n    code that sleeps 3 s\n", []),
    ],
)
def test_numbers_of_speed_are_found(text, found):
    assert speeds(text) == found
