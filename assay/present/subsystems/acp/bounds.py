"""What an operation of access control cannot do without."""

from assay.present.kit.operations import Operation
from assay.present.kit.tables import number, text
from assay.present.sections.bounds import Bound, Bounds
from assay.present.subsystems.acp import operations as acp

SCALE = 8192


def _bound(operation: Operation, parts: dict[str, float], metric: str = "time") -> Bound:
    about = {"operation": operation.label, "scale": SCALE}
    return Bound(about, operation.workload, operation.variant(), parts, metric, SCALE)


def _by_handle(operation: Operation, parts: dict[str, float]) -> Bound:
    keys = (*operation.keys, ("level", "handle"))
    return _bound(Operation(f"{operation.label}, by handle", operation.workload, keys), parts)


CELLS = (
    _bound(acp.REGISTER, {"slab-insert": 2}, "time_per_doc"),
    _bound(acp.REGISTER_PERSISTENT, {"slab-insert": 2, "write": 1}, "time_per_doc"),
    _bound(acp.CHECK, {"slab-lookup": 3}),
    _by_handle(acp.CHECK, {"slab-lookup": 1}),
    _bound(acp.DENIED, {"slab-lookup": 4}),
    _bound(acp.IS_REGISTERED, {"slab-lookup": 2}),
    _by_handle(acp.IS_REGISTERED, {"slab-lookup": 1}),
)
"""A registration enters a name and a relationship. A check looks up two names and probes for the
owner, a refusal for the reader, too; by handle, the names were looked up before."""

BOUNDS = Bounds(
    lambda _: CELLS, [text("operation", "operation"), number("documents", "scale")], "an operation"
)
