"""What the report on linked data says in words and tables, on planted data."""

from dataclasses import replace
from pathlib import Path

import planted
import planted_ldp
import pytest
from report_text import named, values, without_rows

from assay import published
from assay.inputs import manifest
from assay.inputs.variant import variant_string
from assay.present import subsystems
from assay.present.kit.evidence import REPRODUCTION, Evidence
from assay.present.kit.tables import Html
from assay.present.sections import reproduced
from assay.present.subsystems.ldp import operations as ldp
from assay.present.subsystems.ldp import tables as ldp_tables

PRINTED = published.read("ldp")
MAPPED = PRINTED[PRINTED["metric"] != ""]
PEERS = planted.ROOT / "engines" / "ldp" / "peers"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    data = tmp_path_factory.mktemp("data")
    planted.study(data / "ldp", blocks=6, subsystem="ldp")
    return subsystems.load(data, "ldp")


def test_every_published_number_but_shares_has_a_cell() -> None:
    left = PRINTED[(PRINTED["metric"] == "") & (PRINTED["printed"] != "N/A")]
    assert {name for name in left["column"] if "share of" not in name} == {
        "resources when POST was stopped"
    }
    assert sorted(MAPPED["scale"].unique()) == [10_000, 100_000]


@pytest.mark.parametrize("system", ldp.PUBLISHED)
def test_each_published_system_measures_its_published_cells(system: str) -> None:
    known = manifest.load(PEERS / ldp.PUBLISHED[system] / "engine.yaml")
    measured = {
        (bench.workload, metric.column, variant_string(variant), scale)
        for bench in known.benches
        for metric in bench.metrics.values()
        for variant in bench.variants
        for scale in bench.scales["published"]
    }
    cells = MAPPED[(MAPPED["row"] == system) & (MAPPED["printed"] != "Not measured")]
    wanted = cells[["workload", "metric", "variant", "scale"]].itertuples(index=False, name=None)
    assert set(wanted) <= measured


@pytest.mark.parametrize("engine", [name for name in ldp.DURABILITY if name != ldp.REFERENCE])
def test_a_promise_in_the_report_is_the_one_in_the_manifest(engine: str) -> None:
    known = manifest.load(PEERS / engine / "engine.yaml")
    promises = {
        variant["durability"]
        for bench in known.benches
        for variant in bench.variants
        if bench.workload in ldp.WRITES
    }
    assert promises == {ldp.DURABILITY[engine]}


def put_of_a18(of: Evidence) -> dict[str, str]:
    [row] = [
        r
        for r in named(reproduced.published_table(of, "all"))
        if r["row"] == "Lakesuperior 1.0a18"
        and r["metric"] == "PUT"
        and "Laptop / 10K" in r["published under"]
    ]
    return row


def test_a_published_number_stands_beside_the_same_system(repository: Evidence) -> None:
    row = put_of_a18(repository)
    assert row["published"] == "62.0 ms"
    assert row["the same system here"].endswith(", n = 6")
    told = float(row["the same system here / published"].split("×")[0])
    assert told == pytest.approx(planted_ldp.PUT_MS[ldp.A18] / 62, rel=0.1)
    factor = planted_ldp.PUT_MS[ldp.A18] / planted_ldp.PUT_MS[ldp.REFERENCE]
    shown_factor = row["the same system here / reference"].split("×")[0]
    assert float(shown_factor) == pytest.approx(factor, rel=0.1)


def test_numbers_of_the_server_stand_beside_its_profile_only(
    repository: Evidence, tmp_path: Path
) -> None:
    """Nothing has 100,000 children; no other profile is like that server."""
    at_scale = MAPPED[MAPPED["scale"] == 10_000]
    server = at_scale["section"].str.contains("server")
    numbers = at_scale[server]["value"].notna().sum()
    missing = f"{numbers} more printed numbers are not measured yet: they are of another machine"
    planted.study(tmp_path / "hdd" / "ldp", 6, subsystem="ldp", profiles=("native", "server-hdd"))
    for other in (repository, subsystems.load(tmp_path / "hdd", "ldp")):
        text = reproduced.published_table(other, "all").text
        assert len(named(Html(text))) == (~server).sum()
        assert f"{missing}, which tier published measures as profile published-server." in text
    profiles = ("native", "published-server")
    planted.study(tmp_path / "own" / "ldp", 6, subsystem="ldp", profiles=profiles)
    session = subsystems.load(tmp_path / "own", "ldp")
    text = reproduced.published_table(session, "all").text
    assert "not measured yet" not in text
    shown = named(Html(text))
    assert len(shown) == len(at_scale)
    [row] = [r for r in shown if r["published"] == "285 ms"]
    assert row["reference"] == "–" != row["reference, under published-server (not wholly enforced)"]


