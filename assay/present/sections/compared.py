"""Comparisons for ratio figures, from paired measurements."""

from collections.abc import Iterable

from assay.present.kit.evidence import Evidence, sides
from assay.present.kit.forest import ForestRow
from assay.present.kit.operations import Operation
from assay.present.kit.style import Look
from assay.present.sections.findings import NamedCell, effect_of, paired
from assay.tables.rows import Row


def peer(evidence: Evidence, row: Row, group: str) -> ForestRow:
    """A row of table `ratios`, or of `pairs`, with the ratio of each block."""
    return _row(row, group, *evidence.subsystem.shown(row["engine"]))


def _row(row: Row, group: str, label: str, look: Look) -> ForestRow:
    dots, effect = by_block(row), effect_of(row)
    both = frozenset(sides(row))
    return ForestRow(group, label, look, effect, dots, row["floor"], row["verdict"], both)


def cells(
    evidence: Evidence,
    workload: str,
    group: str,
    label: str,
    look: Look,
    cell: NamedCell,
    base: NamedCell,
) -> ForestRow | None:
    """Any two cells of a workload, at the largest scale at which a block has both; or None."""
    row = paired(evidence, workload, cell, base)
    return None if row is None else _row(row, group, label, look)


def over_reference(
    evidence: Evidence,
    operations: Iterable[Operation],
    engines: Iterable[str],
    prefix: str = "",
    **keys: str | int,
) -> list[ForestRow]:
    """Engines over the reference engine on operations, by the scale that each has with it.

    `keys` add to the variant of every operation.
    """
    names, comparisons = list(engines), []
    for operation in operations:
        variant = operation.variant(**keys)
        base = NamedCell("reference", "reference", variant)
        rows = [
            paired(evidence, operation.workload, NamedCell(name, name, variant), base)
            for name in names
        ]
        for row in sorted(filter(None, rows), key=lambda row: row["scale"]):
            counted = f"{row['scale']:,} {evidence.counted(operation.workload)}"
            said = f"{prefix}{operation.label} ({counted})"
            named = said[1].isupper()  # gRPC stays as it is
            title = said if named else said[0].upper() + said[1:]
            comparisons.append(peer(evidence, row, title))
    return comparisons


def by_block(row: Row) -> list[float]:
    """For a row of either table: the ratio of the times in each block that has both."""
    return [*map(float, row["blocks"].split())]
