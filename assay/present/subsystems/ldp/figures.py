"""The figures of the report on linked-data repositories."""

from collections.abc import Sequence
from dataclasses import replace
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
from assay.present.kit.evidence import Evidence
from assay.present.kit.forest import ForestRow, forest
from assay.present.kit.marks import Series
from assay.present.kit.operations import Operation, workloads
from assay.present.kit.subsystem import Figure
from assay.present.sections import compared
from assay.present.sections.published_marks import hollow, printed
from assay.present.subsystems.ldp import operations as ldp

PRINTED = (
    "Hollow marks are the published numbers; they come from another machine, so their distance "
    "from a line is no inference."
)
COMMANDS = {
    "recover": "Open after a kill",
    "bulk_load": "Bulk load",
    "export": "Export",
    "check": "Check",
}
STAGES = {
    "time_http": "HTTP over loopback",
    "time_parse": "parse and encode",
    "time_log": "append to the log and sync",
    "time_index": "apply to the index, later",
}


def against_published(evidence: Evidence) -> Plate | NoData:
    """The systems of the published report over the reference engine."""
    caption = (
        "How many times as long a system of the published report takes, paired by block, at the "
        "largest scale that both were measured at. A write is compared with one of the reference "
        "engine that promises the same."
    )
    return _forest(evidence, list(ldp.PUBLISHED.values()), caption)


def peers(evidence: Evidence) -> Plate | NoData:
    """Every other system over the reference engine."""
    known = (ldp.REFERENCE, *ldp.PUBLISHED.values())
    others = [name for name in evidence.subsystem.engines if name not in known]
    caption = (
        "How many times as long another system takes, paired by block. A write is compared with "
        "one of the reference engine that promises the same. Oxigraph is a store of triples: it "
        "keeps no containers, types or times."
    )
    return _forest(evidence, others, caption)


def _forest(evidence: Evidence, names: Sequence[str], caption: str) -> Plate | NoData:
    comparisons: list[ForestRow] = []
    for workload, verb in ldp.WRITES.items():
        for promise in dict.fromkeys(map(ldp.DURABILITY.__getitem__, names)):
            keys = (("connection", "new"), ("durability", promise))
            operation = Operation(f"{verb}, {ldp.DURABLE[promise]}", workload, keys)
            alike = [name for name in names if ldp.DURABILITY[name] == promise]
            comparisons += compared.over_reference(evidence, [operation], alike)
    comparisons += compared.over_reference(evidence, ldp.READS, names)
    return forest(comparisons, "time, system over reference", caption)


def writes(evidence: Evidence, workload: str) -> Plate | NoData:
    """A write among the children of one parent, every system as durable as it is."""
    known = evidence.subsystem
    lines = [
        over_scale(
            evidence, workload, f"{known.title(name)} ({ldp.DURABILITY[name]})",
            known.look(name), engine=name, variant=ldp.write_variant(ldp.DURABILITY[name]),
        )
        for name in engines(evidence)
    ]  # fmt: skip
    lines += _printed(evidence, workload)
    title = f"{ldp.WRITES[workload]} of 200 triples"
    panel = CurvePanel(title, evidence.counted(workload), lines)
    caption = (
        "Time of a request over the children that the parent has, with a connection of its own, "
        f"as published. In brackets: what the answer promises. {PRINTED}"
    )
    return curves([panel], "s", "time a request", caption)


def durability(evidence: Evidence) -> Plate | NoData:
    """What each promise costs the reference engine."""
    panels = [
        CurvePanel(
            ldp.WRITES[workload],
            evidence.counted(workload),
            [
                over_scale(
                    evidence, workload, title, style.PALETTE[i],
                    engine=ldp.REFERENCE, variant=ldp.write_variant(promise),
                )
                for i, (promise, title) in enumerate(ldp.DURABLE.items())
            ],
        )
        for workload in ldp.WRITES
    ]  # fmt: skip
    caption = "Time of a request of the reference engine, by what the answer promises."
    return curves(panels, "s", "time a request", caption)


