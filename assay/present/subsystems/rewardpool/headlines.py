"""The findings that the report of the reward pool puts first."""

from dataclasses import replace
from math import isnan

from assay.present.kit.cells import median
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import quantity
from assay.present.sections.findings import LEFT_OUT, Finding, compare, noise_floor, peers
from assay.present.subsystems.rewardpool.operations import PAIRS, REFERENCE, ROWS, Draws


def answer(evidence: Evidence) -> str:
    """What a draw takes without a log, and with each kind of durability."""
    took = {
        (row.commit, row.reference): median(
            evidence, "draw", engine=REFERENCE, variant=row.variant(REFERENCE)
        )
        for row in ROWS
    }
    single, mapped, synced = (took[1, mode] for mode in ("none", "mmap", "each"))
    shared = took[10_000, "group"]
    if any(isnan(value) for value in (single, mapped, synced, shared)):
        return ""
    none, mmap, each, group = (quantity(value, "s") for value in (single, mapped, synced, shared))
    return (
        f"A single draw takes the reference engine {none} without a log and {mmap} with one in "
        f"mapped memory; a sync for each draw makes it {each}, one for 10,000 draws {group}."
    )


def findings(evidence: Evidence) -> list[Finding]:
    """The headlines: the stand-in in each mode of the published tables, the logs, the noise."""
    draws = [
        _with_calls(compare(evidence, row.name, "draw", stand_in, reference), row)
        for row, stand_in, reference in PAIRS
    ]
    return [*draws, peers(evidence, "append"), noise_floor(evidence)]


def _with_calls(finding: Finding, row: Draws) -> Finding:
    if finding.verdict in ("no data", LEFT_OUT) or not row.calls:
        return finding
    return replace(finding, answer=f"{finding.answer} {row.calls}")
