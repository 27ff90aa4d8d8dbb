"""The figures of the report on document access control."""

from collections.abc import Iterable
from functools import partial

from assay.inputs.variant import variant_of
from assay.present.kit import style
from assay.present.kit.canvas import NoData, Plate
from assay.present.kit.cells import (
    Chosen,
    engine_over_scale,
    engines,
    engines_over_scale,
    in_rows,
    over_scale,
    values_of,
)
from assay.present.kit.curves import CurvePanel, curves
from assay.present.kit.dots import DotPanel, dots
from assay.present.kit.evidence import Evidence, largest
from assay.present.kit.forest import forest
from assay.present.kit.marks import Series
from assay.present.kit.operations import workloads
from assay.present.kit.quantities import sentence
from assay.present.kit.subsystem import Figure
from assay.present.sections import compared, plots
from assay.present.sections.published_marks import hollow, printed
from assay.present.subsystems.acp import operations as acp
from assay.present.subsystems.acp.published import is_old

INDEXES: dict[str, dict[str, str]] = {"keyed": {}, "scan": {"index": "scan"}}
INDEXED = (acp.REGISTER, acp.IS_REGISTERED, acp.CHECK)
HARDER = (acp.READERS, acp.CHAIN, acp.FOLDER, acp.ALGEBRA)
LISTS = (acp.LIST_DOCS, acp.LIST_ACTORS, acp.BATCH)
SHARING = (acp.GRANT, acp.REVOKE)
COMMAND = style.PALETTE[2]
COMMANDS = {
    "recover": "Command that opens a store whose process was killed",
    "bulk_import": "Command that imports the owners of documents",
}
SYNCS = {
    "none": "written, not synced",
    "batch": "synced with those that wait",
    "each": "synced by itself",
}
PRINTED = {"old": style.Look(style.INK, "s", hollow=True), "new": style.PUBLISHED}


def against_published(evidence: Evidence) -> Plate | NoData:
    """Both generations of the published engine over the reference engine."""
    comparisons = compared.over_reference(evidence, acp.OPERATIONS, (acp.NEW, acp.OLD))
    caption = (
        "How many times as long the published engine takes, paired by block, at the largest scale "
        f"that both were measured at. {promises(evidence, acp.PUBLISHED_ENGINES)}"
    )
    return forest(comparisons, "time, published engine over reference", caption)


def peers(evidence: Evidence) -> Plate | NoData:
    """Every other engine over the reference engine."""
    others = [name for name in engines(evidence) if name not in acp.PUBLISHED_ENGINES]
    comparisons = compared.over_reference(evidence, acp.OPERATIONS, others)
    caption = (
        "How many times as long a peer takes for the same calls, paired by block, at the largest "
        f"scale that both were measured at. {promises(evidence, engines(evidence))}"
    )
    return forest(comparisons, "time, peer over reference", caption)


def published(evidence: Evidence, workload: str) -> Plate | NoData:
    """A published benchmark over the documents, its printed points on top of what was measured."""
    keys = {} if workload == "register" else {"mode": "cold"}
    panels = [
        CurvePanel(
            title.capitalize(),
            evidence.counted(workload),
            [
                *(
                    engine_over_scale(evidence, workload, engine, variant=variant)
                    for engine in acp.PUBLISHED_ENGINES
                ),
                *_printed(evidence, workload, variant),
            ],
        )
        for store, title in acp.STORES.items()
        for variant in [variant_of(**keys, store=store)]
    ]
    what = "all registrations" if workload == "register" else "a first call after they were made"
    caption = (
        f"Time of {what}, over the documents. Hollow marks are the published numbers; they come "
        "from another machine, so their distance from a line is no inference. "
        f"{promises(evidence, acp.PUBLISHED_ENGINES)}"
    )
    return curves(panels, "s", "time", caption, alike=True)


def _printed(evidence: Evidence, workload: str, variant: str) -> list[Series]:
    rows = printed(evidence, workload, variant=variant)
    generations = {"new": rows[~is_old(rows)], "old": rows[is_old(rows)]}
    return [
        line
        for name, own in generations.items()
        for line in hollow(own, f"published, {name}", PRINTED[name])
    ]


def variants(evidence: Evidence) -> Plate | NoData:
    """The two indexes of the reference engine: what made the old generation slow."""
    panels = [
        CurvePanel(
            operation.label.capitalize(),
            evidence.counted(operation.workload),
            [
                over_scale(
                    evidence, operation.workload, index, style.PALETTE[i],
                    engine=acp.REFERENCE, variant=operation.variant(**keys),
                )
                for i, (index, keys) in enumerate(INDEXES.items())
            ],
        )
        for operation in INDEXED
    ]  # fmt: skip
    caption = (
        "The reference engine with its index, and in the variant that walks all stored records for "
        "each question about an owner, as the old generation did. Both give the same answers."
    )
    return curves(panels, "s", "time", caption)


def depth(evidence: Evidence) -> Plate | NoData:
    """Checks that get harder: readers of a document, groups in a chain, nested folders."""
    said = promises(evidence, engines(evidence))
    caption = f"Time of a check as what it must look at grows. {said}"
    return plots.operations(evidence, HARDER, "time a check", caption)


def lists(evidence: Evidence) -> Plate | NoData:
    """Lists and batches over their size."""
    caption = (
        "Time of a whole list over its length, and of a check in a call of as many. "
        f"{promises(evidence, engines(evidence))}"
    )
    return plots.operations(evidence, LISTS, "time", caption)


