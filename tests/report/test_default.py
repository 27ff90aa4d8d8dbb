"""What the reports show of a session of the default tier, which leaves most cells out."""

import re
from pathlib import Path

import narrowed
import pytest
from narrowed import COMMITTED
from report_text import named

from assay.present import subsystems
from assay.present.kit.evidence import Evidence
from assay.present.pages import claims
from assay.present.sections import report, reproduced

MORE = "not measured in this tier: <code>--config tier=full</code> measures the most"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    data = tmp_path_factory.mktemp("data")
    narrowed.standard(data / "ldp", "ldp")
    return subsystems.load(data, "ldp")


def test_printed_numbers_that_it_did_not_measure_are_counted_in_one_line(
    repository: Evidence,
) -> None:
    table = reproduced.published_table(repository, "all")
    [(left, every)] = re.findall(r"(\d+) more of (\d+) printed numbers are", table.text)
    assert len(named(table)) == int(every) - int(left) > 0
    assert table.text.count("not measured") == table.text.count(MORE) == 1


def test_a_figure_without_data_is_one_line(repository: Evidence, tmp_path: Path) -> None:
    shown = report.figure(repository, "get-parent", tmp_path).text
    mark = '<p class="note absent" id="figure-get-parent" data-what="Figure get-parent">'
    assert shown == f"{mark}Figure get-parent is {MORE}.</p>"


def test_questions_that_it_did_not_ask_are_counted(repository: Evidence) -> None:
    found = subsystems.headlines(repository)
    left = [one for one in found if one.verdict == "left out"]
    shown = report.findings(found).text
    assert shown.count("<tr>") == 1 + len(found) - len(left)
    assert f"{len(left)} more questions are {MORE}" in shown


def test_claims_that_it_was_not_meant_to_decide_are_counted(repository: Evidence) -> None:
    every = claims.load(repository.folder.parent)
    asked = claims.asked(every, [repository])
    undecided = asked[asked["verdict"] == "not testable here"]
    assert (undecided["workload"] == "").all()  # no session decides these
    left = every["claim"].nunique() - asked["claim"].nunique()
    assert left > 0
    assert f"{left} more claims are {MORE}" in claims.answers(asked, every).text


def test_published_claims_are_counted_apart_from_our_goals() -> None:
    every = claims.load(COMMITTED)
    published, own = claims.published(every), claims.own(every)
    assert len(published) + len(own) == len(every)
    assert not published["claim"].str.startswith(("reference-", "readme-")).any()
    assert own["claim"].str.startswith(("reference-", "readme-", "answers-")).all()
    row = published[published["claim"] == "no-wal-is-fastest"].iloc[0]
    variant = "commit=1,design=channel-text,durability="
    assert row["cell"] == f"reference {variant}none"
    assert row["base"] == f"reference {variant}mmap"


def test_the_committed_run_was_meant_to_decide_every_claim() -> None:
    every = claims.load(COMMITTED)
    assert len(claims.asked(every, [subsystems.load(COMMITTED, "ldp")])) == len(every)
