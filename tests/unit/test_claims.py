"""Claims: those of the project are sound, and a slip in one is refused by file, line and name."""

import re
from math import inf
from pathlib import Path

import pytest
import yaml

from assay import published
from assay.inputs import claims
from assay.inputs.validation import ConfigurationError

ENGINES = Path(__file__).parents[2] / "engines"

LEAST = {"acp": 12, "smt": 12, "transcode": 16, "ldp": 10, "rewardpool": 10}
SI = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}

DRAW = """\
subsystem: rewardpool
claims:
  - id: first
    claim: Nothing is faster than something.
    source: {report: A, section: B}
    workload: draw
    cell: {variant: {durability: none, commit: 1}}
    base: {variant: {durability: mmap, commit: 1}}
    comparator: below
    value: 1
"""


def load(tmp_path: Path, text: str) -> list[claims.Claim]:
    path = tmp_path / "rewardpool.yaml"
    path.write_text(text)
    return claims.load(path, claims.engines(ENGINES / "rewardpool"))


@pytest.mark.parametrize("subsystem", LEAST)
def test_every_report_has_its_claims(subsystem: str) -> None:
    loaded = claims.load(claims.FOLDER / f"{subsystem}.yaml", claims.engines(ENGINES / subsystem))
    reports = {claim.report for claim in loaded}
    title = published.read(subsystem)["source"].iloc[0]
    assert reports - {claims.OWN} == {title}
    assert sum(claim.report == title for claim in loaded) >= LEAST[subsystem]
    assert any(claim.not_testable for claim in loaded)


def quoted(claim: claims.Claim) -> list[str]:
    """The times and sizes in the text of a claim that are no bound of its own."""
    found = re.findall(rf"(\d[\d,]*(?:\.\d+)?) ({'|'.join(SI)})\b", claim.text)
    values = {
        f"{number} {unit}": float(number.replace(",", "")) * SI[unit] for number, unit in found
    }
    return [text for text, value in values.items() if value not in (claim.low, claim.high)]


@pytest.mark.parametrize("subsystem", LEAST)
def test_times_and_sizes_in_a_published_claim_are_printed_ones(subsystem: str) -> None:
    loaded = claims.load(claims.FOLDER / f"{subsystem}.yaml", claims.engines(ENGINES / subsystem))
    printed = published.read(subsystem)["value"].dropna()
    for claim in loaded:
        for text in quoted(claim) if claim.report != claims.OWN else []:
            number, unit = text.replace(",", "").split()
            digits = len(number.replace(".", "").lstrip("0")) - 1
            rounded = {f"{value:.{digits}e}" for value in printed}
            assert f"{float(number) * SI[unit]:.{digits}e}" in rounded, f"{claim.id}: {text}"


def test_every_file_of_claims_is_of_a_report() -> None:
    assert {path.stem for path in claims.FOLDER.glob("*.yaml")} == set(LEAST)


def test_a_claim_is_read(tmp_path: Path) -> None:
    [claim] = load(tmp_path, DRAW)
    variant = "commit=1,durability=none"
    assert claim.cell == claims.Cell("reference", "draw", variant, None)
    assert (claim.low, claim.high, claim.metric, claim.scales) == (0, 1, "time", (1, inf))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "workload: draw",
            "workload: drew",
            ":3: first: cell.workload: .*'draw', found 'drew'",
        ),
        ("cell: {", "cell: {engine: etcd, ", ":3: first: cell.engine: .*nearest 'etcd-wal'"),
        (
            "cell: {",
            "metric: tim\n    cell: {",
            "first: cell.metric: .*nearest 'time', found 'tim'",
        ),
        ("durability: mmap", "durability: map", "base.variant: .*durability=mmap', found"),
        ("base: {", "base: {scale: 1000000, ", "expected a scale of both or of neither"),
        ("value: 1", "interval: [1, 2]", "value: expected the value that comparator below"),
        ("comparator: below", "comparator: within", "interval: expected the two ends that"),
        ("base: {", "base: {workload: recover, ", "base.variant: .*nearest ''"),
        ("durability: mmap", "durability: file", "scales: expected a scale at which every cell"),
        ("    value: 1", "    value: 1\n    scales: [2, 3]", "scales: expected a scale at which"),
        ("comparator: below", "comparator: less", "comparator: expected below, above or within"),
        ("    value: 1", "    value: 1\n    scales: [9, 2]", "expected the lower end first"),
        ("    comparator: below\n    value: 1\n", "", "expected a claim: either not_testable"),
        ("subsystem: rewardpool", "subsystem: acp", "subsystem: expected rewardpool, found acp"),
    ],
)
def test_a_slip_is_refused(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert old in DRAW
    with pytest.raises(ConfigurationError, match=expected) as refused:
        load(tmp_path, DRAW.replace(old, new, 1))
    assert str(refused.value).startswith(str(tmp_path / "rewardpool.yaml:"))


CURVE = """\
subsystem: rewardpool
claims:
  - id: first
    claim: Twice the items take no more time.
    source: {report: A, section: B}
    workload: select
    statistic: exponent
    cell: {variant: {selector: alias}}
    comparator: below
    value: 0.1
"""


def test_a_claim_of_an_exponent_is_read(tmp_path: Path) -> None:
    [claim] = load(tmp_path, CURVE)
    assert (claim.low, claim.high, claim.statistic) == (-inf, 0.1, "exponent")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("exponent", "slope", "statistic: expected exponent, or no such key"),
        ("    comparator", "    base: {}\n    comparator", "base: expected no base: an exponent"),
        ("cell: {", "cell: {scale: 10, ", "cell.scale: expected no scale: an exponent is over"),
        ("    value", "    scales: [10, 1000]\n    value", "4 scales for an exponent, found 2"),
    ],
)
def test_a_slip_in_a_claim_of_an_exponent_is_refused(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    assert old in CURVE
    with pytest.raises(ConfigurationError, match=expected):
        load(tmp_path, CURVE.replace(old, new, 1))


def test_all_problems_are_told_with_the_line_of_their_claim(tmp_path: Path) -> None:
    second = DRAW[DRAW.index("  - id") :].replace("scale", "scales")
    wrong = second.replace("workload: draw", "workload: recovr")
    with pytest.raises(ConfigurationError) as refused:
        load(tmp_path, DRAW + wrong)
    problems = refused.value.problems
    file = tmp_path / "rewardpool.yaml"
    assert [problem.split(": ")[0] for problem in problems] == [f"{file}:11"] * 3
    assert "an id of its own" in problems[0]
    assert "nearest 'recover'" in problems[1]


def test_a_scale_that_no_tier_runs_is_refused(tmp_path: Path) -> None:
    value = yaml.safe_load(DRAW)
    for name in ("cell", "base"):
        value["claims"][0][name]["scale"] = 7
    with pytest.raises(ConfigurationError, match=r"cell.scale: .*nearest '.*', found '7'"):
        load(tmp_path, yaml.safe_dump(value))
