"""The findings that the report on document access control puts first."""

from assay.present.kit.evidence import Evidence
from assay.present.kit.operations import Operation
from assay.present.kit.quantities import ratio, sentence, share
from assay.present.sections.findings import (
    Finding,
    NamedCell,
    briefly,
    compare,
    no_data,
    noise_floor,
    paired,
    peers,
)
from assay.present.subsystems.acp import operations as acp

_PRINTED_OF_BOTH = (acp.REGISTER, acp.FIRST_CHECKS, acp.FIRST_IS_REGISTERED)
"""What the published report measures of both generations."""

_BESIDE_PEERS = (acp.REGISTER, acp.CHECK, acp.IS_REGISTERED, acp.GRANT, acp.REVOKE, acp.LIST_DOCS)
"""The operations whose peers are a headline: those of the report, and those where one is ahead."""


def answer(evidence: Evidence) -> str:
    """What a check costs, and what the old generation took for a registration."""
    check = _short(evidence, acp.CHECK, acp.NEW, acp.REFERENCE)
    old, new = _cells(evidence, acp.REGISTER, acp.OLD, acp.NEW)
    gained = paired(evidence, acp.REGISTER.workload, old, new)
    if not check or gained is None:
        return ""
    return (
        f"The reference engine answers whether the owner may read in {check}; the old engine was "
        f"slow because each registration walked over all relationships, so that "
        f"{gained['scale']:,} documents took it {ratio(gained['ratio'])} as long as the new one."
    )


def findings(evidence: Evidence) -> list[Finding]:
    """The headlines: the published engine, its two generations, right answers, peers, noise."""
    return [
        *(against_published(evidence, operation) for operation in acp.PUBLISHED),
        *(generations(evidence, operation) for operation in _PRINTED_OF_BOTH),
        *(answers(evidence)),
        *(peers(evidence, operation.workload) for operation in _BESIDE_PEERS),
        noise_floor(evidence),
    ]


def against_published(evidence: Evidence, operation: Operation) -> Finding:
    """The new generation of the published engine against the reference engine."""
    cell, base = _cells(evidence, operation, acp.NEW, acp.REFERENCE)
    return compare(evidence, operation.label.capitalize(), operation.workload, cell, base)


def generations(evidence: Evidence, operation: Operation) -> Finding:
    """The old generation against the new one: what the published report is about."""
    cell, base = _cells(evidence, operation, acp.OLD, acp.NEW)
    question = f"What the published engine gained, old over new: {operation.label}"
    return compare(evidence, question, operation.workload, cell, base)


def answers(evidence: Evidence) -> list[Finding]:
    """How many checks each engine answers as set semantics does."""
    checks, right = (_counts(evidence, metric) for metric in ("checks", "right"))
    question = "Right answers"
    if not right:
        why = evidence.missing("algebra", engine=acp.REFERENCE)
        return [no_data(question, ("the reference engine", why))]
    said = [
        f"{evidence.subsystem.title(engine)} {count:,.0f} of {checks[engine]:,.0f}"
        for engine, count in sorted(right.items(), key=lambda item: checks[item[0]] - item[1])
    ]
    return [
        Finding(
            question,
            f"Checks of random policies answered as plain set semantics does: {sentence(said)}.",
            "counted",
        )
    ]


def right(evidence: Evidence) -> dict[str, str]:
    """The checks of random policies that each engine answers right."""
    checks, answered = (_counts(evidence, metric) for metric in ("checks", "right"))
    return {engine: share(count, checks[engine]) for engine, count in answered.items()}


def _counts(evidence: Evidence, metric: str) -> dict[str, float]:
    """A counter of workload `algebra` by engine, at the largest scale of each."""
    cells = evidence.cells("algebra", metric).dropna(subset="median").sort_values("scale")
    return dict(zip(cells["engine"], cells["median"], strict=True))


def _cells(evidence: Evidence, operation: Operation, *engines: str) -> list[NamedCell]:
    """The cells of some engines, each under its name."""
    return [
        NamedCell(f"the {evidence.subsystem.title(engine)}", engine, operation.variant())
        for engine in engines
    ]


def _short(evidence: Evidence, operation: Operation, *engines: str) -> str:
    cell, base = _cells(evidence, operation, *engines)
    return briefly(evidence, operation.workload, cell, base)
