"""Translation between JSON and gRPC."""

from assay.present.kit.subsystem import Subsystem
from assay.present.subsystems.transcode.figures import FIGURES
from assay.present.subsystems.transcode.headlines import findings
from assay.present.subsystems.transcode.operations import REFERENCE, STAND_IN

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
    headlines=findings,
    figures=FIGURES,
)
