"""What of a hardware profile was enforced: the line above a plot, and what may be claimed."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from assay.present.kit import style
from assay.present.kit.canvas import Plate
from assay.present.kit.quantities import separated
from assay.present.kit.tables import Column, Html, table, text
from assay.raw.records import SessionFacts

# Knobs that limit what a shot gets; `threads` only tells its runtimes.
LIMITS = {
    "cpus": "CPUs",
    "cpu_quota": "CPU quota",
    "memory_mib": "memory",
    "disk": "disk",
}


def holds(session: SessionFacts) -> bool:
    """Whether every knob of the profile was enforced, so that claims about it may be made."""
    return not session["profile_not_applied"]


def limited(session: SessionFacts) -> bool:
    """Whether the profile of a session has limits, held or not."""
    return bool(LIMITS.keys() & session["profile_applied"].keys()) or not holds(session)


def line(session: SessionFacts) -> Html:
    """One line: the profile, what held and how, what did not and why."""
    parts = [f"Profile {session['profile']}"]
    held = {k: how for k, how in session["profile_applied"].items() if k in LIMITS}
    parts += [f"{LIMITS[knob]}: {how}" for knob, how in held.items()]
    for knob, why in session["profile_not_applied"].items():
        parts.append(f"{LIMITS.get(knob, knob)} not enforced: {why}")
    if len(parts) == 1:
        parts.append("no limits")
    if not holds(session):
        parts.append("hatched; takes no part in claims about profiles")
    return Html(f'<p class="enforced">{escape(separated("; ".join(parts)))}.</p>')


def hatched(plate: Plate) -> Plate:
    """The figure of a session in which a knob was not enforced: every panel is hatched."""

    def draw(width: float) -> Figure:
        figure = plate.draw(width)
        for axes in figure.axes:
            axes.add_patch(
                Rectangle(
                    (0, 0), 1, 1, transform=axes.transAxes, fill=False, hatch="///",
                    edgecolor=style.BAND, alpha=0.5, linewidth=0, zorder=0,
                )
            )  # fmt: skip
        return figure

    return replace(plate, draw=draw)


def machines(sessions: Sequence[SessionFacts]) -> Html:
    """The facts in which the machines of several sessions differ, side by side."""
    known = {session["machine"]: session["machine_facts"] for session in sessions}
    names = sorted({name for facts in known.values() for name in facts})
    rows = [
        {"fact": name, **{key: _shown(facts.get(name)) for key, facts in known.items()}}
        for name in names
        if len({_shown(facts.get(name)) for facts in known.values()}) > 1
    ]
    columns: list[Column] = [text("fact", "fact"), *(text(key, key) for key in known)]
    return table(rows, columns, f"{len(rows)} facts in which {len(known)} machines differ")


def _shown(value: Any) -> str:
    return "not known" if value in (None, "") else str(value)
