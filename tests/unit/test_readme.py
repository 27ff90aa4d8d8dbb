"""What the README says of speed is a claim, and the committed run supports it."""

import re
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from assay.analyse.judge import overall
from assay.inputs import claims, tiers
from assay.tables import io

ROOT = Path(__file__).parents[2]
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


@cache
def made() -> list[claims.Claim]:
    """The claims of the README."""
    loaded = claims.load_all(claims.FOLDER, ROOT / "engines").values()
    return [claim for of_file in loaded for claim in of_file if claim.section == SECTION]


def unfounded(readme: str, judged: "pd.Series[str]") -> list[str]:
    """Numbers of the README without a claim or the other way round, and claims that do not hold."""
    claimed = {number for claim in made() for number in speeds(claim.text)}
    verdicts = {claim.id: judged[claim.subsystem, claim.id] for claim in made()}
    return [
        *sorted(claimed.symmetric_difference(speeds(readme))),
        *(f"{name}: {said}" for name, said in verdicts.items() if said not in HOLDS),
    ]


HOLDS = ("supported", "equivalent")
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def judged() -> "pd.Series[str]":
    """The verdicts of the committed run."""
    paths = (ROOT / "data" / "reference").glob("*/verdicts.parquet")
    return overall(pd.concat(map(io.read, paths)))


def test_the_readme_says_what_the_committed_run_supports(judged: pd.DataFrame) -> None:
    assert unfounded(README, judged) == []


def test_a_readme_that_says_more_or_less_than_the_run_is_found(judged: pd.DataFrame) -> None:
    assert unfounded(README + "\nA draw is 777 times as fast.\n", judged) == ["777 times"]
    first = speeds(README)[0]
    assert first in unfounded(README.replace(first, "many times"), judged)
    against = judged.copy()
    one = made()[0]
    against[one.subsystem, one.id] = "contradicted"
    assert unfounded(README, against) == [f"{one.id}: contradicted"]


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
def test_numbers_of_speed_are_found(text: str, found: list[str]) -> None:
    assert speeds(text) == found


IN_README = {
    "rewardpool": "a stand-in of the published pool, tidwall/wal and rosedb",
    "smt": "both releases of the published library and nomt",
    "acp": "both generations of acp_core and Cedar",
    "transcode": "libprotobuf 3.21, protojson and Envoy",
    "ldp": "Lakesuperior 1.0a18, Fedora 4.7.5 and Oxigraph",
}
PEERS = {
    "rewardpool": ["channel-text", "tidwall-wal", "rosedb-wal"],
    "smt": ["pokt-smt-v0-10", "pokt-smt-v0-14", "nomt"],
    "acp": ["acp-core-2025", "acp-core-2024", "cedar-go"],
    "transcode": ["libprotobuf-3-21", "protojson", "envoy"],
    "ldp": ["lakesuperior-a18", "fcrepo-4-7-5", "oxigraph"],
}
"""The peers that those words name."""


def test_the_readme_says_which_peers_the_default_measures() -> None:
    said = " ".join((ROOT / "README.md").read_text().split())
    assert (
        f"The default measures three of the others each: {'; '.join(IN_README.values())}." in said
    )
    selected = {name: tiers.load(ROOT, name)["standard"] for name in PEERS}
    assert {name: list(one.peers) for name, one in selected.items()} == PEERS
