"""Translation between JSON and gRPC."""

from assay.inputs.variant import variant_of
from assay.present.kit.subsystem import Promise, Score, Subsystem
from assay.present.kit.tables import number, text
from assay.present.sections.bounds import Bounds
from assay.present.subsystems.transcode.figures import FIGURES
from assay.present.subsystems.transcode.headlines import answer, findings, right
from assay.present.subsystems.transcode.operations import DIRECTIONS, INT32, REFERENCE, STAND_IN
from assay.present.subsystems.transcode.tables import PRINTED

_TO_GRPC, _TO_JSON = INT32
_FIELD = variant_of(body="field", mode="json")

_PROMISES = (
    Promise(
        "a library: the message, translated",
        (
            *(REFERENCE, STAND_IN, "prost-reflect", "prost-reflect-sonic"),
            *("protojson", "hyperpb", "protobuf-java-util"),
        ),
        (
            Score("write", "int32s from JSON", _TO_GRPC.workload, _TO_GRPC.variant()),
            Score("read", "int32s to JSON", _TO_JSON.workload, _TO_JSON.variant()),
        ),
    ),
    Promise(
        "a gateway: the answer of a service behind it",
        (REFERENCE, "envoy", "vanguard"),
        (
            Score("write", "processor time of a request", "proxy", _FIELD),
            Score("memory", "of the gateway", "proxy", _FIELD, "proxy_peak_memory"),
        ),
    ),
)

SUBSYSTEM = Subsystem(
    engines={
        REFERENCE: "reference engine",
        STAND_IN: "libprotobuf 3.21",
        "prost-reflect": "prost-reflect",
        "protojson": "protojson",
        "hyperpb": "hyperpb",
        "protobuf-java-util": "protobuf-java-util",
        "prost-reflect-sonic": "prost-reflect with sonic-rs",
        "envoy": "Envoy",
        "vanguard": "Vanguard",
    },
    words={
        **{f"direction={key}": words for key, words in DIRECTIONS.items()},
        "type=published": "read as bytes, as published",
        "type": "{}",
        "body=field": "a short field",
        "body=nested": "nested messages",
        "body=int32": "an array of int32",
        "body": "{}",
        "mode=json": "as JSON",
        "mode=json_h2": "as JSON over HTTP/2",
        "mode=grpc": "as plain gRPC",
        "message=nested": "messages",
        "message=struct": "Struct",
        "cell=array": "an array",
        "cell=nested": "nested messages",
    },
    promises=_PROMISES,
    right=right,
    answer=answer,
    caveat="No registry has the published library: libprotobuf 3.21 stands in for it.",
    printed=PRINTED,
    bounds=Bounds([text("operation", "label"), number("elements or bytes", "scale")], "a message"),
    headlines=findings,
    figures=FIGURES,
)
