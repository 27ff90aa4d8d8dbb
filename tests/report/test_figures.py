"""Every figure that a subsystem declares, with data and without."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path

import pandas as pd
import planted
import pytest
from report_text import without_rows

from assay.present import subsystems
from assay.present.kit.canvas import WIDE, NoData, Plate
from assay.present.kit.evidence import Evidence
from assay.present.kit.subsystem import Figure
from assay.present.sections import report

Sessions = Callable[[str], Evidence]

pytestmark = pytest.mark.parametrize(
    ("name", "figure"),
    [
        pytest.param(name, figure, id=f"{name}-{figure.name}")
        for name in planted.SUBSYSTEMS
        for figure in (*subsystems.named(name).figures, *report.USUAL)
    ],
)


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    @cache
    def load(name: str) -> Evidence:
        data: Path = tmp_path_factory.mktemp("data")
        planted.study(data / name, blocks=6, subsystem=name)
        return subsystems.load(data, name)

    return load


@dataclass(frozen=True)
class Asked(Evidence):
    """A session that remembers the workloads whose shots were asked for."""

    workloads: set[str] = field(default_factory=set)

    def points(self, workload: str, metric: str = "time", **keys: str | int) -> pd.DataFrame:
        self.workloads.add(workload)
        return super().points(workload, metric, **keys)


def test_with_data_it_is_drawn_and_shows_what_it_declares(
    sessions: Sessions, name: str, figure: Figure
) -> None:
    found = sessions(name)
    asked = Asked(**{one.name: getattr(found, one.name) for one in fields(found)})
    plate = figure.draw(asked)
    assert isinstance(plate, Plate), plate
    assert plate.caption
    assert plate.alt
    assert plate.data
    assert plate.draw(WIDE).axes
    if figure not in report.USUAL:
        assert asked.workloads <= set(figure.workloads)


def test_it_can_be_drawn_for_some_engines(sessions: Sessions, name: str, figure: Figure) -> None:
    whole = sessions(name)
    peers = [one for one in whole.facts["plan"]["engines"] if one != "reference"]
    fewer = whole.only(engines=peers[:1])
    assert set(fewer.estimates["engine"]) <= {"reference", *peers[:1]}
    plate = figure.draw(fewer)
    gone = {whole.subsystem.title(one) for one in peers[1:]}
    if isinstance(plate, Plate):
        assert not gone & {point.series for point in plate.data}


def test_without_data_it_says_why(sessions: Sessions, name: str, figure: Figure) -> None:
    nothing = figure.draw(without_rows(sessions(name)))
    assert isinstance(nothing, NoData)
    assert nothing.reason
