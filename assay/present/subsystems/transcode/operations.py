"""What the report on transcoding compares: engines, operations."""

from assay.present.kit.operations import Operation

REFERENCE, STAND_IN = "reference", "libprotobuf-3-21"
"""The reference engine, and what stands in for the published library, which no registry has."""

DIRECTIONS = {"from_json": "JSON to gRPC", "to_json": "gRPC to JSON"}


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
    operation
    for kind in ("int32", "double", "string")
    for operation in _both(f"1,024 zeros as {kind}", "value_type", ("type", kind))
)
COMPARED_BY_DIRECTION = (
    _both("an array of int32, as published", "array_length", ("type", "published")),
    *(BYTES, NESTED, STRUCT),
)
"""Where the published report compares the two directions."""

COLUMNS = (*INT32, *BYTES, *STRING, *NESTED, *DOUBLES)
"""What every library is measured on."""

PUBLISHED = (
    *(*INT32, *BYTES, *NESTED, *STRUCT, *TYPES),
    Operation("JSON to gRPC: a string in segments", "message_segments"),
    Operation("JSON to gRPC: bindings in depth", "binding_depth"),
    Operation("JSON to gRPC: several bindings", "bindings"),
)
