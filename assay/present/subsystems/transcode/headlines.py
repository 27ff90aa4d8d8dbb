"""The findings that the report on transcoding puts first."""

from assay.present.kit.evidence import Evidence
from assay.present.kit.operations import Operation
from assay.present.kit.quantities import sentence, share
from assay.present.sections.findings import (
    Finding,
    NamedCell,
    briefly,
    compare,
    no_data,
    noise_floor,
    peers,
)
from assay.present.subsystems.transcode import operations as transcode


def answer(evidence: Evidence) -> str:
    """What an array and a string cost from JSON."""
    ints, text = (
        briefly(evidence, operation.workload, *_cells(evidence, operation))
        for operation in (transcode.INT32[0], transcode.STRING[0])
    )
    if not ints or not text:
        return ""
    return (
        f"From JSON to gRPC the reference engine takes {ints} for the largest array of int32 "
        f"and {text} for the largest string."
    )


def findings(evidence: Evidence) -> list[Finding]:
    """The headlines: the stand-in of the published library, right answers, peers, noise."""
    return [
        *(
            against_stand_in(evidence, operation)
            for operation in (
                *transcode.INT32,
                *transcode.BYTES,
                *transcode.STRING,
                *transcode.NESTED,
                *transcode.STRUCT,
            )
        ),
        *(directions(evidence, *both) for both in transcode.COMPARED_BY_DIRECTION),
        *(structs(evidence, nth) for nth in range(len(transcode.DIRECTIONS))),
        answers(evidence),
        *(
            peers(evidence, name)
            for name in dict.fromkeys(operation.workload for operation in transcode.COLUMNS)
        ),
        peers(evidence, "proxy"),
        noise_floor(evidence),
    ]


def against_stand_in(evidence: Evidence, operation: Operation) -> Finding:
    """The stand-in of the published library against the reference engine."""
    cell, base = _cells(evidence, operation)
    return compare(evidence, operation.label, operation.workload, cell, base)


def directions(evidence: Evidence, *both: Operation) -> Finding:
    """One direction of the stand-in against the other, as the published report compares them."""
    cell, base = (
        NamedCell(name, transcode.STAND_IN, operation.variant())
        for name, operation in zip(transcode.DIRECTIONS.values(), both, strict=True)
    )
    what = both[0].label.removeprefix(f"{cell.name}: ")
    question = f"{_stand_in(evidence)}, {cell.name} over {base.name}: {what}"
    return compare(evidence, question, both[0].workload, cell, base)


def structs(evidence: Evidence, nth: int) -> Finding:
    """A Struct against a message of its own type in the stand-in, as the report compares them."""
    both = transcode.STRUCT[nth], transcode.NESTED[nth]
    cell, base = (
        NamedCell(name, transcode.STAND_IN, operation.variant())
        for name, operation in zip(("a Struct", "a nested message"), both, strict=True)
    )
    direction = list(transcode.DIRECTIONS.values())[nth]
    question = f"{_stand_in(evidence)}, {direction}: {cell.name} over {base.name}"
    return compare(evidence, question, both[0].workload, cell, base)


def _stand_in(evidence: Evidence) -> str:
    return evidence.subsystem.title(transcode.STAND_IN)


def answers(evidence: Evidence) -> Finding:
    """How many of the required conformance cases each library answers as they want."""
    question = "Required cases of protobuf's conformance suite"
    known = _required(evidence)
    if not known:
        why = evidence.missing("correctness", engine=transcode.REFERENCE)
        return no_data(question, ("the reference engine", why))
    said = [
        f"{evidence.subsystem.title(engine)} {passed:,.0f} of {total:,.0f}"
        for engine, (passed, total) in known.items()
    ]
    return Finding(question, f"Answered as the suite wants: {sentence(said)}.", "counted")


def right(evidence: Evidence) -> dict[str, str]:
    """The required cases that each library answers as the suite wants."""
    return {name: share(passed, total) for name, (passed, total) in _required(evidence).items()}


def _required(evidence: Evidence) -> dict[str, tuple[float, float]]:
    """How many required cases each library passes, and of how many."""
    passed, total = (
        evidence.cells("correctness", metric, cases="required").groupby("engine")["median"].sum()
        for metric in ("cases_passed", "cases_total")
    )
    known = [engine for engine in evidence.subsystem.engines if total.get(engine, 0)]
    return {engine: (float(passed[engine]), float(total[engine])) for engine in known}


def _cells(evidence: Evidence, operation: Operation) -> tuple[NamedCell, NamedCell]:
    """The stand-in of the published library and the reference engine."""
    variant = operation.variant()
    base = NamedCell("the reference engine", transcode.REFERENCE, variant)
    return NamedCell(_stand_in(evidence), transcode.STAND_IN, variant), base
