"""What a notebook displays: the opening, findings, figures with their cards, facts and holes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from assay.engines import currency
from assay.inputs.validation import one_of
from assay.present.kit.canvas import NARROW, WIDE, NoData, Plate, inline_svg, save
from assay.present.kit.evidence import MORE, NOT_IN_PLAN, NOT_IN_TIER, Evidence
from assay.present.kit.quantities import TIMES, interval, sentence, separated
from assay.present.kit.quantities import ratio as times
from assay.present.kit.subsystem import Figure
from assay.present.kit.tables import (
    INTERVAL,
    Column,
    Html,
    absent,
    engine,
    facts,
    note,
    number,
    table,
    text,
)
from assay.present.sections import balance, enforced, finding_table, glance, growth, strips
from assay.present.sections.findings import LEFT_OUT, Finding
from assay.raw import layout, records
from assay.tables.rows import Row

ROOT = Path(__file__).parents[3]

FINDINGS = "Findings; right of the line, above 1, the reference engine is ahead"

OF_COMMITTED = "Of these, the findings of the committed run"

USUAL = (
    Figure("at-a-glance", glance.plate, ()),
    Figure("growth", growth.residuals, ()),
    Figure("noise", strips.noise, ()),
)
"""The figures of every report."""


def opening(evidence: Evidence) -> Html:
    """What the numbers of a page are; stamped when they prove nothing."""
    line = f'<p class="lead">{escape(session_line(evidence))}</p>'
    return Html(stamp(stamps([evidence])).text + line)


def stamp(said: Sequence[str]) -> Html:
    """What a reader must know before the first number, as one remark; nothing without any."""
    return Html(f'<p class="stamp">{escape(" ".join(said))}</p>' if said else "")


def session_line(evidence: Evidence) -> str:
    """What the numbers of a page are: when, where, how many."""
    session = evidence.facts
    line = (
        f"Measured {moment(session)} on {processor(session)}, "
        f"profile {session['profile']}, tier {session['tier']}: {session['shots']:,} shots "
        f"in {session['blocks']} blocks; {session['failed']:,} failed, "
        f"{session['refused']:,} refused, {session['noisy']:,} flagged as noisy."
    )
    names = evidence.subsystem.engines
    absent = "; ".join(
        f"{names.get(name, left['title'])} ({left['reason']})"
        for name, left in session["left_out"].items()
    )
    if absent:
        line += f" Left out, because that machine could not have it: {absent}."
    written = "; ".join(
        f"{names.get(name, name)}: {_some(paths)}" for name, paths in session["outside"].items()
    )
    if written:
        line += (
            " Outside of their folders there changed while shots ran, by them or by other programs "
            f"(session.json names all): {written}."
        )
    return line


def _some(paths: Sequence[str], most: int = 3) -> str:
    """The first of some paths, and how many more there are."""
    more = [f"{len(paths) - most} more"] if len(paths) > most else []
    return ", ".join([*paths[:most], *more])


def stamps(sessions: Sequence[Evidence]) -> list[str]:
    """What a reader must know before the first number; of several sessions in one line."""
    notices = dict.fromkeys(notice for session in sessions for notice in _notices(session))
    committed = [session for session in sessions if session.facts.get("committed")]
    changed = {session.folder.name: _not_current(session) for session in committed}
    told = [sentence for sentences in changed.values() for sentence in sentences]
    if told and len(sessions) > 1:
        names = ", ".join(name for name, sentences in changed.items() if sentences)
        told = [f"Not current: {names}; the reports tell why."]
    return [*notices, *told]


def _notices(evidence: Evidence) -> list[str]:
    notices = []
    if evidence.planted:
        notices.append("Planted data: made up to test the reports; nothing here was measured.")
    if not evidence.inference:
        notices.append(
            "No inference: the smoke tier proves that the study runs, it has too few blocks "
            "to conclude anything."
        )
    if evidence.facts.get("committed"):
        notices.append("Rendered from the committed reference run, not from a run of this machine.")
    return notices


def _not_current(evidence: Evidence) -> list[str]:
    """A sentence when files that the timings depend on are others now."""
    session = evidence.facts
    changed = currency.stale(ROOT, evidence.folder.name, session)
    if not changed:
        return []
    titles = evidence.subsystem.engines
    names = ", ".join(titles.get(name, name) for name in changed)
    if len(changed) == len(session["plan"]["engines"]) > 1:
        names = "all engines"
    return [
        f"Not current: files that timings of {evidence.folder.name} can depend on "
        f"({names}) have changed since commit {session['commit'][:12]}, at which this was "
        "measured."
    ]


def committed_line(evidence: Evidence) -> str:
    """Of which sessions the values are that a page marks as of a committed run, if it may."""
    return " ".join(
        f"What is marked ({mark}) is not of this session: {told(run)}"
        for mark, run in evidence.kept.items()
    )


def told(committed: Evidence) -> str:
    """What the numbers of a committed session are, of which commit, and whether it is current."""
    session, named = committed.facts, (ROOT, committed.folder.name, committed.facts)
    said = [session_line(committed), f"Its engines are those of commit {session['commit'][:12]}."]
    if "reference" in set(currency.changed(*named)) - set(currency.stale(*named)):
        said.append("The reference engine has changed since.")
    return " ".join([*said, *_not_current(committed)])


def moment(session: records.SessionFacts) -> str:
    """When the session began, to the minute."""
    return f"{str(session['started_at'])[:16].replace('T', ' ')} UTC"


def processor(session: records.SessionFacts) -> str:
    """The processor of the session's machine, as it names itself."""
    return str(session["machine_facts"]["cpu_model"])


