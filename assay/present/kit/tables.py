"""HTML tables. A script of the page sorts, filters, folds and saves them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import takewhile
from typing import Any

import pandas as pd

from assay.inputs.variant import variant_keys, variant_string
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import median_of, quantity, ratio_of
from assay.present.kit.quantities import ratio as times
from assay.tables.rows import Row, records

INTERVAL = "[95\N{NO-BREAK SPACE}%\N{NO-BREAK SPACE}interval]"


MANY = 12  # columns that a page of upright paper holds
SHOWN = 50  # rows before a reader asks for all: LONG of tables.js

_NAME = re.compile(r"(?<![\w.-])(?=[\w.-]{3,20}(?![\w.-]))[\w.]+(?:-[\w.]+)+")
_KEY = re.compile(r",(?=[^\W\d])")


@dataclass(frozen=True)
class Html:
    """A fragment of a page; notebooks display it."""

    text: str

    def _repr_html_(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return "<HTML, see the rendered output>"


def badge(said: str) -> Html:
    """A verdict as a label; its colour says the same a second time."""
    return Html(f'<span class="verdict {said.replace(" ", "-")}">{escape(said)}</span>')


def note(words: str, anchor: str = "") -> Html:
    """A visible remark, with code in backquotes; links to `anchor` lead to it."""
    place = f' id="{anchor}"' if anchor else ""
    return Html(f'<p class="note"{place}>{_words(words)}</p>')


def absent(what: str, why: str, anchor: str = "") -> Html:
    """The remark in the place of a part of a page that the session was not meant to fill.

    A rendered page leaves such parts out and names them in one line: `pages/notebook.py`.
    """
    place = f' id="{anchor}"' if anchor else ""
    name = escape(what, quote=True)
    return Html(f'<p class="note absent"{place} data-what="{name}">{_words(f"{what} {why}.")}</p>')


def _words(words: str) -> str:
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(words))


def whole(words: str) -> str:
    """Words for a narrow column: a name such as "server-hdd" does not break, a variant by its keys.

    Neither changes the text, which is searched and saved.
    """
    kept = _NAME.sub(r'<span class="whole">\g<0></span>', escape(words))
    return _KEY.sub(",<wbr>", kept)


@dataclass(frozen=True)
class Column:
    """A column: what a cell shows of a row, and the value by which the column sorts.

    A reader can `choose` the rows to see by one of the texts in the column. One that is `long` has
    room for a sentence. The first columns that are a `key` tell the rows apart and stay in sight;
    without any it is the first one.
    """

    title: str
    show: Callable[[Row], str | Html]
    value: Callable[[Row], Any] | None = None
    choose: bool = False
    long: bool = False
    key: bool = False


def text(
    title: str, name: str, *, long: bool = False, choose: bool = False, key: bool = False
) -> Column:
    """A column of words."""
    return Column(title, lambda row: str(row[name]), long=long, choose=choose, key=key)


def engine(
    evidence: Evidence, title: str = "engine", *, choose: bool = True, key: bool = True
) -> Column:
    """A column of engines, under the names that they have everywhere."""
    return Column(
        title, lambda row: evidence.subsystem.title(row["engine"]), choose=choose, key=key
    )


def valued(title: str, name: str, show: Callable[[Any], str]) -> Column:
    """A column of numbers, each as `show` has it."""
    return Column(title, lambda row: show(row[name]), lambda row: row[name])


def number(title: str, name: str) -> Column:
    """A column of whole numbers."""
    return valued(title, name, "{:,}".format)


def value(title: str, name: str, unit: str) -> Column:
    """A column of values in a base unit, with an SI prefix."""
    return valued(title, name, lambda value: quantity(value, unit))


def median(title: str = f"median {INTERVAL}") -> Column:
    """Median and interval of a row of `estimates`, in the unit of the row."""
    return Column(title, median_of, lambda row: row["median"])


def ratio(title: str = f"ratio {INTERVAL}") -> Column:
    """Ratio and interval of a row of `ratios`."""
    return Column(title, ratio_of, lambda row: row["ratio"])


def detectable() -> Column:
    """The smallest effect that so many blocks would have found, of `ratios` or `verdicts`."""
    return valued("could have seen", "detectable", times)


def table(
    rows: pd.DataFrame | Sequence[Row],
    columns: Sequence[Column],
    caption: str,
    unmeasured: Callable[[Row], bool] = lambda row: False,
) -> Html:
    """A table of `rows`; an empty one is absent. Rows that are `unmeasured` fold away, counted.

    A column that says nothing of any row is left out.
    """
    listed = records(rows) if isinstance(rows, pd.DataFrame) else list(rows)
    if not listed:
        return absent(f"Table {caption}", "has no rows")
    columns = [column for column in columns if any(_says(column, row) for row in listed)]
    keys = len([*takewhile(lambda column: column.key, columns)]) or 1
    head = "".join(_head(column, place < keys) for place, column in enumerate(columns))
    body = "\n".join(_line(columns, keys, row, unmeasured(row)) for row in listed)
    name = _name(caption)
    many = " many" if len(columns) > MANY else ""
    # The height of a table that is not laid out yet; told later, Chromium keeps another.
    shown = 1 + min(sum(not unmeasured(row) for row in listed), SHOWN)
    return Html(
        f'<div class="table{many}"><p class="caption"><span id="{name}">{escape(caption)}</span>'
        f'<a class="anchor-link" href="#{name}" title="Link to this table">¶</a></p>'
        f'<div class="scroll" style="--rows: {shown}" role="region" tabindex="0" '
        f'aria-labelledby="{name}"><table class="data" aria-labelledby="{name}">'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div></div>"
    )


def estimates(evidence: Evidence, rows: pd.DataFrame, caption: str) -> Html:
    """Table of `estimates`, one row a cell and metric."""
    columns = [
        *cell(evidence),
        number("scale", "scale"),
        text("metric", "metric", choose=True),
        median(),
        number("n", "n"),
        _span("range", "minimum", "maximum"),
        *([_span("quartiles", "p25", "p75")] if rows["p25"].any() else []),
        number("failed", "n_failed"),
        number("noisy", "n_noisy"),
        text("note", "note"),
    ]
    return table(ordered(rows), columns, caption, lambda row: row["n"] == 0)


def ratios(evidence: Evidence, rows: pd.DataFrame, caption: str) -> Html:
    """Table of `ratios`, one row a pair of cells; their metrics, where there are several."""
    title = evidence.subsystem.title
    several = rows["metric"].nunique() > 1
    columns = [
        *cell(evidence),
        number("scale", "scale"),
        *([text("metric", "metric", choose=True)] if several else []),
        Column("over", lambda row: _base(row, title), choose=True),
        ratio(),
        text("verdict", "verdict", choose=True),
        number("n", "n"),
        valued("noise floor", "floor", times),
        detectable(),
        text("note", "note"),
    ]
    return table(ordered(rows), columns, caption, lambda row: row["n"] == 0)


def cell(evidence: Evidence) -> list[Column]:
    """The columns that name a cell, but for its scale."""
    return [
        text("workload", "workload", choose=True, key=True),
        engine(evidence),
        text("variant", "variant", key=True),
    ]


def facts(pairs: Mapping[str, object], caption: str = "") -> Html:
    """A list of names and values. Its caption is no heading: the level of one is not known here."""
    said = {name: _fact(name, value) for name, value in pairs.items()}
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(v)}</dd>" for name, v in said.items())
    head = f'<p class="caption">{escape(caption)}</p>' if caption else ""
    return Html(f'{head}<dl class="facts">{items}</dl>')


def _fact(name: str, value: object) -> str:
    if type(value) is int:  # a bool is none
        return quantity(value, "B") if name.endswith("_bytes") else f"{value:,}"
    return str(value) or "not told"


def _base(row: Row, title: Callable[[str], str]) -> str:
    """What the denominator differs in."""
    if row["kind"] == "aa":
        return "itself, arm A"
    if row["kind"] == "engine":
        return title(row["base_engine"])
    own = variant_keys(row["variant"]).items()
    base = variant_keys(row["base_variant"])
    return variant_string({key: value for key, value in base.items() if (key, value) not in own})


def ordered(rows: pd.DataFrame) -> pd.DataFrame:
    """By workload, engine, variant and scale; the numbers in a variant count as numbers."""

    def key(column: "pd.Series[Any]") -> "pd.Series[Any]":
        return column.map(_padded) if column.name == "variant" else column

    return rows.sort_values(["workload", "engine", "variant", "scale"], key=key, kind="stable")


def measured(cells: pd.DataFrame) -> list[Row]:
    """The rows of `estimates` that have a value, in order."""
    return records(ordered(cells.dropna(subset="median")))


def _padded(variant: str) -> str:
    return re.sub(r"\d+", lambda digits: digits[0].zfill(12), variant)


def _name(caption: str) -> str:
    """The id of a table: the words of its caption, without the numbers that a run may change."""
    return "-".join(["table", *re.findall("[a-z]+", caption.lower())])


def _head(column: Column, key: bool) -> str:
    kinds = [kind for kind, given in (("key", key), ("number", column.value)) if given]
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    choose = " data-choose" if column.choose else ""
    return f'<th scope="col"{kind}{choose}>{whole(column.title)}</th>'


def _says(column: Column, row: Row) -> bool:
    shown = column.show(row)
    return bool(shown.text if isinstance(shown, Html) else shown)


def _line(columns: Sequence[Column], keys: int, row: Row, unmeasured: bool) -> str:
    cells = (_cell(column, row, place < keys) for place, column in enumerate(columns))
    kind = ' class="unmeasured"' if unmeasured else ""
    return f"<tr{kind}>{''.join(cells)}</tr>"


def _cell(column: Column, row: Row, key: bool) -> str:
    content = column.show(row)
    shown = content.text if isinstance(content, Html) else whole(content)
    kinds = [kind for kind, given in (("key", key), ("long", column.long)) if given]
    sortable = ""
    if column.value is not None:
        kinds.append("number")
        value = column.value(row)
        sortable = f' data-value="{"" if pd.isna(value) else repr(float(value))}"'
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    if key and shown:
        return f'<th scope="row"{kind}{sortable}>{shown}</th>'
    return f"<td{kind}{sortable}>{shown}</td>"


def _span(title: str, low: str, high: str) -> Column:
    """A column of two ends, in the unit of the row."""

    def show(row: Row) -> str:
        ends = (quantity(row[end], row["unit"]) for end in (low, high))
        return "–" if pd.isna(row[low]) else " – ".join(ends)

    return Column(title, show, lambda row: row[low])
