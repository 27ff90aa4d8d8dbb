"""Findings: sentences whose every number is computed from the tidy data."""

from dataclasses import dataclass
from math import isnan

from assay.present.kit.evidence import NOT_IN_PLAN, NOT_IN_TIER, Evidence, Place
from assay.present.kit.marks import Estimate
from assay.present.kit.quantities import median_of, quantity, ratio, ratio_of, sentence
from assay.tables.rows import Row, records

REFERENCE = "reference engine"
"""What the reference engine is called among the two sides of a finding."""

CONCLUSIVE = {"slower": 1, "worse": 1, "faster": 0, "better": 0}
"""The verdicts that put a side ahead, and its place among the two."""

_LABELS = {"within noise": "too close to call", "noise floor": "counted"}


@dataclass(frozen=True)
class Finding:
    """A question in a few words, its answer, and the verdict that the answer rests on.

    Where two `sides` are compared, `effect` is the ratio of the first over the second, and `at`
    tells where it was measured.
    """

    question: str
    answer: str
    verdict: str
    sides: tuple[str, str] = ("", "")
    effect: Estimate | None = None
    at: str = ""

    @property
    def ahead(self) -> str:
        """The side that the verdict puts ahead; empty where it puts none."""
        return self.sides[CONCLUSIVE[self.verdict]] if self.verdict in CONCLUSIVE else ""

    @property
    def label(self) -> str:
        """What came out, and for whom, without a number."""
        if not self.ahead:
            return _LABELS.get(self.verdict, self.verdict)
        if self.ahead == REFERENCE:
            return "reference ahead"
        return "peer ahead" if REFERENCE in self.sides else f"{self.ahead} ahead"


LEFT_OUT = "left out"
"""The verdict of a question about cells that the tier does not measure."""


def no_data(question: str, *whys: tuple[str, str]) -> Finding:
    """The finding of a question that cannot be answered: each side that has no value, and why."""
    if whys and {why for _, why in whys} <= {NOT_IN_TIER, NOT_IN_PLAN}:
        return Finding(question, "Not measured in this tier.", LEFT_OUT)
    said = [f"{name[0].upper()}{name[1:]}: {why}." for name, why in whys]
    never = "The two were never measured at the same scale in one block."
    return Finding(question, f"No data. {' '.join(said) or never}", "no data")


@dataclass(frozen=True)
class NamedCell:
    """A cell of a session under the name that a sentence gives it."""

    name: str
    engine: str
    variant: str

    def at(self, workload: str) -> Place:
        """Its place in the tables."""
        return Place(workload, self.engine, self.variant)


def compare(
    evidence: Evidence, question: str, workload: str, cell: NamedCell, base: NamedCell
) -> Finding:
    """How `cell` compares with `base`, at the largest scale that both were run at."""
    row = paired(evidence, workload, cell, base)
    if row is None:
        gaps = [
            (side.name, why) for side in (cell, base) if (why := _gap(evidence, workload, side))
        ]
        return no_data(question, *gaps)
    medians = " against ".join(map(median_of, _estimates(evidence, workload, row, base, cell)))
    at = f"{row['scale']:,} {evidence.counted(workload)}"
    said = _said(row, cell, base)
    sides = (cell.name.removeprefix("the "), base.name.removeprefix("the "))
    return Finding(
        question,
        f"{said} ({medians} at {at}; {_behind(row)}).",
        str(row["verdict"]),
        sides,
        effect_of(row),
        at,
    )


def briefly(
    evidence: Evidence, workload: str, cell: NamedCell, base: NamedCell, what: str = ""
) -> str:
    """The median of `base`, that of `cell` and their ratio in few words; empty without a pair."""
    row = paired(evidence, workload, cell, base)
    if row is None:
        return ""
    sides = _estimates(evidence, workload, row, base, cell)
    own, other = (quantity(side["median"], "s") for side in sides)
    return f"{own}{what} ({cell.name}: {other}, {ratio(row['ratio'])})"


def paired(evidence: Evidence, workload: str, cell: NamedCell, base: NamedCell) -> Row | None:
    """The times of `cell` over `base`, at the largest scale at which a block has both; or None."""
    rows = evidence.over(cell.at(workload), base.at(workload))
    return rows[-1] if rows else None


