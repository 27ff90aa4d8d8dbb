"""What the report on transcoding compares: operations, engines, headlines."""

from assay.present.kit.evidence import Evidence
from assay.present.kit.operations import Operation
from assay.present.kit.quantities import sentence
from assay.present.sections.findings import Finding, NamedCell, compare, no_data, noise_floor, peers

REFERENCE, STAND_IN = "reference", "libprotobuf-3-21"

TITLES = {REFERENCE: "reference engine", STAND_IN: "libprotobuf 3.21"}
"""The reference engine, and what stands in for the published library, which no registry has."""

ENGINES = (
    *(REFERENCE, STAND_IN),
    *("prost-reflect", "protojson", "hyperpb", "protobuf-java-util", "prost-reflect-sonic"),
    "envoy",
)
"""The reference, the stand-in, libraries and proxies: the order of colours."""

DIRECTIONS = {"from_json": "JSON to gRPC", "to_json": "gRPC to JSON"}

FIGURES = {
    "nested_layers": "nested-layers",
    "nested_stream": "nested-stream",
    "array_length": "array-length",
    "array_stream": "array-stream",
    "body_length": "body-length",
    "body_stream": "body-stream",
    "message_segments": "segments",
    "message_segments_stream": "segments",
    "value_type": "value-type",
    "binding_depth": "bindings",
    "bindings": "bindings",
    "string_body": "peers",
    "double_random": "peers",
    "codec_variant": "variants",
    "percentiles": "percentiles",
    "proxy": "proxies",
}
"""The figure of the report that shows a workload."""


def _both(label: str, workload: str, *keys: tuple[str, str]) -> tuple[Operation, ...]:
    return tuple(
        Operation(f"{title}: {label}", workload, (("direction", direction), *keys))
        for direction, title in DIRECTIONS.items()
    )


INT32 = _both("an array of int32", "array_length", ("type", "int32"))
BYTES = _both("one field of bytes", "body_length")
STRING = _both("one string", "string_body")
NESTED = _both("nested messages", "nested_layers", ("message", "nested"))
STRUCT = _both("a nested Struct", "nested_layers", ("message", "struct"))
DOUBLES = _both("an array of random doubles", "double_random")
TYPES = tuple(
    one
    for kind in ("int32", "double", "string")
    for one in _both(f"1,024 zeros as {kind}", "value_type", ("type", kind))
)
COLUMNS = (*INT32, *BYTES, *STRING, *NESTED, *DOUBLES)
"""What every library is measured on."""

PUBLISHED = (
    *(*INT32, *BYTES, *NESTED, *STRUCT, *TYPES),
    Operation("JSON to gRPC: a string in segments", "message_segments"),
    Operation("JSON to gRPC: bindings in depth", "binding_depth"),
    Operation("JSON to gRPC: several bindings", "bindings"),
)


def findings(evidence: Evidence) -> list[Finding]:
    """The headlines: the stand-in of the published library, right answers, peers, noise."""
    return [
        *(against_stand_in(evidence, one) for one in (*INT32, *BYTES, *STRING, *NESTED, *STRUCT)),
        answers(evidence),
        *(peers(evidence, name) for name in dict.fromkeys(one.workload for one in COLUMNS)),
        peers(evidence, "proxy"),
        noise_floor(evidence),
    ]


def against_stand_in(evidence: Evidence, operation: Operation) -> Finding:
    """The stand-in of the published library against the reference engine."""
    cell, base = (
        NamedCell(name, engine, operation.variant())
        for engine, name in ((STAND_IN, TITLES[STAND_IN]), (REFERENCE, "the reference engine"))
    )
    return compare(evidence, operation.label, operation.workload, cell, base)


def answers(evidence: Evidence) -> Finding:
    """How many of the required conformance cases each library answers as they want."""
    question = "Required cases of protobuf's conformance suite"
    passed, total = (
        evidence.cells("correctness", metric, cases="required").groupby("engine")["median"].sum()
        for metric in ("cases_passed", "cases_total")
    )
    known = [engine for engine in ENGINES if total.get(engine, 0)]
    if not known:
        why = evidence.missing("correctness", engine=REFERENCE)
        return no_data(question, ("the reference engine", why))
    said = [f"{engine_title(one)} {passed[one]:,.0f} of {total[one]:,.0f}" for one in known]
    return Finding(question, f"Answered as the suite wants: {sentence(said)}.", "counted")


def engine_title(engine: str) -> str:
    """The name of an engine in figures and tables."""
    return TITLES.get(engine, engine)
