"""What the published reports say of machines: the same work on a laptop and on a server."""

from collections.abc import Sequence
from math import isnan

import pandas as pd
from matplotlib.figure import Figure

from assay import published
from assay.present.kit import style
from assay.present.kit.canvas import NARROW, Plate, Point
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import TIMES, quantity, ratio, sentence
from assay.present.kit.tables import Html, table, text, valued
from assay.present.sections import enforced
from assay.present.subsystems import ldp
from assay.present.subsystems.ldp.operations import PUBLISHED
from assay.tables.rows import records
from assay.tables.vocabulary import POOLED, session_of

ORIGIN = {
    "computed by": "assay/present/pages/published_machines.py",
    "from": "data/published/ldp.csv and data/published/machines.csv",
}


def comparison(evidences: Sequence[Evidence]) -> Html:
    """The published laptop and server, and beside them our profiles laptop and server-hdd."""
    columns = [
        text("engine", "engine"),
        text("operation", "operation"),
        text("laptop", "laptop"),
        text("server", "server"),
        valued("server over laptop", "ratio", ratio),
        text("ours, server-hdd over laptop", "ours"),
    ]
    ours = _ours([session for session in evidences if session.folder.name == "ldp"])
    rows = ratios().assign(ours=ours)
    return table(rows, columns, "Published times of 10,000 resources on two machines")


def plot() -> Plate:
    """One row an operation, one mark an engine, with its ratio beside it."""
    rows = ratios()
    operations, engines = list(rows["operation"].unique()), list(rows["engine"].unique())
    looks = dict(map(ldp.SUBSYSTEM.shown, PUBLISHED.values()))

    def draw(width: float) -> Figure:
        figure = Figure(figsize=(width, 1.3 + 0.5 * len(operations)), layout="constrained")
        axes = figure.subplots()
        for shift, engine in enumerate(engines):
            cells, look = rows[rows["engine"] == engine], looks[engine]
            places = [operations.index(name) + 0.3 * shift - 0.15 for name in cells["operation"]]
            axes.scatter(
                cells["ratio"], places, s=30, marker=look.marker, linewidth=1.2,
                facecolor="none", edgecolor=look.color, label=engine,
            )  # fmt: skip
            for value, place in zip(cells["ratio"], places, strict=True):
                axes.annotate(
                    ratio(value), (value, place), (7, 0), textcoords="offset points", va="center"
                )
        axes.axvline(1, color=style.INK, linewidth=0.7)
        axes.set(xlim=(0, 1.2 * rows["ratio"].max()), xlabel="time on the server over the laptop")
        axes.set_yticks(range(len(operations)), operations)
        axes.set_ylim(len(operations) - 0.5, -0.5)
        axes.grid(True, axis="x")
        figure.legend(loc="outside upper left", ncols=2 if width > NARROW else 1)
        return figure

    data = [
        Point(row["operation"], row["engine"], "", row["ratio"], TIMES) for row in records(rows)
    ]
    return Plate(
        draw, "Dot plot: published time on the server over that on the laptop",
        f"{_extremes(rows)} Single published numbers, hence no interval. {_elsewhere()}", data,
        False,
    )  # fmt: skip


def ratios() -> pd.DataFrame:
    """Columns engine, operation, both times, and server over laptop as `ratio`."""
    both = published.moved()
    return both.assign(
        engine=[ldp.SUBSYSTEM.title(PUBLISHED[name]) for name in both["row"]],
        laptop=[quantity(time, "s") for time in both["laptop"]],
        server=[quantity(time, "s") for time in both["server"]],
    )


def _extremes(rows: pd.DataFrame) -> str:
    """What the ratios say, an operation at a time, and which times are printed twice."""
    spans = []
    for operation, cells in rows.groupby("operation", sort=False):
        low, high = cells["ratio"].min(), cells["ratio"].max()
        span = ratio(low) if low == high else f"{ratio(low)} to {ratio(high)}"
        spans.append(f"{operation} takes {span}")
    same = rows[rows["laptop"] == rows["server"]]
    twice = [
        f" {row['operation']} of {row['engine']} is printed with one time for both machines."
        for row in records(same)
    ]
    return f"On the server with the magnetic disk, {sentence(spans)} the time.{''.join(twice)}"


def _elsewhere() -> str:
    """What the other reports could say about machines: each names one."""
    machines = published.machines()
    several = machines["source"].value_counts() > 1
    inside = machines[machines["machine"].str.contains("container")]["subsystem"]
    return (
        f"{several.sum()} of {len(several)} published reports measured on two machines. "
        f"A container is named only by that of {sentence(list(inside))}, which has no run outside "
        "one, so no ratio of a container is published."
    )


def _ours(evidences: Sequence[Evidence]) -> str:
    for session in evidences:
        by_name = {one.facts["profile"]: one for one in (session, *session.others)}
        laptop, server = (by_name.get(name) for name in ("laptop", "server-hdd"))
        if laptop and server and enforced.holds(laptop.facts) and enforced.holds(server.facts):
            over = session_of(laptop.facts["machine"], "laptop")
            made = server.quotient("session", over, POOLED)
            if not isnan(made["ratio"]):
                return f"{made['ratio']:.3g}×, median of {made['n']} cells"
    return "not measured with both profiles wholly enforced"