def peers(evidence: Evidence, workload: str) -> Finding:
    """How the peers fare against the reference over all configurations of a workload."""
    rows = evidence.raced()
    rows = rows[(rows["workload"] == workload) & (rows["metric"] == "time")]
    question = f"{evidence.title(workload)}: peers against the reference engine"
    if rows.empty:
        tried = evidence.measurements[evidence.measurements["workload"] == workload]
        if (tried["role"] == "peer").any():
            return Finding(question, "No data. No peer was measured.", "no data")
        return no_data(question, ("peers", NOT_IN_TIER))
    if not evidence.inference:
        low, high = rows["ratio"].min(), rows["ratio"].max()
        answer = (
            f"The peers took {ratio(low)} to {ratio(high)} as long; comparisons: {len(rows)}. "
            "Smoke tier: no inference."
        )
        return Finding(question, answer, "no inference")
    parts = [
        f"{len(chosen)} {words}"
        for said, words in _WORDS.items()
        if len(chosen := rows[rows["verdict"] == said])
    ]
    closest = records(rows.sort_values("ratio"))[0]
    name = evidence.subsystem.title(closest["engine"])
    at = where(evidence, closest)
    counted = f"Of {len(rows)} comparisons: {sentence(parts)}."
    answer = (
        f"{counted} Nearest to the reference, or ahead of it: "
        f"{name} at {at}, takes "
        f"{ratio_of(closest)} as long "
        f"as the reference (n = {closest['n']}, noise floor {ratio(closest['floor'])})."
    )
    sides = (name, REFERENCE)
    return Finding(
        question,
        answer,
        str(closest["verdict"]),
        sides,
        effect_of(closest),
        at,
    )


def where(evidence: Evidence, row: Row) -> str:
    """Where a row of `ratios` was measured: its scale, and its variant in words."""
    at = f"{row['scale']:,} {evidence.counted(row['workload'])}"
    return "; ".join(filter(None, [at, evidence.subsystem.spoken(row["variant"])]))


def effect_of(row: Row) -> Estimate:
    """The ratio of a row of `ratios`."""
    return Estimate(row["ratio"], row["ci_low"], row["ci_high"], row["n"])


def noise_floor(evidence: Evidence) -> Finding:
    """What the A/A arm shows of this machine."""
    rows = evidence.noise[evidence.noise["metric"] == "time"]
    pooled = rows[rows["workload"] == "*"]
    question = "What this machine cannot tell apart"
    if pooled.empty:
        return Finding(question, "No A/A cell succeeded: no noise floor.", "no data")
    answer = (
        f"The reference engine, run twice under two labels in {int(pooled['n_cells'].iloc[0])} "
        f"cells, stays within {ratio(float(pooled['floor'].iloc[0]))} of itself 95 times in 100. "
        f"No effect smaller than that is called one."
    )
    return Finding(question, answer, "noise floor")


_WORDS = {
    "faster": "where the peer is faster",
    "slower": "where the peer is slower",
    "within noise": "too close to call",
    "no inference": "without inference",
}


def _said(row: Row, cell: NamedCell, base: NamedCell) -> str:
    """Who is faster, and how many times."""
    times = ratio_of(row)
    floor = row["floor"]
    close = not isnan(floor) and 1 / floor <= row["ratio"] <= floor
    opening = {
        "slower": f"{base.name} is faster: {cell.name} takes {times} as long",
        "faster": f"{cell.name} is faster: it takes {times} as long as {base.name}",
        "within noise": f"{'Too close to call' if close else 'No difference found'}: "
        f"{cell.name} over {base.name} is {times}",
        "no inference": f"No inference: {cell.name} over {base.name} came out at {times}",
    }[row["verdict"]]
    return f"{opening[0].upper()}{opening[1:]}"


def _behind(row: Row) -> str:
    """How many blocks a ratio rests on, and what it must exceed."""
    noise = "" if isnan(row["floor"]) else f", noise floor {ratio(row['floor'])}"
    return f"n = {row['n']} blocks{noise}"


def _estimates(evidence: Evidence, workload: str, row: Row, *cells: NamedCell) -> list[Row]:
    """The time of each of the cells at the scale at which `row` compares them."""
    return [
        estimate
        for cell in cells
        for estimate in evidence.measured(workload, "time", cell.engine, cell.variant)
        if estimate["scale"] == row["scale"]
    ]


def _gap(evidence: Evidence, workload: str, cell: NamedCell) -> str:
    keys = {"engine": cell.engine, "variant": cell.variant}
    return "" if len(evidence.points(workload, **keys)) else evidence.missing(workload, **keys)
