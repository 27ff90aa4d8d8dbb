"""What an answer of each engine promises, and what the scorecard rates it by."""

from assay.inputs.variant import variant_of
from assay.present.kit.subsystem import Promise, Score
from assay.present.subsystems.transcode.operations import INT32, REFERENCE, STAND_IN

_TO_GRPC, _TO_JSON = INT32
_FIELD = variant_of(body="field", mode="json")

PROMISES = (
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
