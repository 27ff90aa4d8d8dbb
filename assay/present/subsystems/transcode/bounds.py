"""What a translation cannot do without, beside what is reached."""

from dataclasses import dataclass

from assay.inputs.variant import variant_of
from assay.present.kit.evidence import Evidence
from assay.present.kit.operations import Operation
from assay.present.kit.tables import Html, number, over, table, text, value
from assay.present.subsystems.transcode.operations import BYTES, DOUBLES, INT32, REFERENCE, STRING
from assay.present.subsystems.transcode.tables import median
from assay.tables.rows import Row


@dataclass(frozen=True)
class Floor:
    """An operation at a scale, and the part of workload `floor` that bounds it from below."""

    operation: Operation
    scale: int
    part: str


FLOORS = (
    Floor(INT32[0], 16_384, "int32_in"),
    Floor(INT32[1], 16_384, "int32_out"),
    Floor(BYTES[0], 1_048_576, "base64_decode"),
    Floor(BYTES[1], 1_048_576, "base64_encode"),
    Floor(STRING[0], 1_048_576, "scan"),
    Floor(STRING[1], 1_048_576, "scan"),
    Floor(DOUBLES[0], 1_024, "double_in"),
    Floor(DOUBLES[1], 1_024, "double_out"),
)
"""Numbers: read and written by the standard library. Strings: copied, and looked at once."""


def beside_floor(evidence: Evidence) -> Html:
    """What the reference engine reaches, beside the part it cannot avoid.

    All are medians of one session; the ratio is that of the two shown, without an interval.
    """
    rows: list[Row] = [
        {
            "operation": one.operation.label,
            "scale": one.scale,
            "part": one.part,
            "reached": median(
                evidence, REFERENCE, (one.operation.workload, one.operation.variant(), one.scale)
            ),
            "floor": median(evidence, REFERENCE, ("floor", variant_of(part=one.part), one.scale)),
        }
        for one in FLOORS
    ]
    columns = [
        text("operation", "operation"),
        number("elements or bytes", "scale"),
        text("part", "part"),
        value("reached", "reached", "s"),
        value("floor", "floor", "s"),
        over("reached / floor", "reached", "floor"),
    ]
    return table(rows, columns, "Reached, beside the floor: medians a message")