def test_a_committed_session_of_the_server_answers_with_its_profile(
    repository: Evidence, tmp_path: Path
) -> None:
    profiles = ("native", "published-server")
    planted.study(tmp_path / "ldp", 6, subsystem="ldp", profiles=profiles)
    kept = subsystems.load(tmp_path, "ldp")
    page = replace(repository)
    vars(page)["kept"] = {REPRODUCTION: kept}
    shown = named(reproduced.published_table(page, "all"))
    [row] = [
        r
        for r in shown
        if (r["row"], r["metric"]) == ("Lakesuperior 1.0a18", "PUT")
        and "server" in r["published under"]
    ]
    mark = f"({REPRODUCTION}, profile published-server)"
    for column in ("the same system here", "the same system here / reference"):
        assert row[column].endswith(mark), row


def test_a_published_number_stands_beside_every_profile(tmp_path: Path) -> None:
    planted.study(tmp_path / "ldp", 6, subsystem="ldp", profiles=("native", "server-hdd"))
    row = put_of_a18(subsystems.load(tmp_path, "ldp"))
    here = float(row["the same system here"].split()[0])
    there = float(row["the same system here, under server-hdd (not wholly enforced)"].split()[0])
    assert there / here == pytest.approx(planted.SLOWER["server-hdd"], rel=0.1)


def test_a_print_is_not_answered_from_another_scale(repository: Evidence) -> None:
    """The reference engine has 3,000 and 10,000 children, the system itself 1,000 and 10,000."""
    other = PRINTED.assign(scale=PRINTED["scale"].where(PRINTED["scale"].isna(), 5_000))
    table = reproduced.beside(repository, other, repository.subsystem.printed["all"])
    assert 'class="note absent"' in table.text and "<table" not in table.text


def test_stores_are_told_a_resource_and_a_triple(repository: Evidence) -> None:
    shown = named(ldp_tables.stores(repository))
    [row] = [r for r in shown if r["system"] == "reference engine" and r["children"] == "10,000"]
    assert row["a resource [95 % interval]"].startswith("19.0 kB") or row[
        "a resource [95 % interval]"
    ].startswith("19")
    assert float(row["a triple"].split()[0]) == pytest.approx(19_000 / 200, rel=0.05)


def test_writes_name_promise_and_connection(repository: Evidence) -> None:
    shown = named(ldp_tables.writes(repository))
    promises = {(r["system"], r["promise"]) for r in shown}
    assert {("Fedora 4.7.5", "bg"), ("reference engine", "none")} <= promises
    assert {r["connection"] for r in shown} == {"new", "kept"}


def test_reads_that_make_up_for_a_write(repository: Evidence) -> None:
    shown = {r["system"]: r for r in named(ldp_tables.read_write(repository))}
    column = "reads a write from which it is ahead of Fedora 4.7.5"
    assert shown["reference engine"][column] == "always"
    assert shown["Fedora 4.7.5"][column] == "–"
    assert shown["Lakesuperior 1.0a17"][column] == "never"


def test_findings_name_the_promise_and_the_noise(repository: Evidence) -> None:
    found = {f.question: f for f in subsystems.headlines(repository)}
    put = found["PUT of 200 triples, on disk before the answer: Lakesuperior 1.0a18"]
    assert put.verdict == "slower"
    assert "at 10,000 children" in put.answer
    assert "noise floor" in put.answer


def test_the_published_points_stand_on_the_curves(repository: Evidence) -> None:
    assert any("Lakesuperior 1.0a18, published" in one for one in values(repository, "put"))


def test_without_data_every_part_says_so(repository: Evidence) -> None:
    empty = without_rows(repository)
    for told in (ldp_tables.stores, ldp_tables.writes, ldp_tables.read_write):
        assert "no rows" in told(empty).text
    assert {f.verdict for f in subsystems.headlines(empty)} == {"no data", "left out"}
