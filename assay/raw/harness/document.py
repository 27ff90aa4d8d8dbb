"""Harness output that is JSON, read with the place of every value."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.raw.harness.base import ParseError

Path = tuple[str | int, ...]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+', re.DOTALL)


@dataclass(frozen=True)
class Value:
    """A JSON value and its place in a text whose first line has the number `first`."""

    content: Any
    text_: str
    first: int
    path: Path = ()

    @property
    def line(self) -> int:
        """The number of the line on which it begins."""
        return self.first + self.text_.count("\n", 0, _start(self.text_, self.path))

    @property
    def name(self) -> str:
        """Its place, as errors show it: `results[0].times`."""
        steps = (f".{step}" if isinstance(step, str) else f"[{step}]" for step in self.path)
        return "".join(steps).removeprefix(".") or "the document"

    def keys(self) -> list[str]:
        """The keys of an object."""
        if not isinstance(self.content, dict):
            raise self._unlike("an object")
        return list(self.content)

    def __getitem__(self, key: str) -> "Value":
        """The value of a key of an object."""
        if key not in self.keys():
            raise ParseError(self.line, f"{self.name}: expected the key {key}")
        return Value(self.content[key], self.text_, self.first, (*self.path, key))

    def __iter__(self) -> Iterator["Value"]:
        """The values of an array."""
        if not isinstance(self.content, list):
            raise self._unlike("an array")
        for i, content in enumerate(self.content):
            yield Value(content, self.text_, self.first, (*self.path, i))

    def is_number(self) -> bool:
        """Whether it is a number, finite or not."""
        return isinstance(self.content, float)

    def number(self) -> float:
        """A finite number."""
        if not isinstance(self.content, float):
            raise self._unlike("a number")
        if not math.isfinite(self.content):
            raise self._unlike("a finite number")
        return self.content

    def text(self) -> str:
        """A string."""
        if not isinstance(self.content, str):
            raise self._unlike("a string")
        return self.content

    def _unlike(self, wanted: str) -> ParseError:
        nested = {"dict": "an object", "list": "an array"}
        actual = nested.get(type(self.content).__name__) or repr(self.content)
        return ParseError(self.line, f"{self.name}: expected {wanted}, found {actual}")


def read(text: str, first: int = 1) -> Value:
    """The root of a JSON document that begins on line `first`. Raises ParseError."""
    try:
        content = json.loads(text, parse_int=float, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        line = first + error.lineno - 1
        raise ParseError(line, f"expected a JSON document, found {error.msg}") from error
    except ValueError as error:
        raise ParseError(first, str(error)) from error
    except RecursionError:
        raise ParseError(first, "expected a JSON document, found one nested too deeply") from None
    return Value(content, text, first)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict[str, Any]()
    for key, value in pairs:
        if key in members:
            raise ValueError(f"expected the key {key} only once in an object")
        members[key] = value
    return members


def _start(text: str, path: Path) -> int:
    """Where the value at `path` begins in a `text` that is JSON."""
    here: list[str | int | None] = []  # of all that is open the key, None before it, or the index
    for token in _TOKEN.finditer(text):
        if token[0] in ("}", "]"):
            here.pop()
        elif token[0] == ",":
            here[-1] = here[-1] + 1 if isinstance(here[-1], int) else None
        elif here and here[-1] is None:
            here[-1] = json.loads(token[0])
        elif token[0] != ":":
            if tuple(here) == path:
                return token.start()
            if token[0] in ("[", "{"):
                here.append(0 if token[0] == "[" else None)
    raise ValueError(f"expected {path} in {text!r}")
