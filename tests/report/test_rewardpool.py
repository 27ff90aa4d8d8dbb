"""What the report of the reward pool says in words and tables, on planted data."""

import re
from dataclasses import replace
from pathlib import Path

import planted
import planted_rewardpool
import pytest
from report_text import lines, named, rows, said

from assay.present import subsystems
from assay.present.kit.canvas import Plate
from assay.present.kit.evidence import Evidence, Place
from assay.present.kit.tables import Html
from assay.present.sections import balance, bounds, first_screen, hardware, report, reproduced
from assay.present.subsystems.rewardpool import figures as plots
from assay.present.subsystems.rewardpool import operations


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    data = tmp_path_factory.mktemp("data")
    planted.study(data / "rewardpool", blocks=6)
    return subsystems.load(data, "rewardpool")


def test_what_was_found_stands_above_the_figure_that_shows_it(
    pool: Evidence, tmp_path: Path
) -> None:
    said = report.figure(pool, "append", tmp_path).text
    assert re.match(r'<p class="told">(The reference engine is ahead|Of \d+ comparisons) ', said)
    assert '<p class="told">Time of a selection over items</p>' in (
        report.figure(pool, "select", tmp_path).text
    ), "what is compared with no peer says what it shows"


def sortable(table: Html) -> list[list[float]]:
    found = [re.findall(r'data-value="(.*?)"', line) for line in lines(table)]
    return [[float(value or "nan") for value in row] for row in found]


def test_a_draw_is_set_beside_the_sum_of_its_parts(pool: Evidence) -> None:
    table = bounds.beside(pool)
    parts = {tuple(row[:2]): row[2] for row in rows(table)}
    assert len(parts) == 6
    assert parts["A commit a draw", "each"] == "lock + random + sync"
    for (_, mode), listed, values in zip(parts, parts.values(), sortable(table), strict=True):
        reached, floor, ratio = values
        truth = sum(planted_rewardpool.FLOORS[part] for part in listed.split(" + ")) * 1e-9
        assert floor == pytest.approx(truth, rel=0.1), mode
        assert ratio == pytest.approx(reached / floor)
    assert sortable(table)[0][0] == pytest.approx(21e-9, rel=0.1)


def test_a_floor_that_was_not_measured_is_a_gap(pool: Evidence) -> None:
    known = pool.estimates
    without = planted.estimated(pool, known[known["variant"] != "part=store"])
    table = {tuple(row[:2]): row for row in rows(bounds.beside(without))}
    assert table["A commit a draw", "mmap"][-2:] == ["–", "–"]
    assert "–" not in table["A commit a draw", "none"]


@pytest.fixture(scope="module")
def printed(pool: Evidence) -> Evidence:
    """The same with a million draws without a log at the number of draws that is printed."""
    cells = pool.estimates
    there = cells["variant"].str.startswith("commit=1,") & cells["variant"].str.endswith("=none")
    there &= (cells["workload"] == "draw") & (cells["scale"] == 1_000_000)
    return planted.estimated(pool, cells.assign(scale=cells["scale"].mask(there, 6_996_973)))


def test_totals_are_shown_with_the_draws_they_count(pool: Evidence, printed: Evidence) -> None:
    shown, elsewhere = (
        [row for row in named(table) if row["metric"] == "gc_count"]
        for table in (reproduced.published_table(one, "all") for one in (printed, pool))
    )
    sample, table = [row for row in shown if row["published"].startswith("29")]
    assert sample["published"] == "29 at 6,996,973 draws"
    assert table["published"] == "29, draws not given"
    assert " at 6,996,973 draws, n = 6" in sample["stand-in here"]
    over = "stand-in here / published"
    assert sample[over] != "–"
    assert table[over] == "–", "a total of other draws is not compared with the print"
    assert sample not in elsewhere


