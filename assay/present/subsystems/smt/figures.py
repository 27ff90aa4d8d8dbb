"""The figures of the report on sparse Merkle tries."""

from collections.abc import Iterable
from functools import partial

from assay.inputs.variant import variant_keys
from assay.present.kit.canvas import NoData, Plate
from assay.present.kit.cells import engines, engines_over_scale
from assay.present.kit.curves import CurvePanel, curves
from assay.present.kit.evidence import Evidence
from assay.present.kit.forest import forest
from assay.present.kit.marks import Series, series
from assay.present.kit.operations import workloads
from assay.present.kit.subsystem import Figure
from assay.present.sections import compared, plots
from assay.present.subsystems.smt import operations as smt

CURVES = (smt.FILL, smt.UPDATE_MANY, smt.GET, smt.PROVE)
WHOLE = ("cli_load", "cli_open", "cli_verify")


def against_library(evidence: Evidence) -> Plate | NoData:
    """The published library over the reference engine, in both versions, at equal work."""
    comparisons = [
        comparison
        for trie, name in smt.TRIES.items()
        for comparison in compared.over_reference(
            evidence, smt.OPERATIONS, (smt.LIBRARY, smt.LATER_LIBRARY), f"{name}: ", trie=trie
        )
    ]
    caption = (
        "How many times as long the published library takes for the same work, paired by block, at "
        "the largest scale that both were measured at."
    )
    return forest(comparisons, "time of an operation, library over reference", caption)


def peers(evidence: Evidence) -> Plate | NoData:
    """Every engine over the reference engine, at the largest scale that both were measured at."""
    others = [engine for engine in engines(evidence) if engine != smt.REFERENCE]
    comparisons = compared.over_reference(evidence, smt.OPERATIONS, others, trie="smt")
    caption = (
        "How many times as long a peer takes for the same work, paired by block, at the largest "
        "scale that both were measured at. Engines of other formats hash other nodes: the work is "
        "the same, the roots are not."
    )
    return forest(comparisons, "time of an operation, peer over reference", caption)


def scaling(evidence: Evidence) -> Plate | NoData:
    """Honest operations over the number of keys, all engines."""
    caption = "Time a key over the keys in the trie. Keys are random, and so is their order."
    return plots.operations(evidence, CURVES, "time a key", caption, trie="smt")


def batches(evidence: Evidence) -> Plate | NoData:
    """Time a key of updates that are committed in batches, over the size of a batch."""
    cells = evidence.cells("update_commit", trie="smt").dropna(subset="median")
    if cells.empty:
        return NoData(evidence.missing("update_commit"))
    engines_at = cells.groupby("scale")["engine"].nunique()
    panels = [
        CurvePanel(f"A trie of {keys:,} keys", "keys a batch", list(_by_batch(evidence, keys)))
        for keys in engines_at.index[engines_at > 1].tolist() or [cells["scale"].max()]
    ]
    caption = (
        "Time a key to update keys that are there and commit, over the keys that share a commit. "
        "In a large batch, keys share the nodes near the root."
    )
    return curves(panels, "s", "time a key", caption)


def memory(evidence: Evidence) -> Plate | NoData:
    """Memory a key after a fill, over the keys."""
    panels = [
        CurvePanel(
            name,
            evidence.counted("fill"),
            engines_over_scale(evidence, "fill", "memory_per_key", variant=f"trie={trie}"),
        )
        for trie, name in smt.TRIES.items()
    ]
    caption = "Memory that lives after a fill, arenas and heap, divided by the keys."
    return curves(panels, "B", "memory a key", caption)


def _by_batch(evidence: Evidence, keys: int) -> Iterable[Series]:
    for engine in engines(evidence):
        cells, points = (
            frame.assign(at=[int(variant_keys(text)["batch"]) for text in frame["variant"]])
            for choose in (evidence.cells, evidence.points)
            for frame in [choose("update_commit", engine=engine, trie="smt", scale=int(keys))]
        )
        missing: dict[str | int, str] = {
            0: evidence.missing("update_commit", engine=engine, scale=int(keys))
        }
        curve = series(*evidence.subsystem.shown(engine), cells, points, "at", missing)
        if curve.estimates:
            yield curve


FIGURES = (
    Figure("batches", batches, ["update_commit"]),
    Figure("scaling", scaling, workloads(CURVES)),
    Figure("memory", memory, ["fill"]),
    Figure("whole-process", partial(plots.commands, workloads=WHOLE), WHOLE),
    Figure("peers", peers, workloads(smt.OPERATIONS)),
    Figure("against-library", against_library, workloads(smt.OPERATIONS)),
)
