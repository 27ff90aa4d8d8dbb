"""The findings that the report of the reward pool puts first."""

from dataclasses import replace

from assay.present.kit.evidence import Evidence
from assay.present.sections.findings import LEFT_OUT, Finding, compare, noise_floor, peers
from assay.present.subsystems.rewardpool.operations import ROWS, Draws, cell


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
