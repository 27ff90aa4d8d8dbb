"""What tests of the reports share: a report as text, and a session without rows."""

import re
from dataclasses import replace
from html import unescape

from assay.analyse.session import TABLES
from assay.present.kit.canvas import Plate
from assay.present.kit.evidence import Evidence
from assay.present.kit.quantities import quantity
from assay.present.kit.tables import Html


def without_rows(evidence: Evidence) -> Evidence:
    """The same session with nothing in its tables."""
    tables = {name: getattr(evidence, name).iloc[:0] for name in TABLES}
    return replace(evidence, **tables)


def lines(table: Html) -> list[str]:
    """The rows of a table's body."""
    return re.findall(r"<tr[^>]*>(<t[hd].*?)</tr>", table.text.partition("<tbody>")[2])


def rows(table: Html) -> list[list[str]]:
    """The cells of a table's body as text, with plain spaces."""
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line) for line in map(_plain, lines(table))]


def heads(table: Html) -> list[str]:
    """The heads of a table's columns."""
    return [_plain(name) for name in re.findall(r'<th scope="col"[^>]*>(.*?)</th>', table.text)]


def named(table: Html) -> list[dict[str, str]]:
    """The rows of a table as text, by the heads of its columns, with plain spaces."""
    return [dict(zip(heads(table), row, strict=True)) for row in rows(table)]


def _plain(text: str) -> str:
    text = re.sub(r'<span class="whole">(.*?)</span>|<wbr>', r"\1", text)
    return unescape(text).replace("\N{NO-BREAK SPACE}", " ")


def values(evidence: Evidence, figure: str) -> list[str]:
    """The values of a figure that the subsystem declares, as words with plain spaces."""
    [found] = [one for one in evidence.subsystem.figures if one.name == figure]
    plate = found.draw(evidence)
    assert isinstance(plate, Plate)
    return said(plate)


def said(plate: Plate) -> list[str]:
    """The values of a figure as words, with plain spaces."""
    return [
        _plain(f"{one.series}: {quantity(one.value, one.unit)} at {_place(one.at)}")
        for one in plate.data
    ]


def _place(at: str | float) -> str:
    return at if isinstance(at, str) else f"{at:,.0f}"
