"""What a session is expected to take: by cell what it took before, or what its manifest says."""

from pathlib import Path

import fakes
import pandas as pd
import pytest
import yaml

from assay.inputs import manifest
from assay.inputs.study import FILE, load
from assay.measure import expected

PART_S = 100 * 60
"""The most that a session of tier published may be expected to take."""

PUBLISHED = load({**yaml.safe_load((fakes.ROOT / FILE).read_text()), "tier": "published"})
PARTS = [(name, each) for name in PUBLISHED.subsystems for each in PUBLISHED.profiles_of(name)]


def test_a_cell_takes_what_it_took_here_or_elsewhere_and_else_what_its_manifest_says(
    tmp_path: Path,
) -> None:
    fakes.project(tmp_path, {"reference": 1})
    study = fakes.study("smoke", blocks=2)

    def told(profile: str) -> float:
        return expected.session_s(study, "fake", profile, tmp_path)

    [engine] = manifest.discover(tmp_path, study, "fake")
    unknown = engine.benches[0].seconds + expected.OVERHEAD_S
    assert told("native") == pytest.approx(4 * unknown)
    begun = pd.Timestamp("2026-01-01", tz="UTC")
    rows = [
        {"engine": "reference", "workload": "replay", "variant": "", "scale": 1000}
        | {"profile": "native", "session": "s", "shot": f"{n}"}
        | {"started_at": begun + pd.Timedelta(seconds=7 * n)}
        for n in range(3)
    ]
    committed = tmp_path / "data" / "reference" / "fake"
    committed.mkdir(parents=True)
    pd.DataFrame(rows).to_parquet(committed / "measurements.parquet")
    assert told("native") == pytest.approx(28)
    assert told("container") == pytest.approx(28)
    assert told("server-hdd") == pytest.approx(28 * expected.NEW_DISK)


def test_shots_of_a_refused_engine_take_nothing(tmp_path: Path) -> None:
    fakes.project(tmp_path, {"reference": 1, "slow": 2})
    made = fakes.made_plan(tmp_path, fakes.study())
    made["engines"]["slow"]["status"] = "refused"
    taken = {shot["engine"]: expected.shots_s(made, tmp_path)[shot["id"]] for shot in made["shots"]}
    assert taken["slow"] == 0 < taken["reference"]


@pytest.mark.parametrize(("subsystem", "profile"), PARTS)
def test_no_session_of_tier_published_is_expected_to_take_longer_than_a_part(
    subsystem: str, profile: str
) -> None:
    assert expected.session_s(PUBLISHED, subsystem, profile, fakes.ROOT) <= PART_S
