"""The report on hardware profiles: what each limit costs here."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from assay.present.kit import marks, style, tables
from assay.present.kit.canvas import NoData, Plate, Point
from assay.present.kit.evidence import Evidence, largest
from assay.present.kit.forest import LANE, bare, scale_to
from assay.present.kit.marks import Estimate
from assay.present.kit.quantities import TIMES, ratio, sentence
from assay.present.kit.tables import Column, Html, note, number, ordered, table, text, value
from assay.present.sections import enforced, glance, report
from assay.present.sections.first_screen import Answer
from assay.present.sections.glance import Lane, Mark
from assay.raw.records import SessionFacts
from assay.tables.rows import records
from assay.tables.vocabulary import POOLED, session_of

COMMAND = "./run snakemake --cores all --config 'profiles=[native,container,server-hdd]'"
"""Measures more than one profile; config/study.yaml holds the same key."""


def sessions(evidence: Evidence) -> list[SessionFacts]:
    """All sessions of a subsystem, of every profile and machine; the first is the base."""
    return [evidence.facts, *evidence.facts.get("other_sessions", [])]


def first(measured: Sequence[Evidence]) -> Answer:
    """How much longer the reference engines take under each profile that was measured."""
    rows = _slowdowns(measured)
    if rows.empty:
        return Answer(
            "Only one profile was measured, so nothing of ours can be compared.",
            f"This measures more: {COMMAND}",
        )
    worst = records(rows.sort_values("ratio"))[-1]
    [slowest] = [session for session in measured if session.folder.name == worst["subsystem"]]
    several = rows["subsystem"].nunique() > 1
    said = [
        f"{ratio(over['ratio'])} under {other.facts['profile']}"
        + (f" ({session.folder.name})" if several else "")
        for session in measured
        for other in session.others
        for over in [other.quotient("session", _base(session), POOLED)]
    ]
    studied = sentence(sorted(rows["subsystem"].unique()))
    return Answer(
        f"Of its time in the first session the reference engine of {studied} takes "
        f"{sentence(said)}, as the median over its cells, and {ratio(worst['ratio'])} at most.",
        f"The most was seen under {worst['profile']} ({slowest.title(worst['workload'])}; "
        f"{slowest.subsystem.spoken(worst['variant'])}). {_held(rows)} Sessions share no blocks, "
        "so an interval joins the ends of two.",
    )


def lanes(measured: Sequence[Evidence]) -> list[Lane]:
    """The slowdowns of all cells, a lane a profile."""
    rows = _slowdowns(measured)
    looks = style.series(rows["profile"]) if len(rows) else {}
    named = {session.folder.name: session for session in measured}
    return [
        Lane(
            str(name),
            looks[str(name)],
            [
                Mark(
                    Estimate(row["ratio"], row["ci_low"], row["ci_high"]),
                    row["enforced"],
                    glance.place(named[row["subsystem"]], row),
                )
                for row in records(cells)
            ],
        )
        for name, cells in rows.groupby("profile", sort=True)
    ]


AXIS = "time over that of the first session"
CAPTION = (
    "A mark is a cell of the reference engine at its largest scale, a line its interval; a hollow "
    "one was measured under a profile that was not wholly enforced."
)


def _slowdowns(measured: Sequence[Evidence]) -> pd.DataFrame:
    """The slowdowns of every subsystem with several sessions."""
    frames = [
        compared(session).assign(subsystem=session.folder.name)
        for session in measured
        if len(sessions(session)) > 1
    ]
    empty = pd.DataFrame(columns=["profile", "ratio", "subsystem", "enforced"])
    return pd.concat(frames) if frames else empty


def _base(evidence: Evidence) -> str:
    return session_of(evidence.facts["machine"], evidence.facts["profile"])


def _held(rows: pd.DataFrame) -> str:
    loose = sorted(rows.loc[~rows["enforced"], "profile"].unique())
    if not loose:
        return "Every limit was seen to hold."
    return f"Not wholly enforced: {sentence(loose)}."


def lines(evidence: Evidence) -> Html:
    """What was enforced in each session."""
    return Html("".join(enforced.line(session).text for session in sessions(evidence)))


def compared(evidence: Evidence) -> pd.DataFrame:
    """What table `quotients` has of the reference engine at its largest scales, and `enforced`."""
    every = [evidence, *evidence.others]
    cells = pd.concat([session.estimates for session in every])
    cell = ["workload", "engine", "variant", "scale"]
    top = largest(cells[cells["role"] == "reference"])[cell].drop_duplicates()
    over = pd.concat([session.quotients for session in every])
    made = over[(over["kind"] == "session") & (over["over"] == _base(evidence))].merge(top, on=cell)
    held = {
        (session["machine"], session["profile"]): enforced.holds(session)
        for session in sessions(evidence)
    }
    made["enforced"] = [held[key] for key in zip(made["machine"], made["profile"], strict=True)]
    return made


def slowdowns_of(measured: Sequence[Evidence], figures: str | Path) -> Html:
    """What each other session of a subsystem costs, and how to measure one of the others."""
    shown = [slowdown(session, figures).text for session in measured if len(sessions(session)) > 1]
    alone = [session.folder.name for session in measured if len(sessions(session)) == 1]
    if alone:
        said = (
            f"{sentence(alone)}: only one profile was measured, so there is nothing of ours to "
            f"compare. This measures more, each a session of its own: `{COMMAND}`"
        )
        shown.append(note(said).text)
    return Html("".join(shown))


def slowdown(evidence: Evidence, figures: str | Path) -> Html:
    """What each other session costs as a figure and a table, below what was enforced."""
    name, first = evidence.folder.name, evidence.facts
    origin = {
        "command": str(first["command"]),
        "commit": report.commit(first),
        "plans": ", ".join(
            f"{session['key']} ({session['profile']})" for session in sessions(evidence)
        ),
        "tidy data": str(evidence.folder).removeprefix("../"),
    }
    plot = report.computed(slowdown_plot(evidence), f"slowdown-{name}", origin, figures)
    return Html(lines(evidence).text + plot.text + slowdown_table(evidence).text)


def slowdown_table(evidence: Evidence) -> Html:
    """Every cell under every other profile."""
    rows = ordered(compared(evidence))
    columns = [
        text("profile", "profile", choose=True),
        *([text("machine", "machine", choose=True)] if rows["machine"].nunique() > 1 else []),
        text("workload", "workload", choose=True),
        text("variant", "variant"),
        number("scale", "scale"),
        tables.ratio("slowdown (95 % interval)"),
        Column("enforced", lambda row: "wholly" if row["enforced"] else "not wholly", choose=True),
    ]
    return table(rows, columns, f"{evidence.folder.name}: time over that of the first session")


def slowdown_plot(evidence: Evidence) -> Plate | NoData:
    """One row a workload, one mark a profile; hatched where a knob was not enforced."""
    rows = compared(evidence)
    if rows.empty:
        return NoData("no cell was measured in two sessions")
    rows["label"] = rows["profile"]
    if rows["machine"].nunique() > 1:
        rows["label"] = rows["profile"] + " on " + rows["machine"]
    looks = style.series(rows["label"])
    reached = [*rows["ratio"], *rows["ci_low"].dropna(), *rows["ci_high"].dropna()]

    def draw(width: float) -> Figure:
        figure = Figure(figsize=(width, 1), layout="constrained")
        axes = figure.subplots()
        depth, names = 0.0, dict[float, str]()
        for workload, every in rows.groupby("workload"):
            depth += marks.heading(axes, depth, evidence.title(str(workload)))
            for label, cells in every.groupby("label"):
                held, look = bool(cells["enforced"].all()), looks[str(label)]
                y = -depth - LANE / 2
                names[y] = str(label) if held else f"{label} (not wholly enforced)"
                axes.scatter(
                    cells["ratio"], [y] * len(cells), s=26, marker=look.marker, linewidth=0.8,
                    facecolor=look.color if held else "none", edgecolor=look.color,
                    hatch=None if held else "//////",
                )  # fmt: skip
                axes.hlines([y] * len(cells), cells["ci_low"], cells["ci_high"], color=look.color)
                depth += LANE
        figure.set_figheight(depth + 0.95)
        bare(axes, -depth)
        marks.name_lanes(axes, names, width)
        scale_to(axes, reached, width)
        axes.set_xlabel(AXIS)
        marks.numbers_above(figure, axes)
        return figure

    data = [
        Point(
            evidence.title(row["workload"]), row["label"], row["scale"], row["ratio"], TIMES,
            row["ci_low"], row["ci_high"], note=evidence.subsystem.spoken(row["variant"]),
        )
        for row in records(rows)
    ]  # fmt: skip
    caption = "Reference engine at its largest scales, one mark a cell."
    if not rows["enforced"].all():
        caption += (
            " Hatched: a knob of the profile was not enforced; such a profile takes no part in "
            "claims about profiles."
        )
    said = f"Slowdown of {len(rows)} cells of {evidence.folder.name} under {len(looks)} profiles"
    return Plate(draw, said, caption, data, False)


def costs(measured: Sequence[Evidence]) -> Html:
    """Throttled time, peak memory and fsync of each session, as its shots saw them."""
    rows = [
        row
        for evidence in measured
        for every in [pd.concat([session.costs for session in (evidence, *evidence.others)])]
        for row in records(every.sort_values(["machine", "profile"]))
    ]
    columns = [
        text("subsystem", "subsystem", key=True),
        text("profile", "profile", key=True),
        text("machine", "machine"),
        number("shots", "shots"),
        number("out of memory", "out_of_memory"),
        value("throttled, median", "throttled_s", "s"),
        value("peak memory of a group", "group_peak_bytes", "B"),
        value("peak resident memory", "peak_rss_bytes", "B"),
        value("fsync, median", "fsync_s", "s"),
    ]
    return table(rows, columns, "What the limits did, one row a session")
