"""What the report on transcoding says of its own tables."""

from math import inf

from assay.published.statements.kinds import Curve, Factor, Number


def _figure(section: str, row: str, column: str = "message_latency") -> Number:
    return Number(f"Results / {section}", row, column)


FACTORS = [
    Factor(
        "transcode",
        "Strings have the least overhead (gRPC to JSON, against int32)",
        (_figure("Value Data Type", "grpc_to_json, int32, 1024"),),
        (_figure("Value Data Type", "grpc_to_json, string, 1024"),),
        1,
        inf,
    ),
    Factor(
        "transcode",
        "Streaming adds no overhead (Struct of 31 layers, JSON to gRPC, 64 messages)",
        (_figure("Number of Nested Layers", "json_to_grpc, struct_stream_of_31, 64"),),
        (_figure("Number of Nested Layers", "json_to_grpc, struct, 31"),),
        0.95,
        1.05,
    ),
    Factor(
        "transcode",
        "The latency per byte has converged at 1 MiB (gRPC to JSON)",
        (_figure("Body Length", "grpc_to_json, bytes, 33554432", "byte_latency"),),
        (_figure("Body Length", "grpc_to_json, bytes, 1048576", "byte_latency"),),
        0.8,
        1.25,
    ),
    Factor(
        "transcode",
        "The latency per byte is per byte of the data before base64, so that times the length it "
        "gives the latency of the message (JSON to gRPC, 32 MiB)",
        (_figure("Body Length", "json_to_grpc, bytes, 33554432"),),
        (
            _figure("Body Length", "json_to_grpc, bytes, 33554432", "byte_latency"),
            _figure("Body Length", "json_to_grpc, bytes, 33554432", "argument"),
        ),
        0.95,
        1.05,
    ),
    Factor(
        "transcode",
        "32 MiB take around 50000, read as µs like the axis (JSON to gRPC)",
        (_figure("Body Length", "json_to_grpc, bytes, 33554432"),),
        (50000e-6,),
        0.9,
        1.1,
    ),
    Factor(
        "transcode",
        "The deepest variable binding has 32 levels",
        (_figure("Variable Binding Depth", "json_to_grpc, nested, 31", "argument"),),
        (32.0,),
        1,
        1,
    ),
    Factor(
        "transcode",
        "Doubles have the most significant overhead (gRPC to JSON, against int32)",
        (_figure("Value Data Type", "grpc_to_json, double, 1024"),),
        (_figure("Value Data Type", "grpc_to_json, int32, 1024"),),
        1,
        inf,
    ),
    Factor(
        "transcode",
        "The latency per byte converges to 0.03 µs (int32 array, JSON to gRPC)",
        (_figure("Array Length", "json_to_grpc, int32, 16384", "byte_latency"),),
        (0.03e-6,),
        0.9,
        1.1,
    ),
]

LINES = [
    Curve(
        "transcode",
        "The overhead grows linearly with the number of segments",
        "Number of Message Segments",
        "json_to_grpc, string_1MiB",
        "message_latency",
    ),
    Curve(
        "transcode",
        "The overhead grows linearly with the number of variable bindings",
        "Number of Variable Bindings",
        "json_to_grpc, eight_strings",
        "message_latency",
    ),
]

NO_TRENDS = [
    Curve(
        "transcode",
        f"The latency per byte of nested structures follows no trend ({series})",
        "Number of Nested Layers",
        series,
        "byte_latency",
    )
    for series in (
        *("json_to_grpc, struct", "json_to_grpc, nested"),
        *("grpc_to_json, struct", "grpc_to_json, nested"),
    )
]
