"""Harness output that is one JSON document, read with the line of every value.

JSON is read as YAML, of which it is a subset, because a YAML node knows its line.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from assay.measure.parsers.record import ParseError, number


@dataclass(frozen=True)
class Value:
    """A JSON value and the line it stands on; `name` is its place, as errors show it."""

    node: yaml.Node
    name: str

    @property
    def line(self) -> int:
        return self.node.start_mark.line + 1

    def keys(self) -> list[str]:
        """The keys of an object."""
        if not isinstance(self.node, yaml.MappingNode):
            raise self._unlike("an object")
        return [key.value for key, _ in self.node.value]

    def __getitem__(self, key: str) -> "Value":
        """The value of a key of an object."""
        for place, name in enumerate(self.keys()):
            if name == key:
                return Value(self.node.value[place][1], f"{self.name}.{key}".removeprefix("."))
        raise ParseError(self.line, f"{self.name or 'the document'}: expected the key {key}")

    def __iter__(self) -> Iterator["Value"]:
        """The values of an array."""
        if not isinstance(self.node, yaml.SequenceNode):
            raise self._unlike("an array")
        for i, node in enumerate(self.node.value):
            yield Value(node, f"{self.name}[{i}]")

    def is_number(self) -> bool:
        return isinstance(self.node, yaml.ScalarNode) and self.node.style is None

    def number(self) -> float:
        """A finite number."""
        if not self.is_number():
            raise self._unlike("a number")
        return number(self.node.value, self.line, self.name)

    def text(self) -> str:
        """A string."""
        if not isinstance(self.node, yaml.ScalarNode) or self.node.style is None:
            raise self._unlike("a string")
        return str(self.node.value)

    def _unlike(self, wanted: str) -> ParseError:
        return ParseError(self.line, f"{self.name}: expected {wanted}, found {self.node.value!r}")


def read(text: str) -> Value:
    """The root of a JSON document. Raises ParseError with line and reason."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise ParseError(error.lineno, f"expected a JSON document, found {error.msg}") from error
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert root is not None, "a text that is JSON is never an empty YAML document"
    return Value(root, "")
