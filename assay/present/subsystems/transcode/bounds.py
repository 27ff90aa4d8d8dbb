"""What a translation cannot do without."""

from assay.present.kit.operations import Operation
from assay.present.kit.tables import number, text
from assay.present.sections.bounds import Bound, Bounds
from assay.present.subsystems.transcode.operations import BYTES, DOUBLES, INT32, STRING


def _bound(operation: Operation, scale: int, part: str) -> Bound:
    about = {"operation": operation.label, "scale": scale}
    return Bound(about, operation.workload, operation.variant(), {part: 1}, scale=scale)


CELLS = (
    _bound(INT32[0], 16_384, "int32_in"),
    _bound(INT32[1], 16_384, "int32_out"),
    _bound(BYTES[0], 1_048_576, "base64_decode"),
    _bound(BYTES[1], 1_048_576, "base64_encode"),
    _bound(STRING[0], 1_048_576, "scan"),
    _bound(STRING[1], 1_048_576, "scan"),
    _bound(DOUBLES[0], 1_024, "double_in"),
    _bound(DOUBLES[1], 1_024, "double_out"),
)
"""Numbers: read and written by the standard library. Strings: copied, and looked at once."""

BOUNDS = Bounds(
    lambda _: CELLS,
    [text("operation", "operation"), number("elements or bytes", "scale")],
    "a message",
)
