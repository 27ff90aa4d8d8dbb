"""A number in prose is computed, quoted from a published report, or listed here with its reason."""

import json
import re
from pathlib import Path

import pytest

from assay.analyse import medians
from assay.analyse.judge import MARGIN
from assay.analyse.medians import EQUIVALENCE_LEVEL

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

METHOD = [
    f"{medians.LEVEL:.0%}".replace("%", " %"),
    f"{EQUIVALENCE_LEVEL:.0%}".replace("%", " %"),
    f"{medians.LEVEL * 100:.0f} times in 100",
    f"{MARGIN - 1:.0%}".replace("%", " %"),
    f"floor of {MARGIN:g}×",
    f"Below {medians.LEAST} blocks",
]
"""What the statistics are made with."""

EXEMPT = {
    "a ratio of 1, or a slope": [
        "excludes 1",
        "ratio of 1",
        "ratio is 1",
        "side of 1",
        "around 1",
        "near 1 ",
        "Right of 1",
        "Above 1,",
        "exponent of 1",
        "exponent of 0",
        "exponent 0",
        "scale 0",
        ", 0 for",
        "and 2 is one",
        "and 1 is a run",
    ],
    "a name or a version": [
        "Fedora 6",
        "Fedora 4.7.5",
        "Fedora 4",
        "libprotobuf 3.21",
        "1.0a18",
        "Debian 12",
        "Apache-2.0",
    ],
    "what a workload is made of, by its manifest": [
        "8,192 documents",
        "syncing 20 kB",
        "write of 4 KiB",
        "store of 16 bytes",
        "write of 16 bytes",
        "records of 32 bytes",
        "32 bytes long",
        "64 bytes written",
        "10,000 keys a commit",
        "filled with 100,000 keys",
        "array of 16,384 int32",
        "string of 1 MiB",
        "among 1,000,",
    ],
    "what the sources of an engine or a peer say": [
        "16 MiB of disk",
        "64 MiB of zeros",
        "(64 MB)",
        "(64 MiB)",
        "4 MiB are used",
        "4.4 MiB at a time",
        "16 children",
        "has 16 in its store and 2 in its proofs",
    ],
    "the shape of a trie of random keys": [
        "3.3 levels",
        "2.4427 nodes",
        "1/ln 2",
        "+ 2.33",
        "+ 2.4 a key",
        "+ 0.33",
        "log2",
    ],
    "the published program": [
        "children of 200 triples",
        "with 8 threads",
        "keys of 8 bytes",
        "0 to 31 layers",
    ],
}


def prose(path: Path) -> str:
    """What a person reads, without code and the targets of links."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
        text = "\n".join("".join(cell["source"]) for cell in cells)
    text = re.sub(r"`[^`]*`|\]\([^)]*\)|^ {4}.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"\s+", " ", text)


def published() -> set[str]:
    """The numbers of three digits and more that the published reports print."""
    texts = [path.read_text() for path in (ROOT / "data" / "published").glob("*.csv")]
    return {number for text in texts for number in re.findall(r"(?<![\d.])\d{3,}\b", text)}


def unexplained(text: str) -> list[str]:
    """The numbers in prose that are neither computed nor quoted nor listed."""
    exempt = [phrase for part in EXEMPT.values() for phrase in part]
    for phrase in sorted([*METHOD, *exempt], key=len, reverse=True):
        text = text.replace(phrase, "")
    quoted = published()
    numbers = [each.strip(",.") for each in re.findall(r"(?<![\w.])\d[\d,.]*", text)]
    return [each for each in numbers if each.replace(",", "") not in quoted]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_prose_of_a_notebook_holds_no_number_of_its_own(path: Path) -> None:
    assert unexplained(prose(path)) == []


def test_the_readme_says_no_number_but_those_of_its_claims() -> None:
    """`test_readme.py` holds each of its claims to the committed run."""
    said = re.sub(r"at least \d+ times", "", prose(ROOT / "README.md"))
    assert unexplained(said) == []


def test_every_exemption_is_needed() -> None:
    every = " ".join(map(prose, [*NOTEBOOKS, ROOT / "README.md"]))
    assert [one for part in EXEMPT.values() for one in part if one not in every] == []


def test_a_number_of_its_own_is_found() -> None:
    assert unexplained("It took 0.37 times as long, at 95 % of 100,000 keys.") == ["0.37"]
