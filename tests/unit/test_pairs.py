"""Pairs of cells: read from the file of claims, refused where they are wrong, compared by block."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import planted
import pytest

from assay.analyse import pairs
from assay.analyse.ratios import verdict
from assay.analyse.session import Session
from assay.inputs import claims
from assay.inputs.claims import EACH, Cell, Claim, Pair
from assay.inputs.validation import ConfigurationError

ENGINES = Path(__file__).parents[2] / "engines"

PAIRS = """\
subsystem: rewardpool
claims:
  - {id: one, claim: It is so., source: {report: A, section: B}, not_testable: Nobody knows.}
pairs:
  - workload: draw
    cell: {engine: channel-text, variant: {commit: 10000, durability: relaxed}}
    base: {engine: reference, variant: {commit: 10000, durability: group}}
  - engine: each
    cell: {workload: draw, variant: {commit: 1, durability: none}, scale: 1000000}
    base: {workload: floor, variant: {part: random}, scale: 1000000}
"""


def read(folder: Path, text: str) -> list[Pair]:
    path = folder / "rewardpool.yaml"
    path.write_text(text)
    return claims.pairs(path, claims.engines(ENGINES / "rewardpool"))


def place(workload: str, engine: str, variant: str, scale: int | None = None) -> Cell:
    return Cell(engine, workload, variant, scale)


@pytest.fixture(scope="module")
def session() -> Session:
    """A reference engine and a peer; what is noisy has `v=b` take twice as long as `v=a`."""
    cells = [
        planted.Simulated(workload, engine, f"v={name}", scale, {"time": time}, 0.01)
        for workload in ("one", "two")
        for engine in ("reference", "peer")
        for scale in (10, 100)
        for name, time in {"a": 1e-6, "b": 2e-6}.items()
    ]
    engines = {name: {"hot_hash": "planted"} for name in ("reference", "peer")}
    facts = {"key": "planted", "profile": "native", "plan": {"engines": engines}}
    return planted.session(planted.measurements(cells, 8), facts)


def rows(session: Session, *asked: Pair) -> pd.DataFrame:
    return pairs.table(asked, [session])


def test_a_pair_has_the_ratio_of_its_cells_at_each_scale_of_both(session: Session) -> None:
    cell, base = place("one", "peer", "v=b"), place("two", "reference", "v=a")
    found = rows(session, Pair(cell, base)).to_dict("records")
    assert [(row["scale"], row["base_scale"]) for row in found] == [(10, 10), (100, 100)]
    for row in found:
        named = [
            {"workload": w, "engine": e, "variant": v, "scale": row["scale"]}
            for w, e, v in (("one", "peer", "v=b"), ("two", "reference", "v=a"))
        ]
        expected = planted.paired(session, *named)
        assert (row["n"], row["ratio"], row["ci_low"]) == (8, expected.ratio, expected.ci_low)
        assert row["ratio"] == pytest.approx(2, rel=0.05)
        assert row["floor"] == session.floor("one")
        assert row["verdict"] == verdict(expected, row["floor"], row["tier"]) == "slower"


def test_a_pair_may_have_two_scales(session: Session) -> None:
    cell, base = place("one", "peer", "v=a", 100), place("two", "peer", "v=b", 10)
    [row] = rows(session, Pair(cell, base)).to_dict("records")
    assert (row["scale"], row["base_scale"], row["verdict"]) == (100, 10, "faster")


def test_each_engine_is_compared_with_itself(session: Session) -> None:
    pair = Pair(place("one", EACH, "v=b"), place("one", EACH, "v=a"))
    found = rows(session, pair)
    assert [*zip(found["engine"], found["base_engine"], strict=True)] == [
        ("reference", "reference"), ("reference", "reference"), ("peer", "peer"), ("peer", "peer"),
    ]  # fmt: skip


def test_what_was_not_measured_has_no_row(session: Session) -> None:
    assert rows(session, Pair(place("one", "nobody", "v=a"), place("one", "peer", "v=a"))).empty
    assert pairs.table([], [session]).empty
    cell, base = place("one", "peer", "v=a"), place("one", "reference", "v=a")
    shots = session.measurements
    even = shots["block"] % 2 == 0
    apart = replace(session, measurements=shots[even == (shots["engine"] == "peer")])
    assert rows(apart, Pair(cell, base)).empty


def test_what_is_claimed_of_two_cells_is_a_pair_by_its_metric(session: Session) -> None:
    """The 90 % interval is what equivalence is judged by; the blocks, what few of them say."""
    cell, base = place("one", "peer", "v=b"), place("one", "peer", "v=a")
    about = {"id": "b", "subsystem": "s", "text": "", "report": "", "section": ""}
    about |= {"not_testable": "", "profile": "", "low": 0, "high": 3, "tolerance": 0.0}
    claim = Claim(**about, cell=cell, base=base, scales=(1, 10), metric="time")
    found = pairs.table([], [session], [claim])
    assert [*found["kind"]] == ["claimed", "claimed"]
    row = found.to_dict("records")[0]
    assert row["ci_low"] < row["near_low"] < row["ratio"] < row["near_high"] < row["ci_high"]
    assert len(row["blocks"].split()) == row["n"] == 8
    assert {*pairs.table([Pair(cell, base)], [session], [claim])["kind"]} == {"named"}


def test_pairs_are_read(tmp_path: Path) -> None:
    [first, each] = read(tmp_path, PAIRS)
    assert first.cell == place("draw", "channel-text", "commit=10000,durability=relaxed")
    assert first.of("reference") == first
    assert each.of("reference").base == place("floor", "reference", "part=random", 1_000_000)


@pytest.mark.parametrize("path", sorted(claims.FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_those_of_the_project_are_sound(path: Path) -> None:
    assert claims.pairs(path, claims.engines(ENGINES / path.stem))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("durability: group", "durability: grupo", ":5: .*durability=group', found"),
        ("engine: channel-text", "engine: channel", ":5: .*nearest 'channel-text'"),
        ("engine: channel-text", "engine: each", ":5: .*each of both or of neither"),
        ("relaxed}", "relaxed}, scale: 1000000", ":5: .*a scale of both or of neither"),
        ("part: random", "part: rand", ":8: .*part=random', found"),
        ("{engine: channel-text, variant: {commit: 10000, durability: relaxed}}",
         "{engine: reference, variant: {commit: 10000, durability: group}}", ":5: .*them again"),
        ("    base: {workload: floor", "    bases: {workload: floor", "pairs"),
    ],
)  # fmt: skip
def test_a_slip_is_refused(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert old in PAIRS
    with pytest.raises(ConfigurationError, match=expected) as refused:
        read(tmp_path, PAIRS.replace(old, new, 1))
    assert str(refused.value).startswith(str(tmp_path / "rewardpool.yaml"))


def test_a_slip_is_found_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "rewardpool.yaml").write_text(
        PAIRS.replace("durability: group", "durability: groop")
    )
    with pytest.raises(ConfigurationError, match="expected one that a manifest has, nearest"):
        claims.load_all(tmp_path, ENGINES)
