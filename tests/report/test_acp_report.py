"""What the report on document access control says in words and tables, on planted data."""

import re
from dataclasses import replace

import planted
import planted_acp
import pytest
from report_text import named, values, without_rows

from assay import published
from assay.inputs import manifest
from assay.inputs.variant import variant_string
from assay.present import subsystems
from assay.present.kit.canvas import WIDE, NoData, Plate
from assay.present.kit.evidence import Evidence
from assay.present.sections import bounds, reproduced
from assay.present.subsystems.acp import figures as plots
from assay.present.subsystems.acp import headlines
from assay.present.subsystems.acp import operations as acp
from assay.present.subsystems.acp import published as acp_published
from assay.present.subsystems.acp import tables as acp_tables

PRINTED = published.read("acp")
MAPPED = PRINTED[PRINTED["metric"] != ""]


@pytest.fixture(scope="module")
def access(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    data = tmp_path_factory.mktemp("data")
    planted.study(data / "acp", blocks=6, subsystem="acp")
    return subsystems.load(data, "acp")


def test_memory_and_disk_stand_on_one_axis(access: Evidence) -> None:
    for plate in (plots.published(access, "register"), plots.memory(access)):
        assert isinstance(plate, Plate)
        first, second = plate.draw(WIDE).axes
        assert first.get_ylim() == second.get_ylim()
    apart = plots.depth(access)
    assert isinstance(apart, Plate)
    assert len({axes.get_ylim() for axes in apart.draw(WIDE).axes}) > 1


def test_every_published_time_memory_and_allocation_has_a_cell() -> None:
    assert set(PRINTED.loc[PRINTED["metric"] == "", "column"]) == {
        "scale", "GOMAXPROCS", "iterations", "duration"
    }  # fmt: skip
    assert sorted(MAPPED["scale"].unique()) == [256, 512, 1024, 2048, 4096, 8192]


@pytest.mark.parametrize("engine", ["", "peers/acp-core-2025", "peers/acp-core-2024"])
def test_both_generations_and_the_reference_measure_every_published_cell(engine: str) -> None:
    known = manifest.load(planted.ROOT / "engines" / "acp" / engine / "engine.yaml")
    measured = {
        (bench.workload, metric.column, variant_string(variant), scale)
        for bench in known.benches
        for metric in bench.metrics.values()
        for variant in bench.variants
        for scale in bench.scales["published"]
    }
    cells = MAPPED
    if engine.endswith("2024"):  # the report has its numbers in memory only
        cells = MAPPED[acp_published.is_old(MAPPED)]
    wanted = cells[["workload", "metric", "variant", "scale"]].itertuples(index=False, name=None)
    assert set(wanted) <= measured


def test_a_published_number_stands_beside_its_own_generation(access: Evidence) -> None:
    new = named(reproduced.published_table(access, "new"))
    [row] = [
        r
        for r in new
        if r["row"] == "BenchmarkACPRegister/scale=8192,inMem=true-22"
        and r["metric"] == "time"
        and "Improvement" not in r["published under"]
    ]
    assert row["published"] == "744 ms"
    factor = planted_acp.REGISTER_NS[acp.NEW] / planted_acp.REGISTER_NS[acp.REFERENCE]
    shown = row["new published engine, here / reference"].split("×")[0]
    assert float(shown) == pytest.approx(factor, rel=0.1)
    old = named(reproduced.published_table(access, "old"))
    assert {r["row"].split("/")[0] for r in old if "TLDR" in r["published under"]} == {
        f"BenchmarkACP{call}Old" for call in ("Register", "CheckDocAccess", "IsDocRegistered")
    }
    [large] = [
        r for r in old if r["row"].startswith("BenchmarkACPRegisterOld/scale=8192")
        and r["metric"] == "time"
    ]  # fmt: skip
    assert large["old published engine, here"] == "–"


def test_the_generations_together_show_every_published_number_once() -> None:
    old = acp_published.is_old(MAPPED)
    summary = MAPPED["section"].str.startswith("TLDR")
    repeated = MAPPED[summary & ~old]
    results = MAPPED[MAPPED["table"] == "results"].set_index(["row", "column"])["value"]
    for row in repeated.to_dict("records"):
        assert results[row["row"].replace("New/", "/"), row["column"]] == row["value"]


def test_first_calls_are_set_beside_a_loop(access: Evidence) -> None:
    shown = named(acp_published.cold_and_warm(access))
    assert len(shown) == 2 * 2 * len(planted_acp.SCALES)
    ratio = next(r["first / loop [95 % interval]"] for r in shown)
    assert float(ratio.split("×")[0]) == pytest.approx(1.7, rel=0.1)


def test_answers_are_counted_by_engine(access: Evidence) -> None:
    shown = {r["engine"]: r for r in named(acp_tables.answers(access))}
    assert shown["reference engine"]["right"] == "15,040"
    assert shown[access.subsystem.title(acp.NEW)]["wrongly allowed"] == "269"
    [finding] = headlines.answers(access)
    assert "new published engine 14,532 of 15,040" in finding.answer


def test_scanned_records_and_syncs_are_counted(access: Evidence) -> None:
    shown = {
        (r["workload"], r["variant"], r["scale"]): r["counted"]
        for r in named(acp_tables.counted(access))
    }
    assert shown["register", "store=memory", "1,024"] == "0"
    assert shown["register", "index=scan,store=memory", "1,024"] == "1,023"
    assert shown["register_sync", "sync=each,waiting=1", "4,096"] == "1"
    assert float(shown["register_sync", "sync=batch,waiting=64", "4,096"]) < 0.02


def test_the_log_of_a_document_stands_beside_its_disk(access: Evidence) -> None:
    shown = {
        (r["engine"], r["store"], r["documents"]): r["written to the log"]
        for r in named(acp_tables.sizes(access))
    }
    assert shown["reference engine", "on disk", "1,024"].startswith("47")
    assert shown["cedar-go", "in memory", "256"] == "–"


def test_a_figure_says_what_each_engine_promises(access: Evidence) -> None:
    kept = "refuses a second owner, refuses an actor that is no DID, lets only the owner share"
    measured = access.estimates
    fewer = replace(access, estimates=measured[measured["engine"] != "openfga"])
    promised = plots.promises(fewer, ["reference", "cedar-go", "openfga"])
    assert promised.endswith(f": reference engine: {kept}; cedar-go: nothing of this.")
    for draw in (
        *(plots.against_published, plots.peers, plots.depth),
        *(plots.sharing, plots.lists, plots.memory),
    ):
        plate = draw(access)
        assert not isinstance(plate, NoData)
        assert re.search(f"promises: [^;]*old published engine[^;]*: {kept}", plate.caption)


def test_contracts_say_yes_and_no(access: Evidence) -> None:
    shown = {(r["engine"], r["store"]): r for r in named(acp_tables.contracts(access))}
    assert shown["reference engine", "in memory"]["refuses a second owner"] == "yes"
    assert shown["cedar-go", "in memory"]["refuses a second owner"] == "no"
    assert ("cedar-go", "on disk") not in shown


def test_reached_is_set_beside_the_sum_of_its_parts(access: Evidence) -> None:
    shown = {r["operation"]: r for r in named(bounds.beside(access))}
    register = shown[acp.REGISTER.label]
    assert register["parts of the bound"] == "2 slab-insert"
    floor = 2 * planted_acp.FLOORS["slab-insert"]
    assert float(register["bound"].split()[0]) == pytest.approx(floor, rel=0.1)
    assert f"{acp.CHECK.label}, by handle" in shown


def test_what_is_undercut_is_no_bound(access: Evidence) -> None:
    known = access.estimates
    slow = known["median"].mask(known["variant"] == "part=slab-insert", 1.0)
    shown = named(bounds.beside(planted.estimated(access, known.assign(median=slow))))
    register = next(row for row in shown if row["operation"] == acp.REGISTER.label)
    assert (register["bound"], register["reached / bound"]) == ("–", "–")
    assert register["why none"] == "alone these parts took 2.00 s"


def test_findings_compare_both_generations_and_name_the_noise(access: Evidence) -> None:
    found = {f.question: f for f in subsystems.headlines(access)}
    gained = found["What the published engine gained, old over new: register documents, one a call"]
    assert gained.verdict == "slower"
    assert "at 1,024 documents" in gained.answer
    assert "noise floor" in found["Register documents, one a call"].answer


def test_the_published_points_stand_on_the_curves(access: Evidence) -> None:
    assert any("68.9 s at 8,192" in one for one in values(access, "register"))


def test_without_data_every_part_says_so(access: Evidence) -> None:
    empty = without_rows(access)
    assert "no rows" in acp_tables.answers(empty).text
    assert {f.verdict for f in subsystems.headlines(empty)} == {"no data", "left out"}