def get_parent(evidence: Evidence) -> Plate | NoData:
    """GET of a parent over its children, as Turtle."""
    lines = [
        *engines_over_scale(evidence, "get_parent", variant=ldp.GET.variant()),
        *_printed(evidence, "get_parent"),
    ]
    panel = CurvePanel("GET of the parent as Turtle", evidence.counted("get_parent"), lines)
    caption = f"Time of a GET of the parent that all children are in. {PRINTED}"
    return curves([panel], "s", "time a request", caption)


FORMATS = {"turtle": "Turtle", "ntriples": "N-Triples", "jsonld": "JSON-LD"}


def formats(evidence: Evidence) -> Plate | NoData:
    """GET of the parent from the reference engine, by format."""
    rows = {
        title: Chosen("get_parent", {"engine": ldp.REFERENCE, "format": name})
        for name, title in FORMATS.items()
    }
    lane = in_rows(evidence, *evidence.subsystem.shown(ldp.REFERENCE), rows)
    caption = "Time of a GET of the parent with all of its children, by what Accept names."
    panel = DotPanel("GET of the parent by format", list(rows), [lane])
    return dots([panel], "s", "time a request", caption)


def sparql(evidence: Evidence) -> Plate | NoData:
    """The published query over the children, the first time and later."""
    panels = [
        CurvePanel(
            title,
            evidence.counted("sparql_count"),
            [
                *engines_over_scale(evidence, "sparql_count", variant=variant_of(cache=cache)),
                *_printed(evidence, "sparql_count", variant_of(cache=cache)),
            ],
        )
        for cache, title in {"cold": "First query after the start", "warm": "Later"}.items()
    ]
    caption = f"Time of the published query, which counts resources of two types. {PRINTED}"
    return curves(panels, "s", "time a query", caption)


SHAPES = {
    "imr": "As the object that the API returns",
    "tuples": "As tuples, all of them",
    "rdflib": "As a graph of rdflib",
}


def python(evidence: Evidence) -> Plate | NoData:
    """The parent through Python, by what is asked of it."""
    panels = [
        CurvePanel(
            title,
            evidence.counted("py_get_parent"),
            [
                *engines_over_scale(evidence, "py_get_parent", variant=variant_of(**{"as": shape})),
                *(_printed(evidence, "py_get_parent") if shape == "imr" else []),
            ],
        )
        for shape, title in SHAPES.items()
    ]
    caption = (
        "Time to get the parent in a Python process. The object of Lakesuperior 1.0a18 is a graph "
        f"that is filled; that of the reference engine is filled when it is asked. {PRINTED}"
    )
    return curves(panels, "s", "time a call", caption)


def store(evidence: Evidence) -> Plate | NoData:
    """Bytes on disk of a store that was closed, over the children."""
    lines = [
        *engines_over_scale(evidence, "start", "store_bytes", variant=""),
        *_printed(evidence, "start", metric="store_bytes"),
    ]
    panel = CurvePanel("Bytes on disk", evidence.counted("start"), lines)
    caption = f"Bytes of the files of a store after a clean stop, over the children. {PRINTED}"
    return curves([panel], "B", "bytes", caption)


def starts(evidence: Evidence) -> Plate | NoData:
    """Start of the server until its first good answer."""
    lines = engines_over_scale(evidence, "start", variant="")
    panel = CurvePanel("Start", evidence.counted("start"), lines)
    caption = "Time from the start of the process until the first good answer."
    return curves([panel], "s", "time", caption)


def stages(evidence: Evidence) -> Plate | NoData:
    """Where the time of one PUT goes."""
    rows = {title: Chosen("put_stages", {}, metric) for metric, title in STAGES.items()}
    lane = in_rows(evidence, *evidence.subsystem.shown(ldp.REFERENCE), rows)
    caption = (
        "Time of each part of one PUT of 200 triples, measured one by one. The index is written "
        "after the answer, in batches; its time counts against the processor, not the answer."
    )
    return dots([DotPanel("Parts of a PUT", list(rows), [lane])], "s", "time a request", caption)


def clients(evidence: Evidence) -> Plate | NoData:
    """Requests of several clients, and latency at a fixed rate."""
    promises = values_of(evidence, "put_clients", "durability")
    lines = [
        over_scale(evidence, "put_clients", ldp.DURABLE[name], style.PALETTE[i], durability=name)
        for i, name in enumerate(promises)
    ]
    panel = CurvePanel("PUT from several clients", evidence.counted("put_clients"), lines)
    caption = "Time between answered requests over all clients; each sends one at a time."
    return curves([panel], "s", "time a request", caption)


