"""What a session was not meant to fill leaves its page, prose and all, and is named once.

`assay.present.kit.tables.absent` marks it in the output of a cell.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from assay.present.kit.evidence import MORE

_MARK = re.compile(r'<p class="note absent"(?P<id>[^>]*) data-what="(?P<what>[^"]*)">.*?</p>', re.S)


@dataclass
class _Block:
    """A cell of prose, and the cells of code up to the next one."""

    prose: NotebookNode | None = None
    code: list[NotebookNode] = field(default_factory=list)

    def heads(self) -> bool:
        return self.prose is not None and self.prose["source"].startswith("#")

    def shown(self) -> list[NotebookNode]:
        return [cell for cell in self.code if not _marks(cell)]

    def is_absent(self) -> bool:
        return any(map(_marks, self.code)) and not any(cell["outputs"] for cell in self.shown())


def gather(cells: list[NotebookNode]) -> list[NotebookNode]:
    """The cells of an executed notebook without what is absent; a last cell names it."""
    marks = [mark for cell in cells for mark in _marks(cell)]
    if not marks:
        return cells
    names = ", ".join(dict.fromkeys(f"<span{m['id']}>{m['what']}</span>" for m in marks))
    kept = [cell for section in _sections(cells) for cell in _kept(section)]
    return [*kept, new_markdown_cell(f"Left out above: {names}. These are {MORE}.")]  # type: ignore[no-untyped-call]


def _marks(cell: NotebookNode) -> list[re.Match[str]]:
    """The marks of a cell that displays nothing else."""
    texts = [output.get("data", {}).get("text/html", "") for output in cell.get("outputs", [])]
    alone = all(texts) and not _MARK.sub("", "".join(texts)).strip()
    return list(_MARK.finditer("".join(texts))) if alone else []


def _sections(cells: list[NotebookNode]) -> Iterator[list[_Block]]:
    """The blocks between two headings."""
    section = [_Block()]
    for cell in cells:
        if cell["cell_type"] != "markdown":
            section[-1].code.append(cell)
            continue
        block = _Block(cell)
        if block.heads():
            yield section
            section = []
        section.append(block)
    yield section


def _kept(section: list[_Block]) -> Iterator[NotebookNode]:
    gone = [block.is_absent() for block in section]
    if any(gone) and all(out or not block.code for block, out in zip(section, gone, strict=True)):
        return
    for block, out in zip(section, gone, strict=True):
        if block.prose and (block.heads() or not out):
            yield block.prose
        yield from block.shown()