def findings(evidence: Evidence, headlines: Callable[[Evidence], Sequence[Finding]]) -> Html:
    """The findings, a line each. Those about cells that the tier leaves out are counted below.

    What the committed run answers of these stands in a table of its own.
    """
    all_findings = headlines(evidence)
    kept = [finding for finding in all_findings if finding.verdict != LEFT_OUT]
    shown = finding_table.listed(kept, FINDINGS).text if kept else ""
    left = {finding.question for finding in all_findings} - {finding.question for finding in kept}
    if left:
        more = f"{len(left)} more {'questions are' if len(left) > 1 else 'question is'} {MORE}."
        shown += note(more).text
    if left and evidence.committed:
        theirs = [
            finding
            for finding in headlines(evidence.committed)
            if finding.question in left and finding.verdict != LEFT_OUT
        ]
        shown += finding_table.listed(theirs, OF_COMMITTED).text if theirs else ""
    return Html(shown)


def figure(
    evidence: Evidence,
    name: str,
    figures: str | Path,
    *,
    engines: Collection[str] = (),
    scale: int = 0,
    profile: str = "",
) -> Html:
    """A figure that the subsystem declares, or one of `USUAL`, as `drawn` shows it.

    It can be drawn for some engines, for one scale, under another profile: see `Evidence.only`.
    """
    known = _declared(evidence)
    declared = known[one_of("figure", name, known, evidence.folder.name)]
    chosen = evidence.only(engines, scale, profile)
    return drawn(declared.draw(chosen), name, chosen, figures)


def figures(evidence: Evidence, name: str, folder: str | Path) -> Html:
    """A figure of a subsystem, and those that it declares to stand after it, in `folder`."""
    after = [each.name for each in evidence.subsystem.figures if each.after == name]
    return Html("".join(figure(evidence, shown, folder).text for shown in [name, *after]))


def _declared(evidence: Evidence) -> dict[str, Figure]:
    """The figures that `figure` draws, by name."""
    return {figure.name: figure for figure in (*evidence.subsystem.figures, *USUAL)}


def claim_id(row: Row) -> str:
    """Where a row of `verdicts` stands on the page of claims."""
    return f"claim-{row['subsystem']}-{row['claim']}-{row['scale']}"


def claim_text(row: Row) -> str:
    """The sentence of a row of `verdicts`, as HTML."""
    return escape(separated(row["text"]))


def _resting(evidence: Evidence, name: str) -> str:
    """The claims that lead to a figure and were measured, each with its verdict."""
    verdicts = evidence.verdicts
    rows = [
        row
        for row in verdicts[verdicts["n"] > 0].drop_duplicates("claim").to_dict("records")
        if evidence.subsystem.showing(row["workload"]) == name
    ]
    links = "".join(
        f'<li><a href="claims.html#{claim_id(row)}">{claim_text(row)}</a> ({row["verdict"]})</li>'
        for row in rows
    )
    counted = "1 claim rests" if len(rows) == 1 else f"{len(rows)} claims rest"
    head = f"<summary>{counted} on this figure</summary>"
    return f'<details class="card resting">{head}<ul>{links}</ul></details>' if rows else ""


