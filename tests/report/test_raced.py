"""What is raced and what is not: the manifests say it, findings and figures keep to it."""

import committed
import pytest

from assay.inputs import claims
from assay.present.kit.canvas import NoData
from assay.present.kit.evidence import Evidence
from assay.present.sections import strips


@pytest.fixture(scope="module", params=committed.NAMES)
def session(request: pytest.FixtureRequest) -> Evidence:
    return committed.session(request.param)


def test_time_work_and_space_are_raced_and_accounting_is_not(session: Evidence) -> None:
    raced = session.raced()
    assert {"time", "work", "space"} == {*raced["race"]}
    assert "time" in {*raced["metric"]}
    accounting = {*claims.RUNNER_METRICS, "gc_count"}
    assert accounting & {*session.ratios["metric"]}
    assert not accounting & {*raced["metric"]}


def test_a_pass_over_test_cases_is_no_race() -> None:
    session = committed.session("transcode")
    assert "correctness" in {*session.ratios["workload"]}
    assert "correctness" not in {*session.raced()["workload"]}
    plate = strips.peers(session)
    assert not isinstance(plate, NoData)
    assert session.title("correctness") not in {point.group for point in plate.data}
