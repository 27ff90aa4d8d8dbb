"""Every conclusive loss of the reference engine stands in a finding, under every profile.

So do the comparisons that the published reports make among their own systems.
"""

import re
from pathlib import Path

import committed
import pandas as pd
import pytest
from report_text import without_rows

from assay.inputs import manifest
from assay.inputs.variant import variant_keys
from assay.present import subsystems
from assay.present.kit.canvas import Plate
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import ratio
from assay.present.sections import balance
from assay.present.sections.findings import REFERENCE

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", params=committed.NAMES)
def session(request: pytest.FixtureRequest) -> Evidence:
    return committed.session(request.param)


def lost(session: Evidence) -> pd.DataFrame:
    """The losses, straight from the table and the manifest."""
    name = session.folder.name
    benches = manifest.load(ROOT / "engines" / name / "engine.yaml").benches
    raced = {(bench.workload, column) for bench in benches for column in bench.races}
    rows = pd.read_parquet(committed.DATA / name / "ratios.parquet")
    rows = rows[(rows["kind"] == "engine") & rows["verdict"].isin(["faster", "better"])]
    keys = zip(rows["workload"], rows["metric"], strict=True)
    return rows[[key in raced for key in keys]]


def test_no_conclusive_loss_is_left_out(session: Evidence) -> None:
    shown = balance.not_ahead(session).text
    found = balance.findings(session, balance.raced(session))
    told = {(one.question, one.ahead): one.answer for one in found}
    rows = lost(session)
    for row in rows.to_dict("records"):
        question = f"{session.title(row['workload'])}: {balance.measured_in(row['metric'])}"
        answer = told[question, session.subsystem.title(row["engine"])]
        number = ratio(row["ratio"], row["ci_low"], row["ci_high"])
        assert f"{number} at {row['scale']:,} " in answer, row
        assert session.subsystem.spoken(row["variant"]) in answer
        assert not session.others or f"profile {row['profile']}" in answer
        assert number in shown
    pairs = rows[["workload", "metric", "engine"]].drop_duplicates()
    assert len(found) == len(pairs) == shown.count('<tr><th scope="row">')


def test_the_title_of_a_figure_counts_the_verdicts_of_what_it_draws(session: Evidence) -> None:
    titled = 0
    for figure in session.subsystem.figures:
        plate = figure.draw(session)
        if not isinstance(plate, Plate):
            continue
        assert plate.title, figure.name
        rows = session.compared(plate.cells)
        told = balance.told(session, rows)
        titled += told != ""
        if plate.alt.startswith("Ratios"):
            assert sorted(rows["verdict"]) == sorted(point.note for point in plate.data)
        assert {*rows["engine"]} <= {engine for _, engine, *_ in plate.cells} - {"reference"}
        counts = {"a peer in": balance.LOST, "and": ["within noise"]}
        won = re.findall(r"ahead in (?:all )?(\d+|the|both)\b", told)
        ahead = sum({"the": 1, "both": 2}.get(said) or int(said) for said in won)
        assert ahead == rows["verdict"].isin(balance.WON).sum(), (figure.name, told)
        for words, verdicts in counts.items():
            count = rows["verdict"].isin(verdicts).sum()
            assert sum(map(int, re.findall(rf"{words} (\d+)", told))) == count, (figure.name, told)
    assert titled


def test_the_published_systems_are_compared_with_each_other(session: Evidence) -> None:
    compared = {"acp": 3, "ldp": 4, "rewardpool": 2, "smt": 1, "transcode": 6}
    found = [f for f in subsystems.headlines(session) if f.effect and REFERENCE not in f.sides]
    assert len(found) == compared[session.folder.name]


def test_the_logs_under_a_slow_disk_and_the_disk_of_a_document_are_told() -> None:
    pool = balance.not_ahead(committed.session("rewardpool")).text
    for log in ("tidwall/wal", "etcd WAL", "raft-wal", "rosedb WAL", "Pebble record log"):
        assert log in pool
    assert "profile server-hdd" in pool
    assert "disk a document" in balance.not_ahead(committed.session("acp")).text


def test_who_promises_something_else_stands_apart() -> None:
    access = committed.session("acp")
    equal, _, other = balance.not_ahead(access).text.partition("at another promise")
    assert "cedar-go" not in equal
    assert access.subsystem.unlike["cedar-go"] in other
    assert "new published engine" in equal


def test_a_win_stands_in_no_list_of_losses(session: Evidence) -> None:
    found = balance.findings(session, balance.raced(session))
    assert {one.label for one in found} <= {"peer ahead"}
    assert all(one.effect and one.effect.median < 1 for one in found)


def test_sentences_name_no_raw_key(session: Evidence) -> None:
    words = [*balance.findings(session, balance.raced(session)), *subsystems.headlines(session)]
    variants = {key for v in session.estimates["variant"] for key in variant_keys(v).items()}
    for one in words:
        for key, value in variants:
            assert f"{key}={value}" not in f"{one.question} {one.answer} {one.at}"


def test_engines_have_one_name(session: Evidence) -> None:
    names = {*session.subsystem.engines.values()}
    raw = {name for name in session.subsystem.engines if not any(name in title for title in names)}
    for one in (*balance.findings(session, balance.raced(session)), *subsystems.headlines(session)):
        sides = {*filter(None, one.sides)}
        assert sides <= names or not sides & names, one  # or parts of one engine
        assert not any(name in f"{one.question} {one.answer}" for name in raw), one


def test_without_comparisons_it_says_so() -> None:
    empty = without_rows(committed.session("acp"))
    assert "Nothing was compared" in balance.not_ahead(empty).text
