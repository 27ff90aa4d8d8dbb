"""Slips in the published reports, found by computation: one function a kind.

A slip is a statement that does not follow from the numbers it rests on. What is listed is the
arithmetic, not a judgement of the work: most are leftovers of an earlier version of a text.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from math import inf, prod

import numpy as np
import pandas as pd

from assay import published
from assay.published import statements
from assay.published.statements import Curve, Factor, Number, Pair
from assay.tables.rows import Row

Tables = dict[str, pd.DataFrame]

SHARE = ", share of "

LEAST_CONTENT = 100 * 64
"""Bytes in the literals of a resource of the ldp load: 100 of 64 random characters."""


@dataclass(frozen=True)
class Slip:
    """What a report says, what its own numbers say, and the arithmetic between the two."""

    subsystem: str
    kind: str
    says: str
    numbers_say: str
    arithmetic: str


def table() -> pd.DataFrame:
    """Every slip, one a row; columns as in `Slip`."""
    reports = sorted((published.FOLDER / "statements").glob("*.yaml"))
    tables = {path.stem: published.read(path.stem) for path in reports}
    said = [statements.load(path) for path in reports]
    slips = chain(
        shares(tables),
        *(factor(tables, statement) for report in said for statement in report.factors),
        *(line(tables, curve) for report in said for curve in report.lines),
        *(trend(tables, curve) for report in said for curve in report.no_trends),
        *(repeat(tables, pair) for report in said for pair in report.pairs),
        units(tables),
    )
    return pd.DataFrame([vars(slip) for slip in slips], columns=list(Slip.__annotations__))


def shares(tables: Tables) -> Iterator[Slip]:
    """Percentages that their own columns do not give, at the digits printed."""
    ldp = tables["ldp"]
    for row in ldp[ldp["column"].str.contains(SHARE)].to_dict("records"):
        part, _, whole = row["column"].partition(SHARE)
        base = "FCREPO / Modeshape 4.7.5" if whole == "the first row" else row["row"]
        column = part if whole == "the first row" else whole
        cells = [(row["row"], part), (base, column)]
        numbers = [_cell(ldp, row["section"], *cell) for cell in cells]
        if numbers[0] is None or numbers[1] is None:
            continue
        percent = 100 * numbers[0]["value"] / numbers[1]["value"]
        digits = len(row["printed"].partition(".")[2])
        if f"{percent:.{digits}f}" != row["printed"]:
            yield Slip(
                "ldp",
                "share",
                f"{row['section'].removeprefix('Results / ')}: {part} of {row['row']} is "
                f"{row['printed']} % of {whole}",
                f"{percent:.{digits}f} %",
                f"{_shown(numbers[0])} / {_shown(numbers[1])} = {percent:.2f} %",
            )


def factor(tables: Tables, said: Factor) -> Iterator[Slip]:
    """The slip in a statement that a number is larger, smaller or the same, if it is one."""
    over, under = (
        [_number(tables[said.subsystem], part) for part in side] for side in (said.over, said.under)
    )
    ratio = prod(row["value"] for row in over) / prod(row["value"] for row in under)
    if not said.low <= ratio <= said.high:
        above, below = (" × ".join(map(_shown, side)) for side in (over, under))
        below = f" / ({below})" if len(under) > 1 else f" / {below}" if below else ""
        yield Slip(
            said.subsystem,
            "factor",
            said.says,
            f"a ratio of {ratio:.3g}, not {_range(said.low, said.high)}",
            f"{above}{below} = {ratio:.4g}",
        )


def line(tables: Tables, said: Curve) -> Iterator[Slip]:
    """The slip in growth called linear whose cost a step differs twofold, errors allowed."""
    curve = _curve(tables, said)
    rises, runs = np.diff(curve["value"]), np.diff(curve.index)
    error = 2 * curve["reading_error"].max()
    if ((rises - error) / runs).max() >= 2 * ((rises + error) / runs).min():
        yield Slip(
            said.subsystem,
            "line",
            said.says,
            "the cost of one more is " + _listed(1e6 * rises / runs, " µs"),
            _points(curve),
        )


def trend(tables: Tables, said: Curve) -> Iterator[Slip]:
    """The slip in a curve said to follow no trend that rises, or falls, at every step."""
    curve = _curve(tables, said)
    error = 2 * curve["reading_error"].max()
    steps = np.diff(curve["value"])
    if (steps > error).all() or (steps < -error).all():
        way = "rises" if steps[0] > 0 else "falls"
        yield Slip(said.subsystem, "trend", said.says, f"it {way} at every step", _points(curve))


def repeat(tables: Tables, said: Pair) -> Iterator[Slip]:
    """The slip in two numbers that ought to differ and are equal to the last digit printed."""
    number, other = (_number(tables[said.subsystem], part) for part in (said.one, said.other))
    if number["printed"] == other["printed"]:
        yield Slip(
            said.subsystem,
            "repeat",
            said.says,
            "the same number twice",
            f"{_shown(number)} ({number['row']}) = {_shown(other)} ({other['row']})",
        )


def units(tables: Tables) -> Iterator[Slip]:
    """Sizes printed in bits that would hold less than what was stored."""
    ldp = tables["ldp"]
    stores = ldp[(ldp["column"] == "Store") & ldp["value"].notna()]
    for row in stores.to_dict("records"):
        resources = 100_000 if "100K" in row["section"] else 10_000
        each = row["value"] / 8 / resources
        if each < LEAST_CONTENT:
            yield Slip(
                "ldp",
                "unit",
                f"{row['section'].removeprefix('Results / ')}: Store of {row['row']} is "
                f"{_shown(row)}",
                "bytes are meant: as bits they hold less than the literals alone",
                f"{_shown(row)} / 8 / {resources} resources = {each:.0f} B < 100 × 64 B",
            )


def _number(numbers: pd.DataFrame, part: Number | float) -> Row:
    """The row of a published number; ValueError unless there is exactly one."""
    if not isinstance(part, Number):
        return {"printed": f"{part:.12g} (quoted)", "printed_unit": "", "value": part}
    here = numbers["section"].str.endswith(part.section)
    here &= (numbers["row"] == part.row) & (numbers["column"] == part.column)
    if here.sum() != 1:
        raise ValueError(f"{part}: expected one published number, found {here.sum()}")
    return dict(numbers[here].iloc[0])


def _cell(numbers: pd.DataFrame, section: str, row: str, column: str) -> Row | None:
    """The row of a number, None where the report has none."""
    here = (numbers["section"] == section) & (numbers["row"] == row)
    here &= (numbers["column"] == column) & numbers["value"].notna()
    return dict(numbers[here].iloc[0]) if here.any() else None


def _curve(tables: Tables, said: Curve) -> pd.DataFrame:
    """Value and reading error over the argument of a series."""
    numbers = tables[said.subsystem]
    series = numbers["row"].str.rpartition(", ")
    here = numbers["section"].str.endswith(said.section) & (series[0] == said.series)
    here &= numbers["column"] == said.column
    if here.sum() < 3:
        raise ValueError(f"{said}: expected at least 3 published numbers, found {here.sum()}")
    curve = numbers[here].set_index(series[2][here].astype(int))
    return curve[["value", "reading_error", "printed", "printed_unit"]].sort_index()


def _shown(row: Row) -> str:
    return f"{row['printed']} {_unit(row)}".strip()


def _unit(row: Row) -> str:
    return str(row["printed_unit"]).replace("us", "µs")


def _points(curve: pd.DataFrame) -> str:
    points = [f"{row['printed']} at {at}" for at, row in curve.iterrows()]
    return f"{', '.join(points)} ({_unit(dict(curve.iloc[0]))})"


def _listed(values: Iterable[float], unit: str) -> str:
    return ", then ".join(f"{value:.3g}" for value in values) + unit


def _range(low: float, high: float) -> str:
    if high == inf:
        return f"{low:g} or more"
    if low == 0:
        return f"{high:g} or less"
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
