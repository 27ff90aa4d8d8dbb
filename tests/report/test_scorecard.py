"""The scorecard: each cell is what its session says, of one machine, readable without colour."""

import re
from dataclasses import replace

import committed
import pandas as pd
import planted
import pytest
from report_text import without_rows

from assay.present.kit.canvas import WIDE, NoData, Plate
from assay.present.kit.evidence import Evidence
from assay.present.pages import heat, scorecard
from assay.tables import schemas

CELL = ["workload", "metric", "scale"]


@pytest.fixture(scope="module", params=committed.NAMES)
def session(request: pytest.FixtureRequest) -> Evidence:
    return committed.session(request.param)


@pytest.fixture(scope="module")
def scored(session: Evidence) -> pd.DataFrame:
    return scorecard.table(session)


@pytest.fixture(scope="module")
def card(session: Evidence) -> str:
    return scorecard.shown(session).text


def test_a_cell_is_the_ratio_to_the_best_of_those_that_promise_the_same(
    session: Evidence, scored: pd.DataFrame
) -> None:
    table = schemas.check("scores", scored, "the scorecard")
    promises = {one.words: one.engines for one in session.subsystem.promises}
    for (promise, column), rows in table.groupby(["promise", "column"]):
        assert {*rows["engine"]} <= {*promises[promise]}, (promise, column)
        [best] = rows["best_engine"].unique()
        assert rows.loc[rows["engine"] == best, "ratio"].tolist() == [1.0]
        assert not rows["verdict"].isin(["faster", "better"]).any()
        variants = rows.set_index("engine")["variant"]
        for row in rows.to_dict("records"):
            cells = [
                {"workload": row["workload"], "engine": name, "variant": variants[name]}
                | {"scale": row["scale"]}
                for name in (row["engine"], best)
            ]
            found = planted.paired(session, cells[0], cells[1], row["metric"])
            assert (found.ratio, found.n) == (row["ratio"], row["n"])


def test_every_engine_of_the_plan_has_a_row(session: Evidence, scored: pd.DataFrame) -> None:
    assert {*scored["engine"]} == {*session.facts["plan"]["engines"]}


def test_no_cell_mixes_two_machines(session: Evidence, scored: pd.DataFrame) -> None:
    assert {*scored["machine"]} == {session.facts["machine"]}
    assert {*scored["session"]} == {session.facts["key"]}
    other = session.measurements.assign(machine="another", session="another")
    mixed = replace(session, measurements=pd.concat([session.measurements, other]))
    with pytest.raises(ValueError, match="expected one"):
        scorecard.table(mixed)


def test_a_cell_says_without_colour_what_its_colour_says(card: str) -> None:
    cells = re.findall(r'<td class="(\w+)">(?:<a [^>]*>)?(.*?)(?:</a>)?</td>', card)
    assert {kind for kind, _ in cells} <= {"best", "close", "behind", "far", "alone", "none"}
    for kind, said in cells:
        assert (kind == "best") == said.startswith("\N{BLACK STAR}"), said
        assert (kind == "close") == said.startswith("\N{ALMOST EQUAL TO}"), said
        assert (kind in ("behind", "far")) == bool(re.fullmatch(r"[\d.,]+×", said)), said


def test_a_cell_leads_to_a_figure_of_its_report(session: Evidence, card: str) -> None:
    links = re.findall(r'href="(\w+)\.html(?:#figure-([\w-]+))?"', card)
    assert links
    figures = {one.name for one in session.subsystem.figures}
    assert {page for page, _ in links} == {session.folder.name}
    assert {figure for _, figure in links} <= figures


def test_what_fills_a_column_is_declared_and_measured(session: Evidence) -> None:
    for promise in session.subsystem.promises:
        for score in promise.scores:
            known = session.cells(score.workload, score.metric, variant=score.variant)
            assert len(known), score


def test_without_measurements_there_is_no_card(session: Evidence) -> None:
    assert scorecard.shown(without_rows(session)).text == ""


def test_the_picture_has_the_cells_of_the_card_and_says_them_in_words() -> None:
    sessions = committed.sessions()
    plate = heat.picture(sessions)
    assert isinstance(plate, Plate)
    shared = [
        row
        for one in sessions
        for _, rows in scorecard.table(one).groupby("promise")
        if rows["engine"].nunique() > 1
        for row in rows.to_dict("records")
    ]
    assert len(plate.data) == len(shared)
    texts = [text.get_text() for text in plate.draw(WIDE).axes[0].texts]
    assert texts.count("★") == sum(row["verdict"] == "best" for row in shared)
    assert isinstance(heat.picture([]), NoData)
