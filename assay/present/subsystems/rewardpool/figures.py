"""The figures of the reward pool's report."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import pandas as pd

from assay.inputs.variant import variant_keys, variant_of
from assay.present.kit import style
from assay.present.kit.canvas import NoData, Plate
from assay.present.kit.cells import (
    Chosen,
    engine_over_scale,
    engines,
    in_rows,
    over_scale,
    values_of,
)
from assay.present.kit.curves import CurvePanel, curves
from assay.present.kit.dots import DotPanel, dots
from assay.present.kit.evidence import Evidence
from assay.present.kit.forest import forest
from assay.present.kit.marks import NO_SHOTS, Estimate, Series
from assay.present.kit.subsystem import Figure
from assay.present.sections import compared, plots
from assay.present.sections.published_marks import hollow, printed
from assay.present.subsystems.rewardpool.operations import (
    CALLS,
    CHANNEL_TEXT,
    COMMITS,
    PAIRS,
    REFERENCE,
    ROWS,
    Draws,
)
from assay.tables.rows import records

DRAWN = (REFERENCE, CHANNEL_TEXT)
WHOLE = ("recover", "snapshot_load", "cli_draw")
whole_process = partial(plots.commands, workloads=WHOLE)
SYNCS = {"none": "No sync: handed to the operating system", "commit": "Synced before return"}


def draws(evidence: Evidence) -> Plate | NoData:
    """Time of a draw in every mode: both engines, and the published numbers as hollow marks."""
    panels = [
        DotPanel(name, [row.label for row in rows], _draw_series(evidence, rows))
        for commit, name in COMMITS.items()
        for rows in [[_counted(evidence, row) for row in ROWS if row.commit == commit]]
    ]
    caption = (
        "Time of a draw by durability mode and commit size; a row names the draws of a shot here. "
        "The published numbers come from another machine: no ratio to them is an inference. "
        f"{CALLS}"
    )
    return dots(panels, "s", "time of a draw", caption)


def published_on_curves(evidence: Evidence) -> Plate | NoData:
    """The published lines that tell their iterations, over the medians of the same mode."""
    counts = evidence.published[evidence.published["column"] == "iterations"]
    draws = counts.set_index(["section", "row"])["value"].to_dict()
    times = printed(evidence, "draw")
    told = [draws.get(place) for place in zip(times["section"], times["row"], strict=True)]
    times = times.assign(scale=pd.Series(told, times.index, "float64")).dropna(subset="scale")
    panels = [
        CurvePanel(
            rows["row"].iloc[0],
            evidence.counted("draw"),
            [
                *(engine_over_scale(evidence, "draw", name, variant=variant) for name in DRAWN),
                *hollow(rows),
            ],
        )
        for _, rows in times.groupby("variant", sort=False)
        for variant in [rows["variant"].iloc[0]]
    ]
    session = evidence.facts
    caption = (
        f"Lines were measured here, machine {session['machine']}, profile {session['profile']}; "
        "hollow marks are published and come from the other machine in the table: their distance "
        "from a line is not an inference."
    )
    return curves(panels, "s", "time of a draw", caption)


def against_stand_in(evidence: Evidence) -> Plate | NoData:
    """The stand-in over the reference engine, paired by block, in every mode that both have."""
    look = evidence.subsystem.look(CHANNEL_TEXT)
    paired = [
        compared.cells(
            evidence, "draw", row.name, "stand-in over reference", look, stand_in, reference
        )
        for row, stand_in, reference in PAIRS
    ]
    comparisons = [comparison for comparison in paired if comparison]
    caption = f"How many times as long a draw takes the stand-in, paired by block. {CALLS}"
    return forest(comparisons, "time of a draw, stand-in over reference", caption)


def append(evidence: Evidence) -> Plate | NoData:
    """Time of an appended record: engines side by side in each durability class and batch."""
    panels = [
        DotPanel(
            name,
            [_batch(batch) for batch in batches],
            _in_rows(evidence, "append", dict.fromkeys(engines(evidence), variants)),
        )
        for sync, name in SYNCS.items()
        for batches in [values_of(evidence, "append", "batch", sync=sync)]
        for variants in [{_batch(batch): variant_of(batch=batch, sync=sync) for batch in batches}]
    ]
    caption = (
        "Time to append a record of 32 bytes, by durability class and records a call. "
        "Only engines in the same panel promise the same."
    )
    return dots(panels, "s", "time of a record", caption)


def append_ratios(evidence: Evidence) -> Plate | NoData:
    """Each peer over the reference engine, paired by block."""
    rows = evidence.ratios.query("kind == 'engine' & workload == 'append' & metric == 'time'")
    comparisons = [
        compared.peer(evidence, row, f"{SYNCS[keys['sync']]}, {_batch(keys['batch'])}")
        for row in records(rows)
        for keys in [variant_keys(row["variant"])]
    ]
    order = [f"{name}, {_batch(b)}" for name in SYNCS.values()
             for b in values_of(evidence, "append", "batch")]  # fmt: skip
    comparisons.sort(key=lambda comparison: (order.index(comparison.group), comparison.label))
    caption = "How many times as long a peer takes to append a record, paired by block."
    return forest(comparisons, "time of a record, peer over reference", caption)


def select(evidence: Evidence) -> Plate | NoData:
    """Time to choose an item by number of items, one line a selector."""
    names = values_of(evidence, "select", "selector")
    looks = style.series(names)
    lines = [over_scale(evidence, "select", name, looks[name], selector=name) for name in names]
    panel = CurvePanel(evidence.title("select"), "items", lines)
    return curves([panel], "s", "time of a selection", "Time to choose one item of the catalog.")


def concurrent(evidence: Evidence) -> Plate | NoData:
    """Time a draw costs and draws acknowledged, by number of clients, each draw durable."""
    line = engine_over_scale(evidence, "concurrent", REFERENCE)
    panel = CurvePanel(evidence.title("concurrent"), "clients", [line])
    caption = (
        "Time between acknowledged draws over all clients; each client draws one at a time and "
        "waits until its draw is on disk (group commit)."
    )
    return curves([panel], "s", "time a draw", caption)


def _counted(evidence: Evidence, row: Draws) -> Draws:
    """The row with the draws of a shot in its label."""
    scale = _scale(evidence, "draw", {engine: row.variant(engine) for engine in DRAWN})
    return replace(row, label=f"{row.label}, {scale:,} draws") if scale else row


def _draw_series(evidence: Evidence, rows: list[Draws]) -> list[Series]:
    names = {
        engine: {row.label: variant for row in rows if (variant := row.variant(engine))}
        for engine in DRAWN
    }
    engine_series = _in_rows(evidence, "draw", names)
    return [*engine_series, _published_series(evidence.published, names[CHANNEL_TEXT])]


def _published_series(published: pd.DataFrame, names: dict[str, str]) -> Series:
    """The published numbers, a mark each, in the rows of their variants, without our shots."""
    times = published[(published["metric"] == "time") & (published["table"] == "metrics")]
    values = times.set_index("variant")["value"].to_dict()
    estimates: dict[str | int, Estimate] = {
        row: Estimate(values[variant]) for row, variant in names.items() if variant in values
    }
    threads = published.loc[published["column"] == "GOMAXPROCS", "printed"]
    label = f"published (another machine, {' or '.join(threads.unique())} threads)"
    return Series(label, style.PUBLISHED, estimates, NO_SHOTS)


def _in_rows(
    evidence: Evidence, workload: str, names: Mapping[str, dict[str, str]]
) -> list[Series]:
    """The variants of engines in the rows that `names` gives them, a row at one scale."""
    rows = {row for variants in names.values() for row in variants}
    scales = {
        row: {"scale": scale} if scale else {}
        for row in rows
        for scale in [
            _scale(evidence, workload, {name: names[name].get(row, "") for name in names})
        ]
    }
    return [
        in_rows(evidence, *evidence.subsystem.shown(engine), {
            row: Chosen(workload, {"engine": engine, "variant": variant, **scales[row]})
            for row, variant in variants.items()
        })
        for engine, variants in names.items()
    ]  # fmt: skip


def _scale(evidence: Evidence, workload: str, variants: Mapping[str, str]) -> int:
    """The largest scale at which every engine that was measured was; 0 where none was.

    `variants` names one of each engine; empty where it has none.
    """
    measured = [
        {*evidence.cells(workload, engine=engine, variant=variant).dropna(subset="median")["scale"]}
        for engine, variant in variants.items()
        if variant
    ]
    shared = set[int].intersection(*filter(None, measured)) if any(measured) else set()
    return int(max(shared, default=0))


def _batch(batch: str) -> str:
    return "1 record a call" if batch == "1" else f"{int(batch):,} records a call"


FIGURES = (
    Figure("draws", draws, ["draw"]),
    Figure("against-stand-in", against_stand_in, ["draw"]),
    Figure("on-curves", published_on_curves, ["draw"]),
    Figure("append", append, ["append"]),
    Figure("append-ratios", append_ratios, ["append"], after="append"),
    Figure("select", select, ["select"]),
    Figure("concurrent", concurrent, ["concurrent"]),
    Figure("whole-process", whole_process, WHOLE),
)