def drawn(plate: Plate | NoData, name: str, evidence: Evidence, figures: str | Path) -> Html:
    """Save a figure as SVG and PNG in `figures`, and show it with its reproduction card.

    A figure without data becomes a note that says why. What its comparisons show stands above it,
    else what it is of; below that, what limits the session's profile has. It is hatched where one
    was not enforced.
    """
    if isinstance(plate, NoData):
        if plate.reason in (NOT_IN_TIER, NOT_IN_PLAN):
            return absent(f"Figure {name}", f"is {MORE}", f"figure-{name}")
        return computed(plate, name, {}, figures)
    captioned = replace(plate, caption=f"{plate.caption} {_key(evidence, plate)}")
    if not enforced.holds(evidence.facts):
        captioned = enforced.hatched(captioned)
    shown = computed(captioned, name, _facts(evidence, name), figures, _resting(evidence, name))
    limits = enforced.line(evidence.facts).text if enforced.limited(evidence.facts) else ""
    said = balance.told(evidence, evidence.compared(plate.cells)) or plate.title
    title = f'<p class="told">{escape(said[0].upper() + said[1:])}</p>' if said else ""
    return Html(title + limits + shown.text)


def computed(
    plate: Plate | NoData,
    name: str,
    origin: Mapping[str, str],
    figures: str | Path,
    resting: str = "",
) -> Html:
    """A figure as `drawn` shows it, that is not of one session; its card tells its `origin`.

    `resting` names the claims that rest on it.
    """
    if isinstance(plate, NoData):
        return note(f"Figure {name}: no data: {plate.reason}.", f"figure-{name}")
    paths = save(plate, name, Path(figures))
    wide, narrow = (inline_svg(plate, name, width) for width in (WIDE, NARROW))
    # Only the page's style sheet shows the narrow drawing: elsewhere, one is enough.
    return Html(
        f'<figure class="plate" id="figure-{name}">{_box("wide", wide)}'
        f"{_box('narrow', narrow, 'display:none;')}<figcaption>{escape(plate.caption)}"
        f'<a class="anchor-link" href="#figure-{name}" title="Link to this figure">¶</a>'
        f"</figcaption>{resting}{_values(plate, name)}{_card(origin, paths)}</figure>"
    )


TALL = 1.5
"""Times its width from which a drawing may be printed on several sheets: on one it is too small."""


def _box(kind: str, svg: str, style: str = "") -> str:
    """A box that has the height of its drawing before that is laid out."""
    width, height = svg.partition('viewBox="0 0 ')[2].partition('"')[0].split()
    tall = " tall" if float(height) > TALL * float(width) else ""
    return f'<div class="{kind}{tall}" style="{style}aspect-ratio:{width}/{height}">{svg}</div>'


def _values(plate: Plate, name: str) -> str:
    """The values of a figure as a table, for who does not see it or wants the numbers."""
    columns = [
        text("part", "group", key=True),
        text("series", "series", key=True),
        Column("at", lambda row: _place(row["at"])),
        Column(f"value {INTERVAL}", _value, lambda row: row["value"]),
        number("n", "n"),
        text("note", "note"),
    ]
    rows = list(map(vars, plate.data))
    kept = [column for column in columns if any(column.show(row) not in ("", "0") for row in rows)]
    shown = table(rows, kept, f"Values of figure {name}")
    return f'<details class="card"><summary>Values</summary>{shown.text}</details>'


def _place(at: str | float) -> str:
    return at if isinstance(at, str) else f"{at:,.4g}" if at % 1 else f"{at:,.0f}"


def _value(row: Row) -> str:
    known = (row["value"], row["low"], row["high"])
    return times(*known) if row["unit"] == TIMES else interval(*known, row["unit"])


def measured(evidence: Evidence) -> Html:
    """How it was measured: session, machine, toolchain, engines."""
    session, plan = evidence.facts, evidence.facts["plan"]
    engines = table(
        [
            {"name": name, **about, "title": evidence.subsystem.title(name)}
            for name, about in plan["engines"].items()
        ],
        [
            *(text(key, key) for key in ("name", "title", "version")),
            Column("language", lambda row: row["language"][0].upper() + row["language"][1:]),
            *(text(key, key) for key in ("license", "status")),
        ],
        f"Engines of the plan of {evidence.folder.name}",
    )
    shown = {
        "plan": session["key"],
        "profile": session["profile"],
        "enforced": _knobs(session["profile_applied"]),
        "not enforced": _knobs(session["profile_not_applied"]),
        "tier": session["tier"],
        "blocks": "; ".join(filter(None, [str(session["blocks"]), session["stopped"]])),
        "seed": str(session["seed"]),
        "began": session["started_at"],
        "ended": session["ended_at"],
        "commit": commit(session),
        "command": session["command"],
        "raw data": session["session_dir"],
    }
    everywhere = [session, *session.get("other_sessions", [])]
    several = len({each["machine"] for each in everywhere}) > 1
    return Html(
        facts(shown, "Session").text
        + (enforced.machines(everywhere).text if several else "")
        + facts({"key": session["machine"], **session["machine_facts"]}, "Machine").text
        + facts(plan["toolchain"], "Toolchain").text
        + engines.text
    )


