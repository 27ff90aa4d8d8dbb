"""How far the published reports are reproduced, counted once more by plain joins."""

import re
from collections.abc import Sequence
from math import isnan
from typing import Any

import committed
import pandas as pd
import pytest
from report_text import named, without_rows

from assay.present.kit.evidence import REPRODUCTION, Evidence
from assay.present.pages import claims, reproduction, verdict_bars
from assay.present.sections import reproduced
from assay.present.subsystems.acp import operations as acp
from assay.present.subsystems.acp.published import is_old
from assay.present.subsystems.ldp import operations as ldp
from assay.present.subsystems.rewardpool import operations as rewardpool
from assay.present.subsystems.smt import operations as smt
from assay.present.subsystems.transcode import operations as transcode

PLACE = ["workload", "metric", "variant", "engine"]


ENGINES = {
    "rewardpool": rewardpool.CHANNEL_TEXT,
    "smt": smt.LIBRARY,
    "transcode": transcode.STAND_IN,
}


def answered(name: str) -> pd.DataFrame:
    """The printed results of a report, each with the engine that is the same system.

    A cost an operation without a scale is at the iterations that are printed beside it.
    """
    printed = committed.session(name).published
    counts = printed[printed["column"].str.lower() == "iterations"]
    told = counts.set_index(["section", "row"])["value"].to_dict()
    beside = zip(printed["section"], printed["row"], strict=True)
    at = pd.Series([told.get(place) for place in beside], printed.index, "float64")
    printed = printed.assign(scale=printed["scale"].fillna(at))
    printed = printed[(printed["metric"] != "") & printed["value"].notna()]
    if name == "acp":
        old = is_old(printed)
        repeated = printed["section"].str.startswith("TLDR") & ~old
        engine = old.map({True: acp.OLD, False: acp.NEW})
        return printed.assign(engine=engine)[~repeated]
    if name == "ldp":
        server = printed["section"].str.contains("server")  # this machine is not like it
        return printed.assign(engine=printed["row"].map(ldp.PUBLISHED).mask(server))
    return printed.assign(engine=ENGINES[name])


@pytest.mark.parametrize("name", committed.NAMES)
def test_a_result_counts_where_the_same_system_was_measured(name: str) -> None:
    session, rows = committed.session(name), answered(name)
    places = list(rows[[*PLACE, "scale"]].itertuples(index=False, name=None))
    own, *kept = (measured(one, places) for one in (session, *session.kept.values()))
    counted = reproduced.tally(session)
    assert counted.own == len(own)
    assert counted.kept == len(set().union(*kept) - own)
    assert counted.printed == len(rows) >= len(own) + counted.kept > 0


def measured(session: Evidence, places: Sequence[tuple[Any, ...]]) -> set[int]:
    """Which of the printed results a session has at their own scale."""
    cells = session.estimates.dropna(subset="median")
    at_scale = set(cells[[*PLACE, "scale"]].itertuples(index=False, name=None))
    anywhere = {cell[:-1] for cell in at_scale}
    return {
        i
        for i, place in enumerate(places)
        if (place[:-1] in anywhere if isnan(place[-1]) else place in at_scale)
    }


def test_values_of_a_few_blocks_are_told_by_their_range() -> None:
    """Those of tier published that run three times: without an interval, with both ends."""
    shown = named(reproduced.published_table(committed.session("smt"), "fill-times"))
    thrice = [row["library v0.10.2"] for row in shown if "n = 3" in row["library v0.10.2"]]
    assert thrice
    few = r"[\d.]+\s\D+ \([\d.]+ to [\d.]+\s\D+\), n = 3 \(tier published\)"
    assert all(re.fullmatch(few, value) for value in thrice), thrice


@pytest.mark.parametrize("name", committed.NAMES)
def test_tier_published_measured_every_number_that_it_is_to_answer(name: str) -> None:
    """What stands beside no print is what the file of the tier leaves out, with the reason."""
    session = committed.session(name)
    if REPRODUCTION not in session.kept:
        pytest.skip("no committed session of tier published")
    counted = reproduced.tally(session)
    tables = [
        reproduced.published_table(session, table).text for table in session.subsystem.printed
    ]
    left_out = r"(?:No tier measures (\d+)|(\d+) more printed numbers are not measured yet)"
    never = sum(int(one or other) for text in tables for one, other in re.findall(left_out, text))
    assert counted.printed == counted.own + counted.kept + never
    assert not any(reproduced.MORE_PRINTED in text for text in tables)
    assert any(f"({REPRODUCTION})" in text for text in tables) == (counted.kept > 0)


def test_what_tier_published_measured_is_marked_and_read_as_on_a_page_of_its_own() -> None:
    session = committed.session("rewardpool")
    shown, theirs = (
        {(row["row"], row["metric"], row["published"], row["published under"]): row["stand-in here"]
         for row in named(reproduced.published_table(one, "all"))}
        for one in (session, session.kept[REPRODUCTION])
    )  # fmt: skip
    assert shown.keys() == theirs.keys()
    marked = {place: value for place, value in shown.items() if value.endswith(f"({REPRODUCTION})")}
    assert marked == {place: f"{theirs[place]} ({REPRODUCTION})" for place in marked}
    assert marked


def test_nothing_measured_is_nothing_reproduced() -> None:
    for session in committed.sessions():
        counted = reproduced.tally(without_rows(session))
        assert counted.printed > 0 == counted.own
        assert counted.kept >= reproduced.tally(session).kept


def test_the_table_has_a_row_a_report_and_every_claim_in_it() -> None:
    rows = named(reproduction.shown(committed.sessions()))
    assert len(rows) == 5
    for row in rows:
        parts = [int(row[name]) for name in (*verdict_bars.DECIDED, "open")]
        assert sum(parts) == int(row["claims"]) > 0
        assert int(row["of these decided by a committed run"]) <= int(row["open"])
    assert not reproduction.shown([]).text


def test_the_first_sentences_on_claims_count_what_other_committed_runs_decide() -> None:
    sessions = committed.sessions()
    elsewhere = sum(
        int(row["of these decided by a committed run"])
        for row in named(reproduction.shown(sessions))
    )
    said = claims.published(pd.concat([session.verdicts for session in sessions]))
    caveat = claims.first(said, said, sessions).caveat
    assert f"; other committed runs decide {elsewhere} of these, below." in caveat
    assert "other committed runs" not in claims.first(said, said, []).caveat


def test_printed_scales_that_no_tier_measures_are_named_with_the_reason() -> None:
    trie = committed.session("smt")
    shown = reproduced.published_table(trie, "fill-times").text
    held = trie.subsystem.printed["fill-times"].holds(trie.published)
    beyond = held["scale"].isin([5_000_000, 10_000_000]) & (held["metric"] != "")
    told = f"No tier measures {beyond.sum()} printed numbers, at 5,000,000 and 10,000,000 keys: "
    assert beyond.sum() > 0 and told in shown
    access = reproduced.published_table(committed.session("acp"), "new").text
    assert "No tier measures" not in access
