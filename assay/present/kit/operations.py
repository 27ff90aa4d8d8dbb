"""Operations that several engines do alike, each a cell of a workload under a name of its own."""

from collections.abc import Iterable
from dataclasses import dataclass

from assay.inputs.variant import variant_of


@dataclass(frozen=True)
class Operation:
    """An operation with its workload and the keys of its variant."""

    label: str
    workload: str
    keys: tuple[tuple[str, str | int], ...] = ()

    def variant(self, **more: str | int) -> str:
        """The variant of the operation, with `more` keys."""
        return variant_of(**dict(self.keys), **more)


def workloads(operations: Iterable[Operation]) -> list[str]:
    """The workloads of some operations, each once."""
    return list(dict.fromkeys(operation.workload for operation in operations))
