"""What an operation of access control cannot do without, beside what is reached."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.present.kit.evidence import Evidence, at_scale
from assay.present.kit.operations import Operation
from assay.present.kit.tables import Html, number, over, table, text, value
from assay.present.subsystems.acp.operations import (
    CHECK,
    DENIED,
    IS_REGISTERED,
    REFERENCE,
    REGISTER,
    REGISTER_PERSISTENT,
)
from assay.tables.rows import Row


@dataclass(frozen=True)
class Floor:
    """The parts that an operation cannot do without, and how often; `keys` add to its variant."""

    operation: Operation
    parts: Mapping[str, int]
    metric: str = "time"
    keys: Mapping[str, str] = field(default_factory=dict)


HANDLE = {"level": "handle"}
FLOORS = (
    Floor(REGISTER, {"slab-insert": 2}, "time_per_doc"),
    Floor(REGISTER_PERSISTENT, {"slab-insert": 2, "write": 1}, "time_per_doc"),
    Floor(CHECK, {"slab-lookup": 3}),
    Floor(CHECK, {"slab-lookup": 1}, keys=HANDLE),
    Floor(DENIED, {"slab-lookup": 4}),
    Floor(IS_REGISTERED, {"slab-lookup": 2}),
    Floor(IS_REGISTERED, {"slab-lookup": 1}, keys=HANDLE),
)
"""A registration enters a name and a relationship. A check looks up two names and probes for the
owner, a refusal for the reader, too; by handle, the names were looked up before."""

SCALE = 8192


def beside_floor(evidence: Evidence) -> Html:
    """What the reference engine reaches, beside the sum of the parts it cannot avoid.

    All are medians of one session; the ratio is that of the two shown, without an interval.
    """
    columns = [
        text("operation", "operation"),
        number("documents", "scale"),
        text("parts of the floor", "parts"),
        value("reached", "reached", "s"),
        value("floor", "floor", "s"),
        over("reached / floor", "reached", "floor"),
    ]
    return table(
        list(_floors(evidence)), columns, "Reached, beside the floor: medians an operation"
    )


def _floors(evidence: Evidence) -> Iterator[Row]:
    for one in FLOORS:
        by = ", by handle" if one.keys else ""
        variant = one.operation.variant(**one.keys)
        yield {
            "operation": f"{one.operation.label}{by}",
            "scale": SCALE,
            "parts": " + ".join(_part(part, count) for part, count in one.parts.items()),
            "reached": _median(evidence, one.operation.workload, variant, one.metric),
            "floor": sum(
                count * _median(evidence, "floor", f"part={part}")
                for part, count in one.parts.items()
            ),
        }


def _median(evidence: Evidence, workload: str, variant: str, metric: str = "time") -> float:
    """The reference engine's median at `SCALE`; NaN without one."""
    cells = evidence.cells(workload, metric, engine=REFERENCE, variant=variant)
    found = at_scale(cells, SCALE)["median"].dropna()
    return float(found.iloc[0]) if len(found) else float("nan")


def _part(part: str, count: int) -> str:
    return part if count == 1 else f"{count} {part}"
