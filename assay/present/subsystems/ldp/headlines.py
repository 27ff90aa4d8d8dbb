"""The findings that the report on linked-data repositories puts first."""

from assay.present.kit.evidence import Evidence
from assay.present.kit.operations import Operation
from assay.present.sections.findings import (
    Finding,
    NamedCell,
    briefly,
    compare,
    noise_floor,
    paired,
    peers,
)
from assay.present.subsystems.ldp import operations as ldp


def answer(evidence: Evidence) -> str:
    """What a PUT and a GET of the parent cost, both on disk before the answer."""
    put = _short(evidence, "put", ldp.write_variant(ldp.DURABILITY[ldp.A18]))
    get = _short(evidence, ldp.GET.workload, ldp.GET.variant())
    if not put or not get:
        return ""
    (among, write), (children, read) = put, get
    return (
        f"Among {among} a PUT of 200 triples takes the reference engine {write}, on disk before "
        f"the answer, and the GET of {children} {read}."
    )


def findings(evidence: Evidence) -> list[Finding]:
    """The headlines: each published system on each published operation, and among each other."""
    return [
        *(
            against(evidence, workload, engine)
            for workload in ldp.WRITES
            for engine in (ldp.A18, ldp.FEDORA, "fcrepo-6-1-0", "oxigraph")
        ),
        *(
            against_reading(evidence, ldp.GET, engine)
            for engine in (ldp.A18, ldp.FEDORA, "oxigraph")
        ),
        *(against_reading(evidence, operation, ldp.A18) for operation in (ldp.COUNT, ldp.LAZY)),
        *(
            between(evidence, workload, *pair)
            for pair in ((ldp.FEDORA, ldp.A18), (ldp.A17, ldp.A18))
            for workload in ("put", ldp.GET.workload)
        ),
        *(peers(evidence, name) for name in (*ldp.WRITES, ldp.GET.workload)),
        noise_floor(evidence),
    ]


def against(evidence: Evidence, workload: str, engine: str) -> Finding:
    """A system, with the promise that it makes, against the reference engine with the same."""
    durability, title = ldp.DURABILITY[engine], evidence.subsystem.title(engine)
    variant = ldp.write_variant(durability)
    cell = NamedCell(title, engine, variant)
    base = NamedCell("the reference engine", ldp.REFERENCE, variant)
    question = f"{ldp.WRITES[workload]} of 200 triples, {ldp.DURABLE[durability]}"
    return compare(evidence, f"{question}: {title}", workload, cell, base)


def against_reading(evidence: Evidence, operation: Operation, engine: str) -> Finding:
    """A system against the reference engine on what does not write."""
    title = evidence.subsystem.title(engine)
    cell = NamedCell(title, engine, operation.variant())
    base = NamedCell("the reference engine", ldp.REFERENCE, operation.variant())
    label = f"{operation.label[0].upper()}{operation.label[1:]}: {title}"
    return compare(evidence, label, operation.workload, cell, base)


def between(evidence: Evidence, workload: str, engine: str, other: str) -> Finding:
    """Two published systems, as their report compares them: each with the promise that it makes."""
    written = ldp.WRITES.get(workload)
    cell, base = (
        NamedCell(
            evidence.subsystem.title(name),
            name,
            ldp.write_variant(ldp.DURABILITY[name]) if written else ldp.GET.variant(),
        )
        for name in (engine, other)
    )
    what = f"{written} of 200 triples, each as it promises" if written else ldp.GET.label
    return compare(evidence, f"{what}: {cell.name} over {base.name}", workload, cell, base)


def _short(evidence: Evidence, workload: str, variant: str) -> tuple[str, str] | None:
    """How many children there are, and what it takes there; None without a pair."""
    cell = NamedCell(evidence.subsystem.title(ldp.A18), ldp.A18, variant)
    base = NamedCell("the reference engine", ldp.REFERENCE, variant)
    row = paired(evidence, workload, cell, base)
    if row is None:
        return None
    scale = f"{row['scale']:,} {evidence.counted(workload)}"
    return scale, briefly(evidence, workload, cell, base)
