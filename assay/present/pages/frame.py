"""The frame of every page: its templates, the bar that leads to all reports, and the words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from assay.system import files

TEMPLATES = Path("notebooks/templates/assay")
WORDS = Path(__file__).parents[3] / "docs" / "design.md"


@dataclass(frozen=True)
class Link:
    """A report in the bar and on the front page; title and summary are those of its notebook."""

    name: str
    title: str
    summary: str = ""

    @property
    def href(self) -> str:
        """Where it stands, beside the front page."""
        return f"{self.name}.html"


@dataclass(frozen=True)
class Frame:
    """What stands around every page of a study: its reports, and what the words in them mean."""

    reports: Sequence[Link]
    words: Mapping[str, str]


def around(root: Path, reports: Iterable[str]) -> Frame:
    """The frame of the pages of these reports."""
    return Frame(links(root, reports), words())


def words() -> dict[str, str]:
    """The table of words in `docs/design.md`, without its marks."""
    _, _, section = files.read_text(WORDS).partition("\n## Words\n")
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", section.partition("\n## ")[0], re.MULTILINE)
    return {word: re.sub("[`*]", "", says) for word, says in rows if word not in ("word", "---")}


def links(root: Path, names: Iterable[str]) -> list[Link]:
    """The reports of these names: those of subsystems, then those of all of them."""
    ordered = sorted(names, key=lambda name: (not (root / "engines" / name).exists(), name))
    return [link(root, name) for name in ordered]


def link(root: Path, name: str) -> Link:
    """One report."""
    try:
        metadata = files.read_json(root / "notebooks" / f"{name}.ipynb")["metadata"]
        return Link(name, metadata.get("title", name), metadata.get("summary", ""))
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return Link(name, name)  # its notebook is a hole


def template(root: Path, name: str) -> jinja2.Template:
    """A template of a whole page, with the style and the script of every report at hand."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(root / TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template(name)
