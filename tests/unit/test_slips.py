"""Slips in the published reports: the known ones are found, and sound numbers give none."""

from math import inf
from pathlib import Path

import pandas as pd
import pytest

from assay import published
from assay.inputs.validation import ConfigurationError
from assay.published import slips
from assay.published.statements import Curve, Factor, Number, Pair, Statements, load


def numbers(*rows: tuple[str, str, str, str], error: float = 0.0) -> pd.DataFrame:
    """Published numbers of one section: row, column, printed, unit."""
    table = pd.DataFrame(rows, columns=["row", "column", "printed", "printed_unit"])
    values = [
        float(row["printed"]) * published.UNITS[row["printed_unit"]][1]
        for row in table.to_dict("records")
    ]
    return table.assign(section="Results / 10K", value=values, reading_error=error)


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    return slips.table()


def test_the_reports_have_these_slips(found: pd.DataFrame) -> None:
    assert found.groupby(["subsystem", "kind"]).size().to_dict() == {
        ("acp", "factor"): 8,
        ("ldp", "factor"): 3,
        ("ldp", "repeat"): 1,
        ("ldp", "share"): 6,
        ("ldp", "unit"): 2,
        ("rewardpool", "factor"): 5,
        ("smt", "factor"): 3,
        ("smt", "repeat"): 5,
        ("transcode", "factor"): 6,
        ("transcode", "line"): 2,
        ("transcode", "trend"): 2,
    }


@pytest.mark.parametrize(
    "arithmetic",
    [
        "66 ms / 2.2 s = 3.00 %",
        "50.1 µs/op / 54.6 µs/op = 0.9176",
        "184.3 ns/op × 5,799,531 draws/sec = 1.069",
        "512400 µs / (0.0116 µs/B × 33554432) = 1.316",
        "512400 µs / 0.05 (quoted) = 10.25",
        "298 Mb / 8 / 10000 resources = 3725 B < 100 × 64 B",
    ],
)
def test_the_arithmetic_is_shown(found: pd.DataFrame, arithmetic: str) -> None:
    assert arithmetic in set(found["arithmetic"])


@pytest.mark.parametrize(("printed", "slips_found"), [("126", 1), ("127", 0), ("126.5", 0)])
def test_a_share_is_rounded_as_printed(printed: str, slips_found: int) -> None:
    ldp = numbers(
        ("FCREPO / Modeshape 4.7.5", "PUT", "49", "ms"),
        ("other", "PUT", "62", "ms"),
        ("other", "PUT, share of the first row", printed, "%"),
        ("other", "unknown part, share of PUT", "7", "%"),
    )
    assert len(list(slips.shares({"ldp": ldp}))) == slips_found


@pytest.mark.parametrize(
    ("low", "high", "slips_found"), [(2, 4, 0), (3, 3, 0), (3.1, inf, 1), (0, 2.9, 1)]
)
def test_a_factor_is_held_against_its_range(low: float, high: float, slips_found: int) -> None:
    table = numbers(("a", "time", "6", "ms"), ("b", "time", "1", "ms"))
    over, under = Number("10K", "a", "time"), Number("10K", "b", "time")
    said = Factor("x", "three times", (over,), (under, 2.0), low, high)
    assert len(list(slips.factor({"x": table}, said))) == slips_found


@pytest.mark.parametrize(
    ("values", "error", "linear", "trending"),
    [
        (("10", "20", "30"), 0.0, True, True),
        (("10", "20", "45"), 0.0, False, True),
        (("10", "20", "45"), 5.0, True, False),
        (("10", "20", "15"), 0.0, False, False),
        (("30", "20", "10"), 0.0, False, True),
    ],
)
def test_curves(values: tuple[str, ...], error: float, linear: bool, trending: bool) -> None:
    rows = [(f"series, {at}", "time", value, "") for at, value in enumerate(values)]
    said = Curve("x", "a curve", "10K", "series", "time")
    tables = {"x": numbers(*rows, error=error)}
    assert (not list(slips.line(tables, said))) == linear
    assert bool(list(slips.trend(tables, said))) == trending


@pytest.mark.parametrize(("other", "slips_found"), [("1.194", 1), ("1.195", 0)])
def test_a_repeated_number_is_found(other: str, slips_found: int) -> None:
    table = numbers(("a", "time", "1.194", "s"), ("b", "time", other, "s"))
    said = Pair("x", "they differ", *(Number("10K", row, "time") for row in "ab"))
    assert len(list(slips.repeat({"x": table}, said))) == slips_found


@pytest.mark.parametrize(("printed", "unit", "slips_found"), [("298", "Mb", 1), ("3.7", "Gb", 0)])
def test_bits_too_few_for_the_content(printed: str, unit: str, slips_found: int) -> None:
    assert len(list(slips.units({"ldp": numbers(("a", "Store", printed, unit))}))) == slips_found


def test_a_statement_is_read_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(
        """
factors:
  - {says: twice, over: [[10K, a, time]], under: [2.5, [10K, b, time]], within: [1.8, 2.2]}
  - {says: slower, over: [[10K, a, time]], above: 1}
  - {says: faster, over: [[10K, a, time]], below: 1}
lines: [{says: straight, section: 10K, series: a, column: time}]
pairs: [{says: two, one: [10K, a, time], other: [10K, b, time]}]
"""
    )
    a, b = (Number("10K", row, "time") for row in "ab")
    assert load(path) == Statements(
        (
            Factor("x", "twice", (a,), (2.5, b), 1.8, 2.2),
            Factor("x", "slower", (a,), (), 1, inf),
            Factor("x", "faster", (a,), (), 0, 1),
        ),
        (Curve("x", "straight", "10K", "a", "time"),),
        (),
        (Pair("x", "two", a, b),),
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "factors: [{says: a, over: [1]}]",
            r"factors\[0\]: expected a mapping with says, over, and",
        ),
        ("factors: [{says: a, over: [[a, b]], above: 1}]", r"over\[0\]: expected section, row and"),
        ("curves: []", "curves: expected one of factors, lines, no_trends, pairs"),
    ],
)
def test_a_statement_of_another_form_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=rf"x\.yaml:1: .*{problem}"):
        load(path)


def test_a_statement_about_no_number_is_an_error() -> None:
    nowhere = Factor("x", "", (Number("10K", "c", "time"),), (1.0,), 0, 1)
    with pytest.raises(ValueError, match=r"row='c'.*expected one published number, found 0"):
        list(slips.factor({"x": numbers(("a", "time", "1", "s"))}, nowhere))
    with pytest.raises(ValueError, match="at least 3 published numbers, found 0"):
        list(
            slips.line(
                {"x": numbers(("a", "time", "1", "s"))}, Curve("x", "", "10K", "series", "time")
            )
        )