def test_a_cost_of_other_draws_stands_beside_no_print(pool: Evidence, printed: Evidence) -> None:
    own, none = (
        {(row["row"], row["metric"]) for row in named(reproduced.published_table(one, "all"))
         if "Sample" in row["published under"]}
        for one in (printed, pool)
    )  # fmt: skip
    assert own - none and none < own


def test_times_are_compared_with_the_print(printed: Evidence) -> None:
    table = reproduced.published_table(printed, "all")
    [row] = [
        r for r in named(table) if r["metric"] == "ns/op" and "NoWal-8" in r["row"]
        and "Sample" in r["published under"]
    ]  # fmt: skip
    ratio, low, high = map(float, re.findall(r"[\d.]+", row["stand-in here / published"]))
    assert ratio == pytest.approx(480 / 175.4, rel=0.05)
    assert low < ratio < high


def test_what_is_called_differently_is_said(pool: Evidence) -> None:
    said = "one call of 10,000 draws against 10,000 requests"
    found = {one.question: said in one.answer for one in subsystems.headlines(pool)}
    assert {question for question, known in found.items() if known} == {
        row.name
        for row in operations.ROWS
        if row.commit == 10_000 and row.stand_in and row.reference != "relaxed"
    }
    for plate in (plots.draws(pool), plots.against_stand_in(pool)):
        assert isinstance(plate, Plate)
        assert "one call of 10,000 draws" in plate.caption


def test_the_published_machine_stands_beside_ours(pool: Evidence) -> None:
    shown = {row[0]: row[1:] for row in rows(hardware.beside(pool))}
    assert shown["machine"] == ["not named", "planted"]
    assert shown["CPUs"] == ["8 threads (GOMAXPROCS)", "2"]
    assert shown["profile"] == ["not stated", "native"]
    assert "disk" in shown["not stated"][0]


def test_published_times_stand_at_their_own_number_of_draws(pool: Evidence) -> None:
    plate = plots.published_on_curves(pool)
    assert isinstance(plate, Plate)
    assert "published: 175 ns at 6,996,973" in said(plate)
    assert "not an inference" in plate.caption


def test_the_stand_in_is_compared_at_another_promise(pool: Evidence) -> None:
    """In tier published it is the only peer: then nothing is left to count at an equal one."""
    alone = pool.only(engines=[operations.CHANNEL_TEXT])
    shown = balance.not_ahead(alone).text
    assert "the reference engine is ahead in" in shown
    assert "at another promise" in shown and "at an equal promise" not in shown
    assert "compared with a peer at an equal promise" in first_screen.caveat(alone)


def test_cells_that_no_table_compares_are_an_error(pool: Evidence) -> None:
    cell = Place("draw", "channel-text", "commit=1,durability=none")
    assert pool.over(cell, cell._replace(engine="reference"))
    with pytest.raises(LookupError, match=r"rewardpool\.yaml: pairs: expected"):
        pool.over(cell, Place("draw", "reference", "commit=1,durability=mmap"))
    with pytest.raises(LookupError, match=r"rewardpool\.yaml: pairs: expected"):
        pool.over(cell, Place("append", "reference", "batch=1,sync=none"))


def test_a_row_of_draws_shows_its_engines_at_one_scale_and_names_it(pool: Evidence) -> None:
    """The stand-in is left without the largest number of draws that the reference engine has."""
    cells = pool.estimates
    most = (cells["engine"] == operations.CHANNEL_TEXT) & (cells["scale"] == 1_000_000)
    plate = plots.draws(replace(pool, estimates=cells[~most]))
    assert isinstance(plate, Plate)
    shown = {
        point.series: point.value
        for point in plate.data
        if point.group == "A commit a draw" and point.at == "No WAL, 100,000 draws"
    }
    for engine in plots.DRAWN:
        [cell] = pool.cells(
            "draw", engine=engine, variant="commit=1,durability=none", scale=100_000
        ).to_dict("records")
        assert shown[pool.subsystem.title(engine)] == cell["median"]
