"""What the reports show of a session of the default tier, which leaves most cells out."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import committed
import narrowed
import planted
import pytest
from report_text import named

from assay.engines import currency
from assay.present import subsystems
from assay.present.kit import evidence
from assay.present.kit.evidence import Evidence
from assay.present.pages import claims
from assay.present.sections import report, reproduced

MORE = (
    "not measured in this tier; <code>--config tier=full</code> and <code>tier=published</code> "
    "measure the most"
)
MARK = " (committed run)"
PRINTED = "not measured in this tier: <code>--config tier=published</code> measures what is printed"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    data = tmp_path_factory.mktemp("data")
    narrowed.standard(data / "ldp", "ldp")
    return subsystems.load(data, "ldp")


@pytest.fixture(scope="module")
def readers(repository: Evidence) -> Evidence:
    return of_a_reader(repository)


def of_a_reader(session: Evidence) -> Evidence:
    """The same as a reader's own session, on a machine that takes three times as long."""
    facts = {**session.facts, "committed": False, "machine": "a reader's"}
    times = ["median", "ci_low", "ci_high"]
    slower = session.estimates.copy()
    slower[times] *= 3
    compared = {"ratios": session.ratios.copy(), "pairs": session.pairs.copy()}
    for table in compared.values():
        table[["ratio", "ci_low", "ci_high"]] *= 3  # so that nothing of it is the committed run's
    return replace(planted.estimated(session, slower), facts=facts, **compared)


@pytest.fixture
def access(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evidence:
    """A session of tier standard beside which no session of tier published is committed."""
    monkeypatch.setattr(evidence, "_KEPT", {evidence.COMMITTED: currency.COMMITTED})
    narrowed.standard(tmp_path / "acp", "acp")
    return subsystems.load(tmp_path, "acp")


def test_printed_numbers_that_it_did_not_measure_are_counted_in_one_line(access: Evidence) -> None:
    table = reproduced.published_table(access, "new")
    [(left, every)] = re.findall(r"(\d+) more of (\d+) printed numbers are", table.text)
    assert len(named(table)) == int(every) - int(left) > 0
    assert table.text.count("not measured") == table.text.count(PRINTED) == 1


def test_printed_numbers_that_a_readers_run_left_out_are_the_committed_runs(
    access: Evidence,
) -> None:
    """Each value, and each ratio, is of one of the two runs, and says of which."""
    readers = of_a_reader(access)
    shown, narrow, whole = (
        {(row["metric"], row["row"], row["published under"]): row for row in named(table)}
        for one in (readers, access, readers.committed)
        if one
        for table in [reproduced.published_table(one, "new")]
    )
    assert narrow.keys() < shown.keys() == whole.keys()
    marked = 0  # ratios: of one session each
    for place, row in shown.items():
        for column, value in row.items():
            theirs = whole[place].get(column, "–")
            answer = column.partition(" / ")[0]
            if row.get(answer, "").endswith(MARK):
                assert value == (f"{theirs}{MARK}" if theirs != "–" else "–")
                marked += column != answer and value != "–"
            elif column not in ("row", "metric", "published", "published under"):
                own = narrow.get(place, {}).get(column, "–")
                assert (value == "–") == (own == "–")
                assert value == "–" or value != theirs
    assert marked > 0


def test_a_figure_without_data_is_one_line(repository: Evidence, tmp_path: Path) -> None:
    shown = report.figure(repository, "get-parent", tmp_path).text
    mark = '<p class="note absent" id="figure-get-parent" data-what="Figure get-parent">'
    assert shown == f"{mark}Figure get-parent is {MORE}.</p>"


def test_questions_that_it_did_not_ask_are_counted(repository: Evidence) -> None:
    found = subsystems.headlines(repository)
    left = [one for one in found if one.verdict == "left out"]
    shown = report.findings(repository, subsystems.headlines).text
    assert shown.count("<tr>") == 1 + len(found) - len(left)
    assert f"{len(left)} more questions are {MORE}" in shown


def test_what_the_committed_run_answers_stands_apart(
    repository: Evidence, readers: Evidence
) -> None:
    assert "committed" not in report.findings(repository, subsystems.headlines).text
    shown = report.findings(readers, subsystems.headlines).text
    own, _, theirs = shown.partition(report.OF_COMMITTED)
    left = {one.question for one in subsystems.headlines(readers) if one.verdict == "left out"}
    assert readers.committed
    answered = [
        one
        for one in subsystems.headlines(readers.committed)
        if one.question in left and one.verdict != "left out"
    ]
    assert answered and theirs.count("<tr>") == 1 + len(answered)
    alone = replace(readers, facts={**readers.facts, "committed": True})
    assert own.rpartition("<table")[0] == report.findings(alone, subsystems.headlines).text
    assert report.session_line(readers.committed) in report.committed_line(readers)


def test_claims_that_a_readers_run_did_not_decide_are_the_committed_runs(
    repository: Evidence, readers: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "_KEPT", {evidence.COMMITTED: currency.COMMITTED})
    repository, readers = replace(repository), replace(readers)  # nothing of tier published
    every = claims.load(repository.folder.parent)
    asked = claims.asked(every, [readers])
    assert claims.committed(asked, [repository]).empty
    theirs = claims.committed(asked, [readers])
    kept = claims.load(committed.DATA)
    decided, own = (
        {(row["claim"], row["scale"]): row["verdict"] for row in rows.to_dict("records")}
        for every_row in (kept[kept["subsystem"] == "ldp"], asked)
        for rows in [every_row[every_row["verdict"] != "not testable here"]]
    )
    left = decided.keys() - own.keys()
    assert left
    told = theirs.set_index(["claim", "scale"])["verdict"].to_dict()
    assert told == {place: decided[place] for place in left}
    shown = claims.elsewhere(asked, [readers]).text
    assert readers.committed and report.told(readers.committed) in unescape(shown)
    assert "judged by a committed run, one row" in shown
    assert 'href="data/' not in shown


def test_claims_that_it_was_not_meant_to_decide_are_counted(repository: Evidence) -> None:
    every = claims.load(repository.folder.parent)
    asked = claims.asked(every, [repository])
    undecided = asked[asked["verdict"] == "not testable here"]
    assert (undecided["workload"] == "").all()  # no session decides these
    left = every["claim"].nunique() - asked["claim"].nunique()
    assert left > 0
    assert f"{left} more claims are {MORE}" in claims.answers(asked, every).text


def test_published_claims_are_counted_apart_from_our_goals() -> None:
    every = claims.load(committed.DATA)
    published, own = claims.published(every), claims.own(every)
    assert len(published) + len(own) == len(every)
    assert not published["claim"].str.startswith(("reference-", "readme-")).any()
    assert own["claim"].str.startswith(("reference-", "readme-", "answers-")).all()
    row = published[published["claim"] == "no-wal-is-fastest"].iloc[0]
    assert row["cell"] == "channel-text commit=1,durability=none"
    assert row["base"] == "channel-text commit=1,durability=mmap"


def test_the_committed_run_was_meant_to_decide_every_claim() -> None:
    every = claims.load(committed.DATA)
    assert len(claims.asked(every, [subsystems.load(committed.DATA, "ldp")])) == len(every)
