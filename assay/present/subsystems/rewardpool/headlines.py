"""The findings that the report of the reward pool puts first."""

from dataclasses import replace
from math import isnan

from assay.inputs.variant import variant_of
from assay.present.kit.cells import median
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import quantity
from assay.present.sections.findings import (
    LEFT_OUT,
    Finding,
    NamedCell,
    compare,
    noise_floor,
    peers,
)
from assay.present.subsystems.rewardpool.operations import (
    CHANNEL_TEXT,
    COMMITS,
    PAIRS,
    REFERENCE,
    ROWS,
    Draws,
)

_LOGS = {
    "none": "no WAL",
    "mmap": "a mapped WAL",
    "relaxed-mmap": "a mapped WAL",
    "relaxed": "a file WAL",
}
_MODES = ((1, "mmap", "none"), (10_000, "relaxed", "relaxed-mmap"))
"""Draws a commit, and the two modes of the stand-in that the published report compares."""


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
    return [
        *draws,
        *(between(evidence, commit, *modes) for commit, *modes in _MODES),
        peers(evidence, "append"),
        noise_floor(evidence),
    ]


def between(evidence: Evidence, commit: int, durability: str, other: str) -> Finding:
    """Two modes of the stand-in, as the published report compares those of its pool."""
    cell, base = (
        NamedCell(
            f"the stand-in with {_LOGS[mode]}",
            CHANNEL_TEXT,
            variant_of(commit=commit, durability=mode),
        )
        for mode in (durability, other)
    )
    question = f"{COMMITS[commit]}, the stand-in: {_LOGS[durability]} over {_LOGS[other]}"
    return compare(evidence, question, "draw", cell, base)


def _with_calls(finding: Finding, row: Draws) -> Finding:
    if finding.verdict in ("no data", LEFT_OUT) or not row.calls:
        return finding
    return replace(finding, answer=f"{finding.answer} {row.calls}")
