"""Numbers as people read them: three significant digits, a unit prefix, a non-breaking space."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

SPACE = "\N{NO-BREAK SPACE}"
TIMES = "\N{MULTIPLICATION SIGN}"
_PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}
_SMALL_UNITS = {"s", "s/B"}
# Neither a part of a name or a decimal, nor the value of a key.
_COUNT = re.compile(r"(?<![\w.,=/-])\d{4,}(?![\w=/-]|[.,]\d)")


def digits(value: float, significant: int = 3) -> str:
    """`value` in plain notation, rounded to `significant` digits, thousands separated."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.{significant - 1}e}")
    places = max(0, significant - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:,.{places}f}"


def quantity(value: float, unit: str) -> str:
    """`value` of a base unit with an SI prefix: `quantity(1.71e-8, "s")` is "17.1 ns".

    Units "1" (counts) and bytes below 1000 stay whole; NaN is an en dash.
    """
    if math.isnan(value):
        return "–"
    if unit == "1":
        return f"{value:,.0f}" if value == round(value) or value >= 1000 else digits(value)
    exponent = _exponent(value, unit)
    return digits(value / 10.0**exponent) + _symbol(exponent, unit)


def tick(value: float, unit: str) -> str:
    """`value` to three digits without trailing zeros, for an axis: "10 ns"."""
    exponent = _exponent(value, unit)
    return f"{value / 10.0**exponent:.3g}" + _symbol(exponent, unit)


def whole(value: float) -> str:
    """A count on an axis: "1,024", "65,536", "1 M"."""
    short = tick(value, "")
    return short if value >= 100_000 and float(f"{value:.3g}") == value else f"{value:,.0f}"


def separated(sentence: str) -> str:
    """The sentence with thousands separated in its counts: "batches of 10,000". It has no year."""
    return _COUNT.sub(lambda match: f"{int(match[0]):,}", sentence)


def interval(median: float, low: float, high: float, unit: str) -> str:
    """A median and its interval in one unit: "17.1 ns [16.8, 17.6]".

    What has no interval, such as a count that is the same in all shots, has NaN for its ends.
    """
    if math.isnan(low):
        return quantity(median, unit)
    if unit == "1":
        return f"{quantity(median, unit)} [{quantity(low, unit)}, {quantity(high, unit)}]"
    scale = 10.0 ** _exponent(median, unit)
    return f"{quantity(median, unit)} [{digits(low / scale)}, {digits(high / scale)}]"


def spread(low: float, high: float, unit: str) -> str:
    """The smallest and the largest of some values in one unit: "16.8 to 17.6 ns"."""
    if unit == "1":
        return f"{quantity(low, unit)} to {quantity(high, unit)}"
    return f"{digits(low / 10.0 ** _exponent(high, unit))} to {quantity(high, unit)}"


def ratio(value: float, low: float = math.nan, high: float = math.nan) -> str:
    """A ratio and its interval: "25.1× [24.0, 26.2]"."""
    if math.isnan(value):
        return "–"
    # Near one, the third decimal is what counts; far from one, the third digit. An interval that
    # excludes 1 must not look like it.
    places = 5 if 0 < max(abs(low - 1), abs(high - 1)) < 5e-4 else 3
    near = 0.9 < value < 1.1
    shown = [f"{v:.{places}f}" if near else digits(v) for v in (value, low, high) if v == v]
    bounds = f" [{', '.join(shown[1:])}]" if len(shown) == 3 else ""
    return shown[0] + TIMES + bounds


def median_of(row: Mapping[Any, Any]) -> str:
    """The median of a row of `estimates`, with its interval."""
    return interval(row["median"], row["ci_low"], row["ci_high"], row["unit"])


def ratio_of(row: Mapping[Any, Any]) -> str:
    """The ratio of a row of `ratios`, `pairs` or `quotients`, with its interval."""
    return ratio(row["ratio"], row["ci_low"], row["ci_high"])


def share(part: float, whole: float) -> str:
    """Of how many how many, in hundredths: "all", or "99.8 %", never rounded up to all."""
    return "all" if part == whole else f"{min(100 * part / whole, 99.9):.1f}{SPACE}%"


def sentence(parts: Sequence[str]) -> str:
    """Join as in prose: "a", "a and b", "a, b and c"."""
    *head, last = parts
    return f"{', '.join(head)} and {last}" if head else last


def _symbol(exponent: int, unit: str) -> str:
    """Prefix and unit behind a number; a rate of something counted is "/s"."""
    symbol = _PREFIXES[exponent] + unit.removeprefix("1")
    return f"{SPACE}{symbol}" if symbol else ""


def _exponent(value: float, unit: str) -> int:
    """The power of ten, a multiple of three, that leaves one to three digits before the point."""
    if value == 0:
        return 0
    # The rounding decides: 999.7 ns is 1.00 µs.
    rounded = float(f"{abs(value):.2e}")
    exponent = 3 * math.floor(math.log10(rounded) / 3)
    return min(max(exponent, -9 if unit in _SMALL_UNITS else 0), 12)
