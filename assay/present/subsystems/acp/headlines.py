"""The findings that the report on document access control puts first."""

from assay.present.kit.evidence import Evidence
from assay.present.kit.operations import Operation
from assay.present.kit.quantities import sentence
from assay.present.sections.findings import Finding, NamedCell, compare, no_data, noise_floor, peers
from assay.present.subsystems.acp import operations as acp

_BESIDE_PEERS = (acp.REGISTER, acp.CHECK, acp.IS_REGISTERED, acp.GRANT, acp.REVOKE, acp.LIST_DOCS)
"""The operations whose peers are a headline: those of the report, and those where one is ahead."""


def findings(evidence: Evidence) -> list[Finding]:
    """The headlines: the published engine, its two generations, right answers, peers, noise."""
    return [
        *(against_published(evidence, operation) for operation in acp.PUBLISHED),
        generations(evidence),
        *(answers(evidence)),
        *(peers(evidence, one.workload) for one in _BESIDE_PEERS),
        noise_floor(evidence),
    ]


def against_published(evidence: Evidence, operation: Operation) -> Finding:
    """The new generation of the published engine against the reference engine."""
    cell, base = (
        NamedCell(f"the {evidence.subsystem.title(engine)}", engine, operation.variant())
        for engine in (acp.NEW, acp.REFERENCE)
    )
    return compare(evidence, operation.label.capitalize(), operation.workload, cell, base)


def generations(evidence: Evidence) -> Finding:
    """The old generation against the new one: what the published report is about."""
    cell, base = (
        NamedCell(f"the {evidence.subsystem.title(engine)}", engine, acp.REGISTER.variant())
        for engine in (acp.OLD, acp.NEW)
    )
    question = "What the published engine gained"
    return compare(evidence, question, acp.REGISTER.workload, cell, base)


def answers(evidence: Evidence) -> list[Finding]:
    """How many checks each engine answers as set semantics does."""
    checks, right = (_counts(evidence, metric) for metric in ("checks", "right"))
    question = "Right answers"
    if not right:
        why = evidence.missing("algebra", engine=acp.REFERENCE)
        return [no_data(question, ("the reference engine", why))]
    said = [
        f"{evidence.subsystem.title(engine)} {count:,.0f} of {checks[engine]:,.0f}"
        for engine, count in sorted(right.items(), key=lambda item: -item[1] / checks[item[0]])
    ]
    return [
        Finding(
            question,
            f"Checks of random policies answered as plain set semantics does: {sentence(said)}.",
            "counted",
        )
    ]


def _counts(evidence: Evidence, metric: str) -> dict[str, float]:
    """A counter of workload `algebra` by engine, at the largest scale of each."""
    cells = evidence.cells("algebra", metric).dropna(subset="median").sort_values("scale")
    return dict(zip(cells["engine"], cells["median"], strict=True))