def every_estimate(evidence: Evidence) -> Html:
    """How many there are, and the way to their page: `assay/present/pages/estimates.py`."""
    tables = {
        "estimates": evidence.estimates,
        "ratios": evidence.ratios,
        "steps of growth": evidence.steps,
    }
    counted = sentence([f"{len(rows):,} {name}" for name, rows in tables.items() if len(rows)])
    return Html(
        f'<p>The {counted} stand on <a href="estimates/{evidence.folder.name}.html">a page of '
        "their own</a>, with search and choices of workload, engine and metric.</p>"
    )


def holes(evidence: Evidence) -> Html:
    """Every shot that gave no value, with the reason."""
    rows = evidence.measurements
    bad = rows[rows["status"] != "ok"]
    if bad.empty:
        return note("No hole: every shot of the plan succeeded.")
    cell = ["workload", "engine", "variant", "scale", "status", "reason"]
    shots = bad.groupby(cell, sort=False)["shot"]
    counted = shots.agg(["size", "first"]).reset_index()
    counted = counted.rename(columns={"size": "shots", "first": "first shot"})
    shown = [*cell[:5], "shots", "first shot", "reason"]
    columns = [engine(evidence) if name == "engine" else text(name, name) for name in shown]
    return table(counted, columns, f"{len(bad):,} shots without a value, by cell and reason")


def commit(session: records.SessionFacts) -> str:
    """The commit of the session, with a word when the tree was not clean."""
    if not session["commit"]:
        return "not known"
    changed = {True: " with uncommitted changes", None: ", not known whether with changes"}
    return str(session["commit"]) + changed.get(session["dirty"], "")


def _knobs(knobs: Mapping[str, str]) -> str:
    """Knobs of a hardware profile, each with how it was enforced or why it was not."""
    return "; ".join(f"{knob}: {how}" for knob, how in knobs.items()) or "nothing"


def _key(evidence: Evidence, plate: Plate) -> str:
    """How to read the marks, in one sentence, with the session's own numbers."""
    session = evidence.facts
    interval = "no interval (smoke tier)" if not evidence.inference else "95 % interval as a bar"
    noisy = f"; small hollow points are shots flagged as noisy ({session['noisy']} in all)"
    profile = f"{session['blocks']} blocks, profile {session['profile']}."
    if not plate.usual_marks:
        return profile
    return (
        f"Small points: shots, one a block; large mark: median; "
        f"{interval}{noisy if session['noisy'] else ''}. {profile}"
    )


def _facts(evidence: Evidence, name: str) -> dict[str, str]:
    """Where the numbers of a figure come from, and the line that draws it in a notebook."""
    session, data = evidence.facts, evidence.folder.parent.as_posix()
    run = f'subsystems.load("{data}", "{evidence.folder.name}")'
    line = f'report.figure({run}, "{name}", "figures")'
    command = f"./run assay report {evidence.folder.name} --data {data} --only {name}"
    return {
        "command": session["command"],
        "commit": commit(session),
        "plan": f"{session['key']}, seed {session['seed']}, {session['blocks']} blocks",
        "machine": f"{session['machine']}, {processor(session)}",
        "profile": session["profile"],
        "raw files": f"{session['session_dir']}/{layout.SHOTS}",
        "tidy data": str(evidence.folder).removeprefix("../"),
        **({"in a notebook": line, "in a shell": command} if name in _declared(evidence) else {}),
    }


def _card(origin: Mapping[str, str], paths: Sequence[Path]) -> str:
    # `assay.present.pages.notebook.render` puts the figures there.
    links = ", ".join(
        f'<a href="{escape(f"figures/{path.parent.name}/{path.name}")}">'
        f"{path.suffix[1:].upper()}</a>"
        for path in paths
    )
    return (
        '<details class="card"><summary>Reproduce this figure</summary>'
        f"{facts(dict(origin)).text}<p>The figure as a file, and its values: {links}.</p></details>"
    )
