"""Translation between JSON and gRPC."""

from assay.present.kit.subsystem import Subsystem
from assay.present.kit.tables import number, text
from assay.present.sections.bounds import Bounds
from assay.present.subsystems.transcode.figures import FIGURES
from assay.present.subsystems.transcode.headlines import answer, findings, right
from assay.present.subsystems.transcode.operations import DIRECTIONS, REFERENCE, STAND_IN
from assay.present.subsystems.transcode.promises import PROMISES
from assay.present.subsystems.transcode.tables import PRINTED

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
    promises=PROMISES,
    right=right,
    answer=answer,
    caveat="No registry has the published library: libprotobuf 3.21 stands in for it.",
    printed=PRINTED,
    bounds=Bounds([text("operation", "label"), number("elements or bytes", "scale")], "a message"),
    headlines=findings,
    figures=FIGURES,
)
