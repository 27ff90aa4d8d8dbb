"""What tests of the reports share: a report as text, and a session without rows."""

import re
from html import unescape

import pandas as pd

from assay.present.kit.canvas import Plate
from assay.present.kit.evidence import Evidence
from assay.present.kit.tables import Html


def without_rows(evidence: Evidence) -> Evidence:
    """The same session with nothing in its tables."""
    known = vars(evidence)
    return Evidence(
        **{k: v.iloc[:0] if isinstance(v, pd.DataFrame) else v for k, v in known.items()}
    )


def named(table: Html) -> list[dict[str, str]]:
    """The rows of a table as text, by the heads of its columns, with plain spaces."""
    text = unescape(table.text).replace("\N{NO-BREAK SPACE}", " ")
    heads = re.findall(r"<th scope[^>]*>(.*?)</th>", text)
    rows = re.findall(r"<tr>(<td.*)</tr>", text)
    return [dict(zip(heads, re.findall(r"<td[^>]*>(.*?)</td>", row), strict=True)) for row in rows]


def alt(evidence: Evidence, figure: str) -> str:
    """What a figure that the subsystem declares says in words, with plain spaces."""
    [found] = [one for one in evidence.subsystem.figures if one.name == figure]
    plate = found.draw(evidence)
    assert isinstance(plate, Plate)
    return plate.alt.replace("\N{NO-BREAK SPACE}", " ")
