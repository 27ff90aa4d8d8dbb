"""What the report on transcoding says in words and tables, on planted data."""

import planted
import planted_transcode
import pytest
from report_text import named, values, without_rows

from assay import published
from assay.inputs import manifest
from assay.inputs.variant import variant_string
from assay.present import subsystems
from assay.present.kit.evidence import Evidence
from assay.present.sections import bounds, reproduced
from assay.present.subsystems.transcode import headlines
from assay.present.subsystems.transcode import operations as transcode
from assay.present.subsystems.transcode import tables as transcode_tables

PRINTED = published.read("transcode")
MAPPED = PRINTED[PRINTED["metric"] != ""]


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    data = tmp_path_factory.mktemp("data")
    planted.study(data / "transcode", blocks=6, subsystem="transcode")
    return subsystems.load(data, "transcode")


def test_every_published_latency_and_size_has_a_workload() -> None:
    unmapped = PRINTED[(PRINTED["metric"] == "") & (PRINTED["column"] != "argument")]
    assert unmapped.empty
    assert MAPPED["workload"].nunique() == 11


@pytest.mark.parametrize("engine", ["", "peers/libprotobuf-3-21"])
def test_the_reference_and_the_stand_in_measure_every_published_cell(engine: str) -> None:
    known = manifest.load(planted.ROOT / "engines" / "transcode" / engine / "engine.yaml")
    measured = {
        (bench.workload, metric.column, variant_string(variant), scale)
        for bench in known.benches
        for metric in bench.metrics.values()
        for variant in bench.variants
        for scale in bench.scales["published"]
    }
    wanted = MAPPED[["workload", "metric", "variant", "scale"]].itertuples(index=False, name=None)
    assert set(wanted) <= measured


def test_a_published_number_stands_beside_its_stand_in(gateway: Evidence) -> None:
    shown = named(reproduced.published_table(gateway, "all"))
    assert len(shown) == len(MAPPED)
    [row] = [
        r for r in shown
        if r["row"] == "json_to_grpc, struct, 31" and r["metric"] == "message_latency"
    ]  # fmt: skip
    assert row["published"] == "85.3 µs"
    slower = planted_transcode.SLOWER[transcode.STAND_IN]
    assert float(row["stand-in here / reference"].split("×")[0]) == pytest.approx(slower, rel=0.1)
    [segments] = [
        r for r in shown if r["row"] == "json_to_grpc, string_1MiB, 4096"
    ]  # fmt: skip
    assert segments["reference"].endswith("n = 6"), "a workload with a single variant"


def test_a_stream_is_set_beside_a_message_alone(gateway: Evidence) -> None:
    shown = {(r["what"], r["engine"]): r for r in named(transcode_tables.streams(gateway))}
    row = shown["JSON to gRPC: 4,096 segments", "reference engine"]
    assert float(row["in a stream / alone [95 % interval]"].split("×")[0]) == pytest.approx(
        1.2, rel=0.1
    )


def test_published_benches_are_set_beside_their_twins(gateway: Evidence) -> None:
    shown = [r for r in named(transcode_tables.twins(gateway)) if "bytes" in r["what"]]
    assert {r["engine"] for r in shown} == {"reference engine", "libprotobuf 3.21"}
    for row in shown:
        assert float(row["as published / by its name [95 % interval]"].split("×")[0]) < 0.2


def test_cases_are_counted_by_library_and_direction(gateway: Evidence) -> None:
    shown = {
        (r["cases"], r["direction"], r["engine"]): r
        for r in named(transcode_tables.correctness(gateway))
    }
    required = transcode_tables.CASES["required"]
    assert shown[required, "JSON to gRPC", "reference engine"]["passed"] == "500"
    assert shown[required, "JSON to gRPC", "libprotobuf 3.21"]["passed"] == "450"
    assert "libprotobuf 3.21 702 of 780" in headlines.answers(gateway).answer


def test_the_share_of_transcoding_is_what_json_adds(gateway: Evidence) -> None:
    shown = {(r["request"], r["engine"]): r for r in named(transcode_tables.proxies(gateway))}
    row = shown["an array of int32, as JSON", "Envoy"]
    assert row["CPU a request, JSON [95 % interval]"].startswith(("2.9", "3.0"))
    said = row["JSON / plain gRPC [95 % interval]"]
    # Of 180,000 bytes: 294 µs as plain gRPC, and 2 µs and 15 ns a byte more as JSON.
    assert float(said.split("×")[0]) == pytest.approx(2.996 / 0.294, rel=0.05)
    assert "[" in row["latency, p99 [95 % interval]"]
    assert not any(engine == "Vanguard" for _, engine in shown), "it was refused"


def test_reached_is_set_beside_the_part_that_bounds_it(gateway: Evidence) -> None:
    shown = {r["operation"]: r for r in named(bounds.beside(gateway))}
    ints = shown["JSON to gRPC: an array of int32"]
    assert ints["parts of the bound"] == "int32_in"
    assert float(ints["reached / bound"].rstrip("×")) == pytest.approx(1.1, abs=0.1)


def test_findings_compare_with_the_stand_in_and_name_the_noise(gateway: Evidence) -> None:
    found = {f.question: f for f in subsystems.headlines(gateway)}
    ints = found["JSON to gRPC: an array of int32"]
    assert ints.verdict == "slower"
    assert "at 16,384 elements" in ints.answer
    assert "noise floor" in ints.answer


def test_the_published_points_stand_on_the_curves(gateway: Evidence) -> None:
    assert "published: 6.00 µs at 0" in values(gateway, "nested-layers")


def test_without_data_every_part_says_so(gateway: Evidence) -> None:
    empty = without_rows(gateway)
    assert "no rows" in transcode_tables.correctness(empty).text
    assert {f.verdict for f in subsystems.headlines(empty)} == {"no data", "left out"}
