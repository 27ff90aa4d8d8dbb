"""Comparisons for ratio figures, from paired measurements."""

from collections.abc import Iterable

from assay.analyse.ratios import verdict
from assay.present.kit.evidence import Evidence
from assay.present.kit.forest import ForestRow
from assay.present.kit.marks import Estimate
from assay.present.kit.operations import Operation
from assay.present.kit.style import Look
from assay.present.sections.findings import NamedCell, common_scale, paired
from assay.tables.rows import Row


def peer(evidence: Evidence, row: Row, group: str) -> ForestRow:
    """A row of table `ratios`, kind `engine`, with the ratio of each block."""
    found = Estimate(row["ratio"], row["ci_low"], row["ci_high"], row["n"])
    return ForestRow(
        group,
        *evidence.subsystem.shown(row["engine"]),
        found,
        by_block(evidence, row),
        row["floor"],
        row["verdict"],
    )


def cells(
    evidence: Evidence,
    workload: str,
    group: str,
    label: str,
    look: Look,
    cell: NamedCell,
    base: NamedCell,
) -> ForestRow:
    """Any two cells of a workload, at the largest scale that both were run at.

    ValueError when they have no block in common: ask `findings.common_scale` first.
    """
    scale = common_scale(evidence, workload, cell, base)
    if scale is None:
        raise ValueError(f"{workload}: no block with both {cell.variant} and {base.variant}")
    ratio = paired(evidence, workload, cell, base, scale)
    floor = evidence.floor(workload)
    pair = {
        "kind": "variant",
        "workload": workload,
        "scale": scale,
        "engine": cell.engine,
        "variant": cell.variant,
        "base_engine": base.engine,
        "base_variant": base.variant,
    }
    return ForestRow(
        group,
        label,
        look,
        Estimate(ratio.ratio, ratio.ci_low, ratio.ci_high, ratio.n),
        by_block(evidence, pair),
        floor,
        verdict(ratio, floor, evidence.facts["tier"]),
    )


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
    names, found = list(engines), []
    for operation in operations:
        variant = operation.variant(**keys)
        base = NamedCell("reference", "reference", variant)
        shared = [
            (scale, cell)
            for cell in [NamedCell(name, name, variant) for name in names]
            if (scale := common_scale(evidence, operation.workload, cell, base)) is not None
        ]
        for scale, cell in sorted(shared, key=lambda pair: pair[0]):
            said = f"{prefix}{operation.label} ({scale:,} {evidence.counted(operation.workload)})"
            label, look = evidence.subsystem.shown(cell.engine)
            group = said[0].upper() + said[1:]
            found.append(cells(evidence, operation.workload, group, label, look, cell, base))
    return found


def by_block(evidence: Evidence, row: Row) -> list[float]:
    """For a row of table `ratios`: the ratio of the times in each block that has both."""
    cells, arm = evidence.by_block(row["workload"]), "B" if row["kind"] == "aa" else "A"
    above = cells.get((row["engine"], row["variant"], row["scale"], arm), {})
    below = cells.get((row["base_engine"], row["base_variant"], row["scale"], "A"), {})
    return [above[block] / below[block] for block in sorted(above.keys() & below.keys())]