LATENCIES = {"latency_p50": "p50", "latency_p90": "p90", "latency_p99": "p99"}


def latency(evidence: Evidence) -> Plate | NoData:
    """Latency at a fixed rate of requests, from the moment at which each was due."""
    keys = {"engine": ldp.REFERENCE, "durability": "sync"}
    lines = [
        over_scale(evidence, "put_rate", title, style.PALETTE[i], metric, **keys)
        for i, (metric, title) in enumerate(LATENCIES.items())
    ]
    panel = CurvePanel("PUT at a fixed rate", evidence.counted("put_rate"), lines)
    caption = "Latency counts from when a request was due, so a wait behind another one counts."
    return curves([panel], "s", "latency", caption)


OTHERS = {
    "mixed": "4 GET and 1 PUT, a request",
    "patch": "PATCH of one triple",
    "delete_tree": "DELETE of a parent, a child",
    "binary_put": "PUT of a binary",
    "binary_get": "GET of a binary",
    "sparql_lookup": "SPARQL look-up of one object",
    "py_put": "PUT in Python",
}


def others(evidence: Evidence) -> Plate | NoData:
    """What else a client does: mixed load, patches, deletions, binaries, look-ups."""
    panels, shown = [], evidence.subsystem.shown
    for workload, title in OTHERS.items():
        every = [
            in_rows(evidence, *shown(name), {title: _first(evidence, workload, name)})
            for name in engines(evidence)
        ]
        if lanes := [lane for lane in every if lane.estimates]:
            panels.append(DotPanel(title, [title], lanes))
    caption = "Time of an operation at the largest scale measured."
    return dots(panels, "s", "time", caption) if panels else NoData(evidence.missing("mixed"))


def whole_process(evidence: Evidence) -> Plate | NoData:
    """Whole commands from start to end, over their scale."""
    panels = [
        CurvePanel(
            title,
            evidence.counted(workload),
            [engine_over_scale(evidence, workload, ldp.REFERENCE)],
        )
        for workload, title in COMMANDS.items()
    ]
    caption = "Time of a command of the reference engine, from the start of its process to its end."
    return curves(panels, "s", "time", caption)


def _first(evidence: Evidence, workload: str, engine: str) -> Chosen:
    """The cells of the first variant that an engine has of a workload."""
    variants = evidence.cells(workload, engine=engine)["variant"]
    keys = {"engine": engine}
    return Chosen(workload, keys | {"variant": variants.iloc[0]} if len(variants) else keys)


def _printed(
    evidence: Evidence,
    workload: str,
    variant: str | None = None,
    metric: str = "time",
) -> list[Series]:
    """The published points of the laptop, a series a system. The server's are in the table."""
    rows = printed(evidence, workload, metric, variant)
    rows = rows[rows["section"].str.contains("Laptop")]
    return [
        line
        for system, engine in ldp.PUBLISHED.items()
        for line in hollow(
            rows[rows["row"] == system],
            f"{evidence.subsystem.title(engine)}, published",
            replace(evidence.subsystem.look(engine), hollow=True),
        )
    ]


_COMPARED = (*ldp.WRITES, *workloads(ldp.READS))
FIGURES = (
    Figure("put", partial(writes, workload="put"), ["put"]),
    Figure("post", partial(writes, workload="post"), ["post"], after="put"),
    Figure("durability", durability, ldp.WRITES),
    Figure("clients", clients, ["put_clients"], after="durability"),
    Figure("latency", latency, ["put_rate"], after="durability"),
    Figure("stages", stages, ["put_stages"]),
    Figure("get-parent", get_parent, ["get_parent"]),
    Figure("formats", formats, ["get_parent"], after="get-parent"),
    Figure("sparql", sparql, ["sparql_count"]),
    Figure("python", python, ["py_get_parent"]),
    Figure("store", store, ["start"]),
    Figure("start", starts, ["start"]),
    Figure("others", others, OTHERS),
    Figure("whole-process", whole_process, COMMANDS),
    Figure("peers", peers, _COMPARED),
    Figure("against-published", against_published, _COMPARED),
)