def sharing(evidence: Evidence) -> Plate | NoData:
    """Grants and revocations over the documents."""
    caption = (
        "Time to make an actor a reader of a document, and to take it back. "
        f"{promises(evidence, engines(evidence))}"
    )
    return plots.operations(evidence, SHARING, "time of a call", caption)


def memory(evidence: Evidence) -> Plate | NoData:
    """Memory of a registered document, over the documents."""
    panels = [
        CurvePanel(
            title.capitalize(),
            evidence.counted("register"),
            engines_over_scale(evidence, "register", "memory_per_doc", variant=f"store={store}"),
        )
        for store, title in acp.STORES.items()
    ]
    caption = (
        "Memory that lives after the registrations, divided by the documents. "
        f"{promises(evidence, engines(evidence))}"
    )
    return curves(panels, "B", "memory a document", caption, alike=True)


def durability(evidence: Evidence) -> Plate | NoData:
    """A registration on disk, by what it waits for."""
    workload = "register_sync"
    cells = largest(evidence.cells(workload))
    scales = dict(zip(cells["variant"], cells["scale"], strict=True))
    names = {}
    for sync, promised in SYNCS.items():
        for waiting in values_of(evidence, workload, "waiting", sync=sync):
            variant = variant_of(sync=sync, waiting=waiting)
            callers = "" if waiting == "1" else f", {waiting} callers at the same time"
            among = f" ({scales[variant]:,} documents)" if variant in scales else ""
            names[f"{promised}{callers}{among}"] = variant
    rows = {name: Chosen(workload, {"variant": variant}) for name, variant in names.items()}
    lane = in_rows(evidence, *evidence.subsystem.shown(acp.REFERENCE), rows)
    caption = "Time a document until the call returns, by what the call waits for."
    panel = DotPanel("Register a document on disk", list(names) or [workload], [lane])
    return dots([panel], "s", "time a document", caption)


def whole_process(evidence: Evidence) -> Plate | NoData:
    """Opening a store, and commands that recover one and import one, over the documents."""
    ends = {"closed": "after a clean close", "killed": "after its process was killed"}
    lines = [
        over_scale(evidence, "open", title, style.PALETTE[i], end=end)
        for i, (end, title) in enumerate(ends.items())
    ]
    panels = [
        CurvePanel("Open a store, in process", evidence.counted("open"), lines),
        *(
            CurvePanel(title, "documents", [over_scale(evidence, workload, "command", COMMAND)])
            for workload, title in COMMANDS.items()
        ),
    ]
    caption = "Time of a call that opens a store, and of commands from start to end."
    return curves(panels, "s", "time", caption)


def explained(evidence: Evidence) -> Plate | NoData:
    """Decisions with their proofs, over the readers of the document."""
    names = {
        "explain": "Explain a decision",
        "verify": "Verify the explanation",
    }
    panels = [
        CurvePanel(
            title,
            evidence.counted("explain"),
            [
                over_scale(
                    evidence, "explain", answer, style.PALETTE[i], what=what, answer=answer
                )
                for i, answer in enumerate(("allow", "deny"))
            ],
        )
        for what, title in names.items()
    ]  # fmt: skip
    caption = "Time to explain why an actor may read a document, or may not, and to verify it."
    return curves(panels, "s", "time", caption)


def policies(evidence: Evidence) -> Plate | NoData:
    """Reading a policy, over the terms of its expression."""
    caption = "Time to read a policy with one long expression."
    return plots.operations(evidence, (acp.COMPILE,), "time of a policy", caption)


def promises(evidence: Evidence, engines: Iterable[str]) -> str:
    """What a registration promises with each engine that was measured, for a caption."""
    alike: dict[str, list[str]] = {}
    for engine in engines:
        tried = {
            title: evidence.cells("register", metric, engine=engine)["median"].dropna()
            for metric, title in acp.CONTRACT.items()
        }
        if any(map(len, tried.values())):
            kept = ", ".join(title for title, medians in tried.items() if medians.any())
            alike.setdefault(kept or "nothing of this", []).append(evidence.subsystem.title(engine))
    said = [f"{sentence(names)}: {kept}" for kept, names in alike.items()]
    return "What a registration promises: " + "; ".join(said) + "."


def _benchmark(name: str, workload: str, after: str = "") -> Figure:
    """A figure of a published benchmark: see `published`."""
    return Figure(name, partial(published, workload=workload), [workload], after)


FIGURES = (
    _benchmark("register", "register"),
    _benchmark("check", "check_doc_access"),
    _benchmark("is-registered", "is_doc_registered", after="check"),
    Figure("variants", variants, workloads(INDEXED)),
    Figure("depth", depth, workloads(HARDER)),
    Figure("sharing", sharing, workloads(SHARING)),
    Figure("lists", lists, workloads(LISTS), after="sharing"),
    Figure("memory", memory, ["register"]),
    Figure("durability", durability, ["register_sync"]),
    Figure("whole-process", whole_process, ["open", *COMMANDS]),
    Figure("explained", explained, ["explain"]),
    Figure("policies", policies, workloads([acp.COMPILE])),
    Figure("peers", peers, workloads(acp.OPERATIONS)),
    Figure("against-published", against_published, workloads(acp.OPERATIONS)),
)
