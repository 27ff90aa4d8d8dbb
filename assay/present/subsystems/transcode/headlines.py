"""The findings that the report on transcoding puts first."""

from assay.present.kit.evidence import Evidence
from assay.present.kit.operations import Operation
from assay.present.kit.quantities import sentence
from assay.present.sections.findings import Finding, NamedCell, compare, no_data, noise_floor, peers
from assay.present.subsystems.transcode import operations as transcode


def findings(evidence: Evidence) -> list[Finding]:
    """The headlines: the stand-in of the published library, right answers, peers, noise."""
    return [
        *(
            against_stand_in(evidence, one)
            for one in (
                *transcode.INT32,
                *transcode.BYTES,
                *transcode.STRING,
                *transcode.NESTED,
                *transcode.STRUCT,
            )
        ),
        answers(evidence),
        *(
            peers(evidence, name)
            for name in dict.fromkeys(one.workload for one in transcode.COLUMNS)
        ),
        peers(evidence, "proxy"),
        noise_floor(evidence),
    ]


def against_stand_in(evidence: Evidence, operation: Operation) -> Finding:
    """The stand-in of the published library against the reference engine."""
    cell = NamedCell(
        evidence.subsystem.title(transcode.STAND_IN), transcode.STAND_IN, operation.variant()
    )
    base = NamedCell("the reference engine", transcode.REFERENCE, operation.variant())
    return compare(evidence, operation.label, operation.workload, cell, base)


def answers(evidence: Evidence) -> Finding:
    """How many of the required conformance cases each library answers as they want."""
    question = "Required cases of protobuf's conformance suite"
    passed, total = (
        evidence.cells("correctness", metric, cases="required").groupby("engine")["median"].sum()
        for metric in ("cases_passed", "cases_total")
    )
    known = [engine for engine in evidence.subsystem.engines if total.get(engine, 0)]
    if not known:
        why = evidence.missing("correctness", engine=transcode.REFERENCE)
        return no_data(question, ("the reference engine", why))
    said = [
        f"{evidence.subsystem.title(one)} {passed[one]:,.0f} of {total[one]:,.0f}" for one in known
    ]
    return Finding(question, f"Answered as the suite wants: {sentence(said)}.", "counted")
