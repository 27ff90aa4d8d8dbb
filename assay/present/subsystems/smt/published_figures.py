"""Figures of the published numbers on sparse Merkle tries, on top of what was measured here."""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from assay.analyse import theory
from assay.present.kit import style
from assay.present.kit.canvas import NoData, Plate
from assay.present.kit.cells import over_scale
from assay.present.kit.curves import CurvePanel, curves
from assay.present.kit.evidence import Evidence
from assay.present.kit.marks import NO_SHOTS, Estimate, Series
from assay.present.kit.subsystem import Figure
from assay.present.sections.published_marks import hollow, printed
from assay.present.subsystems.smt import operations as smt

PUBLISHED = "published (Apple M2 Max, another store)"
FILLS = {"published_fill": "Fill", "published_fill_commit": "Fill & Commit"}
PUBLISHED_OPERATIONS = {
    "published_update": "Update",
    "published_update_commit": "Update & Commit",
    "published_get": "Get",
    "published_prove": "Prove",
    "published_delete": "Delete",
    "published_delete_commit": "Delete & Commit",
}
LEAST = style.PALETTE[5]
CODECS = (("gob", smt.LIBRARY), ("gob_compact", smt.LIBRARY), ("binary", smt.REFERENCE))
COMPACT = style.PALETTE[3]


def fill(evidence: Evidence) -> Plate | NoData:
    """Published fills of both tries, the published points on top of what was measured here."""
    panels = [
        _published_panel(evidence, f"{name}: {row}", workload, trie)
        for trie, name in smt.TRIES.items()
        for workload, row in FILLS.items()
    ]
    return curves(panels, "s", "time of a fill", _caption("the whole fill"))


def operations(evidence: Evidence, trie: str) -> Plate | NoData:
    """Published operations on one trie, as `fill` shows fills."""
    panels = [
        _published_panel(evidence, row, workload, trie)
        for workload, row in PUBLISHED_OPERATIONS.items()
    ]
    return curves(
        panels, "s", "time of an operation", _caption(f"an operation on the {smt.TRIES[trie]}")
    )


def proofs(evidence: Evidence) -> Plate | NoData:
    """Average, least and greatest size of a proof over the keys, by codec."""
    panels = []
    for trie, name in smt.TRIES.items():
        lines = [_sizes(evidence, trie, codec, engine) for codec, engine in CODECS]
        scales = sorted({int(at) for line in lines for at in line.estimates})
        panels.append(
            CurvePanel(
                name,
                "keys",
                [*lines, _printed_sizes(evidence.published, trie), _least(trie, scales)],
            )
        )
    caption = (
        "Bytes of a proof: a mark is the average over all keys (or a sample of 100,000), the bar "
        "reaches from the shortest to the longest. Below all are the digests alone that a proof "
        "cannot leave out."
    )
    return curves(panels, "B", "size of a proof", caption, usual_marks=False)


def _caption(operation: str) -> str:
    return (
        f"Time of {operation} with the published keys, numbers of iterations and traps. Hollow "
        "marks are the published numbers, from another machine and another store: no ratio to them "
        "is an inference. The reference engine queues what is written without a commit, so its "
        "times include the root that hashes it; the library's, as published, do not."
    )


def _published_panel(evidence: Evidence, name: str, workload: str, trie: str) -> CurvePanel:
    variant = f"trie={trie}"
    lines = [_as_published(evidence, workload, engine, variant) for engine in theory.OF_THIS_FORMAT]
    lines += hollow(printed(evidence, workload, variant=variant), PUBLISHED)
    return CurvePanel(name, evidence.counted(workload), lines)


def _as_published(evidence: Evidence, workload: str, engine: str, variant: str) -> Series:
    """An engine on a published row; the reference engine with the root, which it puts off."""
    title, metric = evidence.subsystem.title(engine), "time"
    if engine == smt.REFERENCE:
        title += ", root included"
        deferred = evidence.cells(workload, smt.WITH_ROOT, engine=engine, variant=variant)
        metric = smt.WITH_ROOT if deferred["n"].any() else "time"
    look = evidence.subsystem.look(engine)
    return over_scale(evidence, workload, title, look, metric, engine=engine, variant=variant)


def _sizes(evidence: Evidence, trie: str, codec: str, engine: str) -> Series:
    label = f"{codec.replace('_', ' ')}, {evidence.subsystem.title(engine)}"
    look = COMPACT if codec == "gob_compact" else evidence.subsystem.look(engine)
    keys = {"engine": engine, "variant": f"codec={codec},trie={trie}"}
    average, least, greatest = (
        evidence.cells("proof_size", metric, **keys).set_index("scale")["median"]
        for metric in ("proof_bytes", "proof_bytes_min", "proof_bytes_max")
    )
    estimates = _spans(average.dropna(), least, greatest)
    missing: dict[str | int, str] = {0: evidence.missing("proof_size", **keys)}
    return Series(label, look, estimates, NO_SHOTS, missing)


def _printed_sizes(published: pd.DataFrame, trie: str) -> Series:
    rows = published[published["variant"] == f"codec=gob,trie={trie}"]
    average, least, greatest = (
        rows[rows["metric"] == metric].set_index("scale")["value"]
        for metric in ("proof_bytes", "proof_bytes_min", "proof_bytes_max")
    )
    estimates = _spans(average, least, greatest)
    return Series("gob, published", style.PUBLISHED, estimates, NO_SHOTS)


def _spans(
    average: "pd.Series[float]", least: "pd.Series[float]", greatest: "pd.Series[float]"
) -> dict[str | int, Estimate]:
    """Averages with the least and the greatest as ends, by scale."""
    every = zip(average.index, average, least[average.index], greatest[average.index], strict=True)
    return {int(at): Estimate(middle, low, high) for at, middle, low, high in every}


def _least(trie: str, scales: Sequence[int]) -> Series:
    sizes: dict[str | int, Estimate] = {
        at: Estimate(theory.digest(trie) * theory.proof_siblings(at)) for at in scales
    }
    return Series("digests alone", LEAST, sizes, NO_SHOTS)


FIGURES = (
    Figure("fill", fill, FILLS),
    Figure("operations-smt", partial(operations, trie="smt"), PUBLISHED_OPERATIONS),
    Figure(
        "operations-smst",
        partial(operations, trie="smst"),
        PUBLISHED_OPERATIONS,
        after="operations-smt",
    ),
    Figure("proofs", proofs, ["proof_size"]),
)
