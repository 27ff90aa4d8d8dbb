"""The findings that the report of the reward pool puts first."""

from dataclasses import replace
from math import isnan

from assay.present.kit.cells import median
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import quantity
from assay.present.sections.findings import LEFT_OUT, Finding, compare, noise_floor, peers
from assay.present.sections.glance import Lane, Mark
from assay.present.subsystems.rewardpool.operations import (
    CHANNEL_TEXT,
    REFERENCE,
    ROWS,
    Draws,
    cell,
)


def answer(evidence: Evidence) -> str:
    """What a draw takes without a log, and with each kind of durability."""
    took = {
        (row.commit, row.direct): median(
            evidence, "draw", engine=REFERENCE, design="direct", commit=row.commit,
            durability=row.direct,
        )
        for row in ROWS
    }  # fmt: skip
    single, mapped, synced = (took[1, mode] for mode in ("none", "mmap", "each"))
    shared = took[10_000, "group"]
    if any(isnan(value) for value in (single, mapped, synced, shared)):
        return ""
    none, mmap, each, group = (quantity(value, "s") for value in (single, mapped, synced, shared))
    return (
        f"A single draw takes the reference engine {none} without a log and {mmap} with one in "
        f"mapped memory; a sync for each draw makes it {each}, one for 10,000 draws {group}."
    )


def stand_in(evidence: Evidence) -> list[Lane]:
    """The stand-in of the published engine over the reference engine, in each mode of a draw."""
    marks = [
        Mark(finding.effect, bool(finding.ahead), f"{finding.question}; {finding.at}")
        for finding in findings(evidence)
        if finding.effect and finding.sides[0] == evidence.subsystem.title(CHANNEL_TEXT)
    ]
    return [Lane(*evidence.subsystem.shown(CHANNEL_TEXT), marks)] if marks else []


def findings(evidence: Evidence) -> list[Finding]:
    """The headlines: the designs in each mode of the published tables, the peers, the noise."""
    designs = [
        _with_calls(compare(evidence, row.name, "draw", stand_in, direct), row)
        for row in ROWS
        if (direct := cell(row, "direct")) and (stand_in := cell(row, "channel-text"))
    ]
    return [*designs, peers(evidence, "append"), noise_floor(evidence)]


def _with_calls(found: Finding, row: Draws) -> Finding:
    if found.verdict in ("no data", LEFT_OUT) or not row.calls:
        return found
    return replace(found, answer=f"{found.answer} {row.calls}")
