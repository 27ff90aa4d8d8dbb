"""Balance: every comparison in which a peer is conclusively ahead of the reference engine.

They are chosen from table `ratios` by its verdicts, so that none can be left out.
"""

from collections.abc import Sequence

import pandas as pd

from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import ratio, ratio_of, sentence
from assay.present.kit.tables import Html, note
from assay.present.sections import finding_table
from assay.present.sections.findings import REFERENCE, Finding, effect_of, where
from assay.tables.rows import Row, grouped, records

LOST, WON = ("faster", "better"), ("slower", "worse")
RACES = ("time", "work", "space")
_PER = {"op": "an operation", "doc": "a document"}
_WORDS = {
    "allocs": "allocations",
    "cpu_time": "CPU time",
    "wal_bytes": "bytes of the log",
    "written_bytes": "bytes written",
    "p50": "median time",
    "p99": "99th percentile of time",
}


def raced(evidence: Evidence) -> pd.DataFrame:
    """What is raced in every session of the study: under each profile, on each machine."""
    return pd.concat([session.raced() for session in (evidence, *evidence.others)])


def equal(evidence: Evidence) -> pd.DataFrame:
    """What of it is with a peer that promises what the reference engine promises."""
    rows = raced(evidence)
    return rows[alike(evidence, rows)]


def alike(evidence: Evidence, rows: pd.DataFrame) -> "pd.Series[bool]":
    """Which comparisons are with a peer that promises what the reference engine promises."""
    return ~rows["engine"].isin(evidence.subsystem.unlike)


def findings(evidence: Evidence, rows: pd.DataFrame) -> list[Finding]:
    """What peers are ahead in among comparisons: a finding an operation, metric and peer."""
    lost = rows[rows["verdict"].isin(LOST)].sort_values("ratio")
    groups = grouped(records(lost), ["race", "workload", "metric", "engine"])
    known = sorted(groups, key=lambda group: RACES.index(group[0]["race"]))
    return [_finding(evidence, group, rows) for group in known]


def not_ahead(evidence: Evidence) -> Html:
    """Where the reference engine is not ahead: at an equal promise, and at another one."""
    rows = raced(evidence)
    if not evidence.inference or rows.empty:
        return note("Nothing was compared with a peer under inference.")
    equal = alike(evidence, rows)
    parts = ((rows[equal], "at an equal promise"), (rows[~equal], "at another promise"))
    return Html("".join(_part(evidence, some, promise) for some, promise in parts if len(some)))


def counted(rows: pd.DataFrame) -> str:
    """How many comparisons came out which way."""
    if rows.empty:
        return "Nothing was compared with a peer"
    won, lost = (int(rows["verdict"].isin(names).sum()) for names in (WON, LOST))
    close = len(rows) - won - lost
    return (
        f"Of {len(rows):,} comparison{'s' if len(rows) > 1 else ''} the reference engine is ahead "
        f"in {won:,}, a peer in {lost:,}, and {close:,} {'is' if close == 1 else 'are'} too close "
        "to call"
    )


def told(evidence: Evidence, rows: pd.DataFrame) -> str:
    """What the comparisons of a figure show, as its title; empty without one under inference."""
    rows = rows[rows["verdict"] != "no inference"]
    equal = alike(evidence, rows)
    if equal.all():
        return _told(rows)
    parts = ((rows[equal], "at an equal promise"), (rows[~equal], "at another promise"))
    return ". ".join(f"{_told(some)}, {promise}" for some, promise in parts if len(some))


def _told(rows: pd.DataFrame) -> str:
    """How they came out; where the reference engine is ahead in all, by how much."""
    if rows.empty:
        return ""
    if not rows["verdict"].isin(WON).all():
        return counted(rows)
    few = {1: "the comparison", 2: "both comparisons"}
    every = few.get(len(rows), f"all {len(rows):,} comparisons")
    ends = dict.fromkeys(map(ratio, (rows["ratio"].min(), rows["ratio"].max())))
    return f"The reference engine is ahead in {every}, by {' to '.join(ends)}"


def measured_in(metric: str) -> str:
    """A metric as sentences name it: "allocations an operation"."""
    what, _, per = metric.partition("_per_")
    words = _WORDS.get(what, what.replace("_", " "))
    return f"{words} {_PER.get(per, f'a {per}')}" if per else words


def _part(evidence: Evidence, rows: pd.DataFrame, promise: str) -> str:
    profiles = sentence([*dict.fromkeys(rows["profile"])])
    said = note(f"{counted(rows)}, {promise}, in time, work and space, under {profiles}.").text
    peer_findings = findings(evidence, rows)
    if not peer_findings:
        return said
    known = evidence.subsystem
    words = {known.title(name): said for name, said in known.unlike.items()}
    more = {finding: words[finding.ahead] for finding in peer_findings if finding.ahead in words}
    return said + finding_table.listed(peer_findings, f"Peers that are ahead {promise}", more).text


def _finding(evidence: Evidence, lost: Sequence[Row], rows: pd.DataFrame) -> Finding:
    """The most clearly lost of some comparisons; its sentence names all."""
    best, peer = lost[0], evidence.subsystem.title(lost[0]["engine"])
    same = ["workload", "metric", "engine"]
    every = rows[(rows[same] == pd.Series(best)[same]).all(axis="columns")]
    each = [f"{ratio_of(row)} at {_where(evidence, row)}" for row in lost]
    floor = f", noise floor {ratio(best['floor'])}" if best["floor"] > 1 else ""
    answer = (
        f"{peer} is ahead in {len(lost)} of {len(every)} comparisons: {'; '.join(each)} "
        f"(n = {best['n']} blocks{floor})."
    )
    question = f"{evidence.title(best['workload'])}: {measured_in(best['metric'])}"
    sides = (peer, REFERENCE)
    return Finding(
        question, answer, best["verdict"], sides, effect_of(best), _where(evidence, best)
    )


def _where(evidence: Evidence, row: Row) -> str:
    profile = f", profile {row['profile']}" if evidence.others else ""
    return where(evidence, row) + profile
