"""The figures of the report on transcoding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from assay.inputs.variant import variant_keys, variant_of
from assay.present.kit import style
from assay.present.kit.canvas import NoData, Plate
from assay.present.kit.cells import (
    Chosen,
    engines,
    engines_over_scale,
    in_rows,
    values_of,
)
from assay.present.kit.curves import CurvePanel, curves
from assay.present.kit.dots import DotPanel, dots
from assay.present.kit.evidence import Evidence
from assay.present.kit.forest import forest
from assay.present.kit.marks import NO_SHOTS, Estimate, Series
from assay.present.kit.operations import workloads
from assay.present.kit.subsystem import Figure
from assay.present.sections import compared, plots
from assay.present.sections.published_marks import hollow, printed
from assay.present.subsystems.transcode import operations as transcode
from assay.present.subsystems.transcode.operations import DIRECTIONS, REFERENCE, STAND_IN

COMPARED = (REFERENCE, STAND_IN)
PRINTED = (
    "Hollow marks are the published medians, read off its figures; they come from another machine "
    "and another library, so their distance from a line is no inference."
)
UNITS = {"time": "s", "time_per_byte": "s/B"}
AXES = {"time": "time a message", "time_per_byte": "time a byte of input"}
WHOLE = ("cli_from_json", "cli_to_json")


@dataclass(frozen=True)
class View:
    """A panel: the cells of a workload that `keys` choose, over their scale."""

    title: str
    workload: str
    keys: Mapping[str, str]


def _views(workload: str, **kinds: Sequence[str]) -> list[View]:
    """A panel a direction, and in it one a value of the other key of the variant."""
    [(key, values)] = kinds.items() or [("", [""])]
    return [
        View(
            f"{title}{': ' if value else ''}{value.replace('_', ' ')}",
            workload,
            {"direction": direction} | ({key: value} if key else {}),
        )
        for value in values
        for direction, title in DIRECTIONS.items()
    ]


VIEWS: dict[str, list[View]] = {
    "nested-layers": _views("nested_layers", message=["nested", "struct"]),
    "nested-stream": _views("nested_stream", message=["nested", "struct"]),
    "array-length": _views("array_length", type=["published", "int32"]),
    "array-stream": _views("array_stream", type=["published"]),
    "body-length": _views("body_length"),
    "body-stream": _views("body_stream"),
    "segments": [
        View("One string of 1 MiB", "message_segments", {}),
        View("Streams of strings in 256 segments", "message_segments_stream", {}),
    ],
    "bindings": [
        View("Depth of a binding, as published", "binding_depth", {}),
        View("Depth, the body does not hold the field", "binding_depth_corrected", {}),
        View("Bindings of 1 MiB, as published", "bindings", {}),
        View("Bindings, the body has known fields", "bindings_corrected", {}),
    ],
}
"""The panels of each published figure."""

CAPTIONS = {
    "nested-layers": "Time of a message over its layers.",
    "nested-stream": "Time of a message of 31 layers over the messages of a stream.",
    "array-length": (
        "Time of an array of int32 over its elements. The published benchmark reads the array as "
        "bytes on the way to JSON (panel published); panel int32 reads it as int32."
    ),
    "array-stream": "Time of an array of 16,384 int32 over the messages of a stream.",
    "body-length": "Time of a message with one field of bytes over its length.",
    "body-stream": "Time of a message with 1 MiB of bytes over the messages of a stream.",
    "segments": "Time of a message with a string of 1 MiB that arrives in segments.",
    "bindings": (
        "Time of a message with variable bindings. The published benchmarks bind a field that the "
        "body holds, too, or beside fields that the message does not have; the twins do not."
    ),
}


def published(evidence: Evidence, name: str, metric: str = "time") -> Plate | NoData:
    """A published figure, its printed medians on top of what was measured here."""
    panels = [
        CurvePanel(
            view.title,
            evidence.counted(view.workload),
            [
                *_measured(evidence, view, metric),
                *hollow(printed(evidence, view.workload, metric, variant_of(**view.keys))),
            ],
        )
        for view in VIEWS[name]
    ]
    caption = CAPTIONS[name] if metric == "time" else "The same, by byte of the input."
    return curves(panels, UNITS[metric], AXES[metric], f"{caption} {PRINTED}")


def _measured(evidence: Evidence, view: View, metric: str) -> list[Series]:
    all_series = engines_over_scale(
        evidence, view.workload, metric, variant=variant_of(**view.keys)
    )
    named = [evidence.subsystem.title(name) for name in COMPARED]
    return [curve for curve in all_series if len(curve.estimates) > 1 or curve.label in named]


def value_types(evidence: Evidence) -> Plate | NoData:
    """Arrays of zeros by type, the printed medians beside."""
    panels = []
    for direction, title in DIRECTIONS.items():
        names = {
            kind: {"direction": direction, "type": kind} for kind in ("string", "int32", "double")
        }
        lanes = [
            in_rows(evidence, *evidence.subsystem.shown(engine), {
                kind: Chosen("value_type", {"engine": engine, "variant": variant_of(**keys)})
                for kind, keys in names.items()
            })
            for engine in COMPARED
        ]  # fmt: skip
        points: dict[str | int, Estimate] = {
            kind: Estimate(float(value))
            for kind, keys in names.items()
            for value in printed(evidence, "value_type", variant=variant_of(**keys))["value"]
        }
        lanes.append(Series("published", style.PUBLISHED, points, NO_SHOTS))
        panels.append(DotPanel(title, list(names), lanes))
    caption = f"Time of an array of 1,024 quoted zeros by the type of its elements. {PRINTED}"
    return dots(panels, "s", "time a message", caption)


MODES = {"json": "JSON", "grpc": "plain gRPC, forwarded"}


def proxies(evidence: Evidence) -> Plate | NoData:
    """CPU time of a request, proxy by proxy, as JSON and as plain gRPC."""
    called, panels = evidence.subsystem.title, []
    for body in values_of(evidence, "proxy", "body"):
        names = [name for name in engines(evidence) if len(evidence.cells("proxy", engine=name))]
        lanes = [
            in_rows(evidence, title, style.PALETTE[i], {
                called(name): Chosen("proxy", {"engine": name, "body": body, "mode": mode})
                for name in names
            })
            for i, (mode, title) in enumerate(MODES.items())
        ]  # fmt: skip
        panels.append(DotPanel(f"Body: {body}", [called(name) for name in names], lanes))
    caption = (
        "CPU time of the proxy for a request at a fixed rate. The distance between the two is what "
        "the translation costs, there and back."
    )
    return dots(panels, "s", "CPU time a request", caption)


INPUTS = ("int32", "bytes", "string", "nested", "doubles")


def variants(evidence: Evidence) -> Plate | NoData:
    """The reference engine by instruction set, parser and other choices, input by input."""
    workload, panels = "codec_variant", []
    for direction, title in DIRECTIONS.items():
        for given in INPUTS:
            cells = evidence.cells(workload, direction=direction, input=given)
            rows = {
                _choices(variant): Chosen(workload, {"variant": variant})
                for variant in sorted(cells["variant"].unique())
            }
            if rows:
                lane = in_rows(evidence, *evidence.subsystem.shown(REFERENCE), rows)
                panels.append(DotPanel(f"{title}: {given}", list(rows), [lane]))
    caption = "Time of a message by the choices that the reference engine can be forced to."
    return dots(panels, "s", "time a message", caption) if panels else NoData(
        evidence.missing(workload)
    )  # fmt: skip


def _choices(variant: str) -> str:
    """The keys of a variant that are a choice of the engine."""
    keys = variant_keys(variant)
    return ", ".join(f"{k} {v}" for k, v in keys.items() if k not in ("direction", "input"))


PERCENTILES = {
    "time_p25": "p25",
    "time": "median",
    "time_p75": "p75",
    "time_p90": "p90",
    "time_p99": "p99",
    "time_p999": "p99.9",
}


def percentiles(evidence: Evidence) -> Plate | NoData:
    """Percentiles over the repetitions of a process, as the published program prints them."""
    workload = "percentiles"
    panels = []
    for variant in sorted(evidence.cells(workload)["variant"].unique()):
        lanes = [
            in_rows(
                evidence,
                *evidence.subsystem.shown(engine),
                {
                    title: Chosen(workload, {"engine": engine, "variant": variant}, metric)
                    for metric, title in PERCENTILES.items()
                },
            )
            for engine in COMPARED
            if len(evidence.cells(workload, engine=engine, variant=variant))
        ]
        keys = variant_keys(variant)
        title = f"{DIRECTIONS[keys['direction']]}: {keys['cell']}"
        panels.append(DotPanel(title, list(PERCENTILES.values()), lanes))
    caption = (
        "Each process repeats the bench; a point is that process's percentile over its repetitions."
    )
    if not panels:
        return NoData(evidence.missing(workload))
    return dots(panels, "s", "time a message", caption)


def against_stand_in(evidence: Evidence) -> Plate | NoData:
    """libprotobuf over the reference engine, on every published benchmark."""
    caption = (
        "How many times as long libprotobuf 3.21 takes, paired by block, at the largest scale. It "
        "stands in for the published library, whose converter is of its generation."
    )
    comparisons = compared.over_reference(evidence, transcode.PUBLISHED, (STAND_IN,))
    return forest(comparisons, "time, libprotobuf over reference", caption)


def peers(evidence: Evidence) -> Plate | NoData:
    """Every library over the reference engine."""
    others = [name for name in engines(evidence) if name != REFERENCE]
    caption = (
        "How many times as long a library takes for the same input, with dynamic descriptors and "
        "one thread, paired by block."
    )
    comparisons = compared.over_reference(evidence, transcode.COLUMNS, others)
    return forest(comparisons, "time, library over reference", caption)


def _by_name(name: str, after: str = "") -> Figure:
    """A published figure: see `published`."""
    shown = {view.workload for view in VIEWS[name]}
    return Figure(name, partial(published, name=name), shown, after)


def _per_byte(name: str) -> Figure:
    """A published figure by byte of its input, after that by message."""
    draw = partial(published, name=name, metric="time_per_byte")
    return replace(_by_name(name, after=name), name=f"{name}-per-byte", draw=draw)


FIGURES = (
    _by_name("nested-layers"),
    _by_name("nested-stream", after="nested-layers"),
    _per_byte("nested-layers"),
    _by_name("array-length"),
    _per_byte("array-length"),
    _by_name("array-stream", after="array-length"),
    _by_name("body-length"),
    _per_byte("body-length"),
    _by_name("body-stream", after="body-length"),
    _by_name("segments"),
    _by_name("bindings"),
    Figure("value-type", value_types, ["value_type"]),
    Figure("variants", variants, ["codec_variant"]),
    Figure("percentiles", percentiles, ["percentiles"]),
    Figure("whole-process", partial(plots.commands, workloads=WHOLE), WHOLE),
    Figure("proxies", proxies, ["proxy"]),
    Figure("peers", peers, workloads(transcode.COLUMNS)),
    Figure("against-stand-in", against_stand_in, workloads(transcode.PUBLISHED)),
)
