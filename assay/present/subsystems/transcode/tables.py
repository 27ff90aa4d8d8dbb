"""Tables of the report on transcoding: published numbers, twins, streams, cases, proxies."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan

from assay.inputs.variant import variant_keys, variant_of, variant_string
from assay.present.kit import tables
from assay.present.kit.cells import also, engines, median
from assay.present.kit.evidence import Evidence, Place
from assay.present.kit.quantities import interval, ratio_of
from assay.present.kit.tables import INTERVAL, Column, Html, number, table, text, value, valued
from assay.present.kit.tables import ratio as ratio_column
from assay.present.sections.reproduced import NO_RATIO, Counterpart, Printed
from assay.present.subsystems.transcode.operations import DIRECTIONS, REFERENCE, STAND_IN
from assay.tables.rows import Row, records

CASES = {
    "agreed": "corpus, three libraries agree",
    "required": "conformance suite, required",
    "recommended": "conformance suite, recommended",
    "jsontestsuite": "JSON syntax",
}
"""The sets of cases of workload `correctness`."""


PRINTED = {
    "all": Printed(
        "Published numbers beside ours",
        (
            Counterpart("stand-in here", STAND_IN, compared=True),
            Counterpart("reference", REFERENCE),
        ),
    )
}
"""Every published number beside the stand-in of its library and the reference engine."""


Setting = tuple[str, str, int]
"""Workload, variant and scale: a cell of any engine."""


@dataclass(frozen=True)
class Pair:
    """Two cells of an engine, and what the first over the second tells."""

    label: str
    cell: Setting
    base: Setting


def _streams() -> Iterator[Pair]:
    for direction, title in DIRECTIONS.items():
        for message in ("nested", "struct"):
            keys = variant_of(direction=direction, message=message)
            label = f"{title}: 64 messages of 31 layers, {message}"
            yield Pair(label, ("nested_stream", keys, 64), ("nested_layers", keys, 31))
        keys = variant_of(direction=direction, type="published")
        label = f"{title}: 64 arrays of 16,384 int32, as published"
        yield Pair(label, ("array_stream", keys, 64), ("array_length", keys, 16_384))
        keys = variant_of(direction=direction)
        label = f"{title}: 64 bodies of 1 MiB"
        yield Pair(label, ("body_stream", keys, 64), ("body_length", keys, 1_048_576))
    base = ("message_segments", "", 1)
    yield Pair("JSON to gRPC: 16 segments", ("message_segments", "", 16), base)
    yield Pair("JSON to gRPC: 4,096 segments", ("message_segments", "", 4_096), base)
    alone = ("message_segments", "", 256)
    label = "JSON to gRPC: 64 strings of 256 segments"
    yield Pair(label, ("message_segments_stream", "", 64), alone)


def _twins() -> Iterator[Pair]:
    published, int32 = (
        variant_of(direction="to_json", type=kind) for kind in ("published", "int32")
    )
    label = "gRPC to JSON: int32 read as bytes, over int32 read as int32"
    yield Pair(label, ("array_length", published, 16_384), ("array_length", int32, 16_384))
    for bindings in (2, 8):
        label = f"{bindings} bindings beside unknown fields, over the same beside known ones"
        yield Pair(label, ("bindings", "", bindings), ("bindings_corrected", "", bindings))
    label = "a binding that the body holds, too, over one that it does not hold, 31 layers"
    yield Pair(label, ("binding_depth", "", 31), ("binding_depth_corrected", "", 31))


def streams(evidence: Evidence) -> Html:
    """What a message costs in a stream or in segments, over one alone and whole."""
    caption = "A message of a stream, over one alone: time"
    return _pairs(evidence, list(_streams()), caption, "in a stream", "alone")


def twins(evidence: Evidence) -> Html:
    """Published benchmarks over their twins, which measure what the name says."""
    caption = "As published, over what the name says: time"
    return _pairs(evidence, list(_twins()), caption, "as published", "by its name")


def _pairs(evidence: Evidence, pairs: list[Pair], caption: str, above: str, below: str) -> Html:
    rows = [
        row
        for pair in pairs
        for engine in engines(evidence)
        if (row := _paired(evidence, pair, engine))
    ]
    columns = [
        text("what", "what"),
        tables.engine(evidence),
        value(above, "above", "s"),
        value(below, "below", "s"),
        ratio_column(f"{above} / {below} {INTERVAL}"),
        number("n", "n"),
    ]
    return table(rows, columns, caption)


def _paired(evidence: Evidence, pair: Pair, engine: str) -> Row | None:
    cell, base = (
        Place(workload, engine, variant) for workload, variant, _ in (pair.cell, pair.base)
    )
    scales = (pair.cell[-1], pair.base[-1])
    for row in evidence.over(cell, base):
        if (row["scale"], row["base_scale"]) == scales:
            above, below = (
                median(evidence, place.workload, scale=scale, engine=engine, variant=place.variant)
                for place, scale in zip((cell, base), scales, strict=True)
            )
            return {**row, "what": pair.label, "above": above, "below": below}
    return None


def correctness(evidence: Evidence) -> Html:
    """How many cases each library answers as they want, by set of cases and direction."""
    rows = []
    for cases, title in CASES.items():
        for direction, way in DIRECTIONS.items():
            variant = variant_of(direction=direction, cases=cases)
            passed, total = (
                evidence.cells("correctness", metric, variant=variant).set_index("engine")["median"]
                for metric in ("cases_passed", "cases_total")
            )
            about = {"cases": title, "way": way}
            rows += [
                {**about, "engine": engine, "passed": passed[engine], "of": total[engine]}
                for engine in evidence.subsystem.engines
                if total.get(engine, 0)
            ]
    columns = [
        text("cases", "cases", choose=True),
        text("direction", "way", choose=True),
        tables.engine(evidence),
        *(valued(name, name, "{:,.0f}".format) for name in ("passed", "of")),
    ]
    return table(rows, columns, "Cases answered as they want")


def proxies(evidence: Evidence) -> Html:
    """What a request costs a proxy, as JSON and as plain gRPC, paired by block."""
    rows = []
    for row in tables.measured(evidence.cells("proxy", mode="json")):
        keys = variant_keys(row["variant"]) | {"mode": "grpc"}
        forwarded = {**row, "variant": variant_string(keys)}
        plain = also(evidence, forwarded, "time")
        place = {key: row[key] for key in ("engine", "variant", "scale")}
        latencies = {name: records(evidence.cells("proxy", name, **place)) for name in LATENCIES}
        sides = (Place("proxy", row["engine"], side["variant"]) for side in (row, forwarded))
        known = (ratio for ratio in evidence.over(*sides) if ratio["scale"] == row["scale"])
        rows.append(row | {"over": next(known, NO_RATIO), "plain": plain} | latencies)
    columns = [
        Column("request", lambda row: evidence.subsystem.spoken(row["variant"])),
        number("requests a second", "scale"),
        tables.engine(evidence),
        tables.median(f"CPU a request, JSON {INTERVAL}"),
        value("CPU a request, plain gRPC", "plain", "s"),
        Column(
            f"JSON / plain gRPC {INTERVAL}",
            lambda row: ratio_of(row["over"]),
            lambda row: row["over"]["ratio"],
        ),
        *(_latency(name, title) for name, title in LATENCIES.items()),
        number("n", "n"),
    ]
    return table(rows, columns, "Requests through a proxy")


def _latency(name: str, title: str) -> Column:
    """What a cell has of another metric, which may be nothing."""

    def show(row: Row) -> str:
        for cell in row[name]:
            return interval(cell["median"], cell["ci_low"], cell["ci_high"], "s")
        return "–"

    return Column(
        f"{title} {INTERVAL}", show, lambda row: next((cell["median"] for cell in row[name]), nan)
    )


LATENCIES = {"latency_p50": "latency, p50", "latency_p99": "latency, p99"}
